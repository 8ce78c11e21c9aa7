import { CONTROL_ROLES, type ControlRole } from '../../../schemas/conclusion-words.ts'
import type { CheckSeverity } from '../../core/catalog.ts'
import type { EvidenceRequest } from '../../core/conclusion/requests.ts'
import type { Control, EvidenceType, Framework, FrameworkId } from '../../core/framework.ts'
import severity from '../severity.json' with { type: 'json' }
import requestData from './requests.json' with { type: 'json' }
import vocabulary from './vocabulary.json' with { type: 'json' }

/** A framework as its JSON file holds it: supports name checks of the vocabulary. */
interface FrameworkData {
  readonly id: string
  readonly title: string
  readonly version: string
  readonly status: string
  readonly asOf: string
  readonly proposed: boolean
  readonly source: readonly string[]
  readonly notes: readonly string[]
  readonly controls: readonly (Omit<
    Control,
    'mappings' | 'evidenceType' | 'nodeEvidence' | 'refs' | 'requests' | 'scope'
  > & {
    readonly mappings: readonly { readonly check: string; readonly role: string; readonly why: string }[]
    readonly evidenceType: string
    readonly nodeEvidence: string
    readonly requests?: Readonly<Record<string, readonly string[] | undefined>>
    readonly scope?: string
    readonly refs: Readonly<Record<string, readonly string[] | undefined>>
  })[]
}

/** One idea of a check: what it would observe and the most it can show. Every mapping must resolve to one of these. */
export interface VocabularyEntry {
  readonly id: string
  readonly observes: string
  readonly ceiling: string
  readonly evidenceKind: string
}

const entries: ReadonlyMap<string, VocabularyEntry> = new Map(vocabulary.checks.map((entry) => [entry.id, entry]))

/** What the vocabulary reports about a check; undefined for one that it does not have. */
export const vocabularyEntry = (id: string): VocabularyEntry | undefined => entries.get(id)

export const VOCABULARY: readonly VocabularyEntry[] = vocabulary.checks

/** Documents that auditors require, each once (conclusion model, section 4). */
export const REQUESTS: readonly EvidenceRequest[] = requestData.requests as readonly EvidenceRequest[]

/** How severe a deviation from each check is, and why. */
export const SEVERITIES: readonly CheckSeverity[] = severity.checks as readonly CheckSeverity[]

const REQUEST_IDS: ReadonlySet<string> = new Set(REQUESTS.map(({ id }) => id))
const ROLES: readonly string[] = CONTROL_ROLES
const CLASSES: readonly string[] = ['technical', 'mixed', 'documentary', 'out-of-scope'] satisfies EvidenceType[]

/**
 * A framework from its data, with each support spelled out. Throws when the data is wrong (an unknown check, class, role or request, a
 * repeated key or check, an empty limit or reason): the data is part of the program, so that is our bug and stops it at start.
 */
export function loadFramework(data: FrameworkData): Framework {
  const keys = new Set<string>()
  const controls = data.controls.map((row): Control => {
    if (keys.has(row.key)) throw new Error(`${data.id}: ${row.key} is listed twice`)
    keys.add(row.key)
    if (row.notCovered.trim() === '') throw new Error(`${data.id}: ${row.key} does not state what is not shown`)
    if (!CLASSES.includes(row.evidenceType)) throw new Error(`${data.id}: ${row.key} has no evidence class`)
    const mappings = row.mappings.map(({ check, role, why }) => {
      const entry = entries.get(check)
      if (entry === undefined) throw new Error(`${data.id}: ${row.key} names ${check}, which is not in the vocabulary`)
      if (!ROLES.includes(role) || why.trim() === '')
        throw new Error(`${data.id}: ${row.key} gives ${check} no role, or no reason for it`)
      return { check, shows: `${entry.observes}.`, role: role as ControlRole, why }
    })
    if (new Set(mappings.map(({ check }) => check)).size < mappings.length)
      throw new Error(`${data.id}: ${row.key} names a check twice`)
    const requests = given(row.requests ?? {})
    for (const [need, ids] of Object.entries(requests))
      if (!row.documentsRequired.includes(need) || ids.length === 0 || ids.some((id) => !REQUEST_IDS.has(id)))
        throw new Error(`${data.id}: ${row.key} answers a need that it does not have, or names no request`)
    return {
      key: row.key,
      id: row.id,
      title: row.title,
      summary: row.summary,
      kind: row.kind,
      level: row.level,
      group: row.group,
      parent: row.parent,
      evidenceType: row.evidenceType as EvidenceType,
      nodeEvidence: row.nodeEvidence as Control['nodeEvidence'],
      mappings,
      notCovered: row.notCovered,
      documentsRequired: row.documentsRequired,
      ...(row.requests === undefined ? {} : { requests }),
      ...(row.category === undefined ? {} : { category: row.category }),
      ...(row.scope === 'ephi' ? { scope: 'ephi' as const } : {}),
      responsibility: row.responsibility,
      refs: given(row.refs),
    }
  })
  const { title, version, status, proposed, source, notes } = data
  return { id: data.id as FrameworkId, title, version, status, proposed, source, notes, controls }
}

const given = (
  lists: Readonly<Record<string, readonly string[] | undefined>>,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(lists).filter((pair): pair is [string, readonly string[]] => pair[1] !== undefined))

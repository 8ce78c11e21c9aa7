import { CONTROL_ROLES, type ControlRole } from '../../../../schemas/conclusion-words.ts'
import type { Control, ControlMapping, EvidenceType, Framework, FrameworkId } from '../../../core/rules/framework.ts'
import type { EvidenceRequest } from '../../../core/rules/requests.ts'
import type { CheckData } from '../../base/subject.ts'
import { CHECK_DATA } from '../subjects.ts'
import hipaaData from './hipaa.json' with { type: 'json' }
import nprmData from './nprm.json' with { type: 'json' }
import requestData from './requests.json' with { type: 'json' }
import soc2Data from './soc2.json' with { type: 'json' }

/** A framework as stored in its JSON file: controls without mappings, which are stated with the checks. */
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
    readonly evidenceType: string
    readonly nodeEvidence: string
    readonly requests?: Readonly<Record<string, readonly string[] | undefined>>
    readonly scope?: string
    readonly refs: Readonly<Record<string, readonly string[] | undefined>>
  })[]
}

/** Documents that auditors require, each once (conclusion model, section 4). */
export const REQUESTS: readonly EvidenceRequest[] = requestData.requests as readonly EvidenceRequest[]

const REQUEST_IDS: ReadonlySet<string> = new Set(REQUESTS.map(({ id }) => id))
const ROLES: readonly string[] = CONTROL_ROLES
const CLASSES: readonly string[] = ['technical', 'mixed', 'documentary', 'out-of-scope'] satisfies EvidenceType[]

/**
 * A framework from its controls and the mappings that its checks state, which come in the order of the checks. Throws when the data is wrong
 * (an unknown control, class, role or request, a repeated key or check, an empty limit or reason): the data is part of the program, so that
 * is our bug and stops it at start.
 */
export function loadFramework(data: FrameworkData, checks: readonly CheckData[] = CHECK_DATA): Framework {
  const keys = new Set(data.controls.map(({ key }) => key))
  const mapped = mappingsOf(data.id, keys, checks)
  const seen = new Set<string>()
  const controls = data.controls.map((row): Control => {
    if (seen.has(row.key)) throw new Error(`${data.id}: ${row.key} is listed twice`)
    seen.add(row.key)
    if (row.notCovered.trim() === '') throw new Error(`${data.id}: ${row.key} does not state what is not shown`)
    if (!CLASSES.includes(row.evidenceType)) throw new Error(`${data.id}: ${row.key} has no evidence class`)
    const mappings = mapped.get(row.key) ?? []
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

/** The mappings of checks to one framework, by control key. */
function mappingsOf(
  framework: string,
  keys: ReadonlySet<string>,
  checks: readonly CheckData[],
): ReadonlyMap<string, readonly ControlMapping[]> {
  const found = new Map<string, ControlMapping[]>()
  for (const { check, observes, mappings = [] } of checks)
    for (const { control, role, why } of mappings) {
      if (!control.startsWith(`${framework}:`)) continue
      if (!keys.has(control)) throw new Error(`${check} is mapped to ${control}, which is no control`)
      if (!ROLES.includes(role) || why.trim() === '')
        throw new Error(`${check} has no role at ${control}, or no reason for it`)
      const at = found.get(control) ?? []
      if (at.some((one) => one.check === check)) throw new Error(`${check} is mapped to ${control} twice`)
      found.set(control, [...at, { check, shows: `${observes}.`, role: role as ControlRole, why }])
    }
  return found
}

const given = (
  lists: Readonly<Record<string, readonly string[] | undefined>>,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(lists).filter((pair): pair is [string, readonly string[]] => pair[1] !== undefined))

/** HIPAA Security Rule, 45 CFR 164.308–164.316, in force. */
export const hipaa: Framework = loadFramework(hipaaData)
/** SOC 2 trust services criteria: ids and our own words. */
export const soc2: Framework = loadFramework(soc2Data)
/** The 2025 proposal to change the Security Rule: an overlay, off by default, never an obligation. */
export const nprm: Framework = loadFramework(nprmData)

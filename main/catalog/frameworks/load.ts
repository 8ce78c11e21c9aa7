import type { Control, EvidenceClass, Framework, FrameworkId } from '../../core/framework.ts'
import vocabulary from './vocabulary.json' with { type: 'json' }

/** A framework as its JSON file holds it: supports name checks of the vocabulary. */
interface FrameworkData {
  readonly id: string
  readonly title: string
  readonly version: string
  readonly status: string
  readonly asOf: string
  readonly overlay: boolean
  readonly source: readonly string[]
  readonly notes: readonly string[]
  readonly controls: readonly (Omit<Control, 'supports' | 'evidenceClass' | 'nodeEvidence' | 'refs'> & {
    readonly supports: readonly string[]
    readonly evidenceClass: string
    readonly nodeEvidence: string
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

/** What the vocabulary says of a check; undefined for one that it does not have. */
export const vocabularyEntry = (id: string): VocabularyEntry | undefined => entries.get(id)

export const VOCABULARY: readonly VocabularyEntry[] = vocabulary.checks

const CLASSES: readonly string[] = ['automatable', 'partial', 'manual', 'out-of-scope'] satisfies EvidenceClass[]

/**
 * A framework from its data, with each support spelled out. Throws when the data is wrong (an unknown check or class, a repeated
 * key, an empty limit): the data is part of the program, so that is our bug and stops it at start.
 */
export function loadFramework(data: FrameworkData): Framework {
  const keys = new Set<string>()
  const controls = data.controls.map((row): Control => {
    if (keys.has(row.key)) throw new Error(`${data.id}: ${row.key} is listed twice`)
    keys.add(row.key)
    if (row.notShown.trim() === '') throw new Error(`${data.id}: ${row.key} does not say what is not shown`)
    if (!CLASSES.includes(row.evidenceClass)) throw new Error(`${data.id}: ${row.key} has no evidence class`)
    const supports = row.supports.map((check) => {
      const entry = entries.get(check)
      if (entry === undefined) throw new Error(`${data.id}: ${row.key} names ${check}, which is not in the vocabulary`)
      return { check, shows: `${entry.observes}.` }
    })
    const refs = Object.fromEntries(
      Object.entries(row.refs).filter((pair): pair is [string, readonly string[]] => pair[1] !== undefined),
    )
    return {
      key: row.key,
      id: row.id,
      title: row.title,
      summary: row.summary,
      kind: row.kind,
      level: row.level,
      group: row.group,
      parent: row.parent,
      evidenceClass: row.evidenceClass as EvidenceClass,
      nodeEvidence: row.nodeEvidence as Control['nodeEvidence'],
      supports,
      notShown: row.notShown,
      needsAlso: row.needsAlso,
      responsibility: row.responsibility,
      refs,
    }
  })
  const { title, version, status, overlay, source, notes } = data
  return { id: data.id as FrameworkId, title, version, status, overlay, source, notes, controls }
}

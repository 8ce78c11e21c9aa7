import type { CheckSeverity } from '../core/catalog.ts'
import type { OffNodeCheck } from '../core/conclusion/requests.ts'
import type { CheckData, VocabularyEntry } from './subject.ts'
import { SUBJECTS } from './subjects.ts'

/** What is stated of every check, in the order of the subjects and, within one, of its `checks.json`. */
export const CHECK_DATA: readonly CheckData[] = SUBJECTS.flatMap(({ data }) => data?.checks ?? [])

/** What every check observes and the most that it can show. Every mapping is of one of these. */
export const VOCABULARY: readonly VocabularyEntry[] = CHECK_DATA.map(({ check, observes, ceiling, evidenceKind }) => ({
  id: check,
  observes,
  ceiling,
  evidenceKind,
}))

const entries: ReadonlyMap<string, VocabularyEntry> = new Map(VOCABULARY.map((entry) => [entry.id, entry]))

/** What is observed by a check; undefined for one that the catalog does not have. */
export const vocabularyEntry = (id: string): VocabularyEntry | undefined => entries.get(id)

/** How severe a deviation from each check is, and why. */
export const SEVERITIES: readonly CheckSeverity[] = CHECK_DATA.flatMap(({ check, severity }) =>
  severity === undefined ? [] : [{ check, ...severity } as CheckSeverity],
)

/** Checks that frameworks map and that are not built, because no capture of a node would decide them. */
export const OFF_NODE_CHECKS: readonly OffNodeCheck[] = CHECK_DATA.flatMap(({ check, offNode }) =>
  offNode === undefined ? [] : [{ id: check, ...offNode } as OffNodeCheck],
)

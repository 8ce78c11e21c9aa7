import type { Catalog, NotFromNodes } from '../core/catalog.ts'
import { PROFILE_NAMES, type ProfileName, type SourcedValue, type Threshold } from '../core/profile.ts'
import { vocabularyEntry } from './frameworks/load.ts'

/** One mapped idea of a check as `catalog checks` lists it: built, or why nodes cannot bear it. */
export type CheckListing = BuiltListing | NotBuiltListing

interface Listed {
  readonly id: string
  /** From the vocabulary; null for a check that no framework could name. */
  readonly observes: string | null
  readonly ceiling: string | null
  readonly evidenceKind: string | null
  /** Keys of the rows it is mapped to, in every framework; a key begins with its framework. */
  readonly feeds: readonly string[]
}
export interface BuiltListing extends Listed {
  readonly built: true
  readonly property: string
  readonly claim: string
  /** What "met" does not show. */
  readonly limits: string
  readonly ends: 'decided' | 'recorded' | 'supported-or-recorded'
  /** Probe ids. */
  readonly needs: readonly string[]
  readonly wants: readonly string[]
  readonly thresholds: readonly string[]
}
export interface NotBuiltListing extends Listed {
  readonly built: false
  readonly from: NotFromNodes['from']
  readonly why: string
  readonly bring: string | null
}

/** Every check, then every mapped one that nodes cannot bear. */
export const checkListing = (catalog: Catalog): readonly CheckListing[] => [
  ...catalog.checks.map(
    ({ id, property, claim, limits, ends, needs, wants, thresholds }): BuiltListing => ({
      ...listed(catalog, id),
      built: true,
      property,
      claim,
      limits,
      ends: ends ?? 'decided',
      needs: Object.values(needs).map((probe) => probe.id),
      wants: Object.values(wants ?? {}).map((probe) => probe.id),
      thresholds: thresholds ?? [],
    }),
  ),
  ...catalog.notFromNodes.map(
    ({ id, from, why, bring }): NotBuiltListing => ({
      ...listed(catalog, id),
      built: false,
      from,
      why,
      bring,
    }),
  ),
]

function listed(catalog: Catalog, id: string): Listed {
  const entry = vocabularyEntry(id)
  const feeds = catalog.frameworks.flatMap(({ controls }) =>
    controls.filter(({ supports }) => supports.some(({ check }) => check === id)).map(({ key }) => key),
  )
  const { observes = null, ceiling = null, evidenceKind = null } = entry ?? {}
  return { id, observes, ceiling, evidenceKind, feeds }
}

/** One threshold with what each profile says; a profile that sets none has the baseline's value, which is told. */
export interface ThresholdListing extends Omit<Threshold, 'values'> {
  readonly values: Readonly<Record<ProfileName, SourcedValue & { readonly ofBaseline: boolean }>>
  /** Ids of the checks that compare against it. */
  readonly checks: readonly string[]
}

export const thresholdListing = ({ thresholds, checks }: Catalog): readonly ThresholdListing[] =>
  thresholds.map(({ values, ...threshold }) => ({
    ...threshold,
    values: Object.fromEntries(
      PROFILE_NAMES.map((name) => [name, { ...(values[name] ?? values.baseline), ofBaseline: values[name] === null }]),
    ) as ThresholdListing['values'],
    checks: checks.filter((check) => check.thresholds?.includes(threshold.id) === true).map(({ id }) => id),
  }))

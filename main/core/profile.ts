import type { ChosenProfile } from '../../schemas/types.ts'

export type ProfileName = ChosenProfile['name']

/** A number that a check compares against, and what each profile says it should be. Data: `main/catalog/thresholds.json`. */
export interface Threshold {
  readonly id: string
  readonly title: string
  readonly unit: string
  /** Which way is stricter. */
  readonly stricter: 'lower' | 'higher'
  /** Null where a profile sets none: the baseline's holds there, too. */
  readonly values: { readonly baseline: SourcedValue } & Readonly<
    Record<Exclude<ProfileName, 'baseline'>, SourcedValue | null>
  >
}

export interface SourcedValue {
  readonly value: number
  readonly source: string
}

/** A threshold as it holds for one assessment. */
export interface Limit {
  readonly threshold: Threshold
  readonly value: number
  /** Where the value comes from, in words; of a changed one, the reason that was given. */
  readonly source: string
  /** The profile's own value, and which way the fleet's declaration moved it. */
  readonly before: number
  readonly moved: 'not' | 'stricter' | 'looser'
}

export type Limits = ReadonlyMap<string, Limit>

/**
 * What every threshold is under a chosen profile: its value, else the baseline's, moved by the fleet's own changes. Of two changes to one
 * threshold the last holds; a change to a threshold that the catalog does not have changes nothing (a fleet file that names one is refused).
 */
export function limitsOf(thresholds: readonly Threshold[], chosen: ChosenProfile | undefined): Limits {
  const changes = new Map((chosen?.changes ?? []).map((change) => [change.threshold as string, change]))
  return new Map(
    thresholds.map((threshold): [string, Limit] => {
      const { value, source } = threshold.values[chosen?.name ?? 'baseline'] ?? threshold.values.baseline
      const change = changes.get(threshold.id)
      if (change === undefined || change.value === value)
        return [threshold.id, { threshold, value, source, before: value, moved: 'not' }]
      const isHigher = change.value > value
      const moved = isHigher === (threshold.stricter === 'higher') ? 'stricter' : 'looser'
      return [threshold.id, { threshold, value: change.value, source: change.reason, before: value, moved }]
    }),
  )
}

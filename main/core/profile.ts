import type { ChosenProfile } from '../../schemas/types.ts'

export type ProfileName = ChosenProfile['name']
export const PROFILE_NAMES = ['baseline', 'cis', 'stig'] as const satisfies readonly ProfileName[]

/** A number that a check compares against, and what each profile requires. Data: `main/catalog/thresholds.json`. */
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
  /** Meaning of a number that is not one to read, such as “no limit”. */
  readonly words?: string
}

/** A threshold as it holds for one assessment. */
export interface ThresholdValue {
  readonly threshold: Threshold
  readonly value: number
  /** Where the value comes from, in words; of a changed one, the reason that was given. */
  readonly source: string
  /** The profile's own value, and which way the fleet's declaration moved it. */
  readonly before: number
  readonly moved: 'not' | 'stricter' | 'looser'
  /** Value and unit for people, and the same of the profile's own value. */
  readonly shown: string
  readonly shownBefore: string
}

export type ThresholdValues = ReadonlyMap<string, ThresholdValue>

/**
 * What every threshold is under a chosen profile: its value, else the baseline's, moved by the fleet's own changes. Of two changes to one
 * threshold the last holds; a change to a threshold that the catalog does not have changes nothing (a fleet file that names one is refused).
 */
export function thresholdValues(thresholds: readonly Threshold[], chosen: ChosenProfile | undefined): ThresholdValues {
  const changes = new Map((chosen?.changes ?? []).map((change) => [change.threshold as string, change]))
  return new Map(
    thresholds.map((threshold): [string, ThresholdValue] => {
      const own = threshold.values[chosen?.name ?? 'baseline'] ?? threshold.values.baseline
      const { value: before, source } = own
      const shownBefore = own.words ?? withUnit(before, threshold)
      const change = changes.get(threshold.id)
      if (change === undefined || change.value === before)
        return [
          threshold.id,
          { threshold, value: before, source, before, moved: 'not', shown: shownBefore, shownBefore },
        ]
      const { value, reason } = change
      const moved = value > before === (threshold.stricter === 'higher') ? 'stricter' : 'looser'
      const shown = withUnit(value, threshold)
      return [threshold.id, { threshold, value, source: reason, before, moved, shown, shownBefore }]
    }),
  )
}

const withUnit = (value: number, { unit }: Threshold): string => `${value} ${unit}`

/** Whether a value has the form of a chosen profile. A change to a threshold that a catalog does not have moves nothing, so ids are free. */
export function isChosenProfile(value: unknown): value is ChosenProfile {
  const { name, changes } = (value ?? {}) as Record<string, unknown>
  if (!(PROFILE_NAMES as readonly unknown[]).includes(name) || !Array.isArray(changes)) return false
  return changes.every((one: unknown) => {
    const { threshold, value: number, reason } = (one ?? {}) as Record<string, unknown>
    return typeof threshold === 'string' && Number.isFinite(number) && typeof reason === 'string'
  })
}

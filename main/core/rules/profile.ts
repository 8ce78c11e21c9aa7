import type { ChosenProfile } from '../../../schemas/types.ts'

export type ProfileName = ChosenProfile['name']
export const PROFILE_NAMES = ['baseline', 'cis', 'stig'] as const satisfies readonly ProfileName[]

/** A value that a check compares with, and what each profile requires. Data: `main/catalog/base/thresholds.json`. */
export interface Threshold {
  readonly id: string
  readonly title: string
  readonly unit: string
  /** The direction that is stricter. */
  readonly stricter: 'lower' | 'higher'
  /** Null where a profile sets none; the baseline value then applies to it. */
  readonly values: { readonly baseline: SourcedValue } & Readonly<
    Record<Exclude<ProfileName, 'baseline'>, SourcedValue | null>
  >
}

export interface SourcedValue {
  readonly value: number
  readonly source: string
  /** The meaning of a value that is not to be read as a number, such as “no limit”. */
  readonly words?: string
}

/** A threshold as applied in one assessment. */
export interface ThresholdValue {
  readonly threshold: Threshold
  readonly value: number
  /** The source of the value, in words; for a changed value, the stated reason. */
  readonly source: string
  /** The profile’s own value, and the direction in which the fleet’s declaration moved it. */
  readonly before: number
  readonly moved: 'not' | 'stricter' | 'looser'
  /** The value with its unit as displayed, and the same for the profile’s own value. */
  readonly shown: string
  readonly shownBefore: string
}

export type ThresholdValues = ReadonlyMap<string, ThresholdValue>

/**
 * All threshold values under a chosen profile: those of the profile, otherwise of the baseline, with the fleet’s own
 * changes applied. The last of two changes to one threshold applies. A change to an unknown threshold has no effect
 * (a fleet file that contains one is refused).
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

/** The thresholds that the fleet’s own changes relaxed. */
export const relaxedThresholds = (
  thresholds: readonly Threshold[],
  chosen: ChosenProfile | undefined,
): readonly ThresholdValue[] =>
  [...thresholdValues(thresholds, chosen).values()].filter(({ moved }) => moved === 'looser')

const withUnit = (value: number, { unit }: Threshold): string => `${value} ${unit}`

/**
 * Whether a value has the form of a chosen profile. Ids are not checked, since a change to an unknown threshold has
 * no effect.
 */
export function isChosenProfile(value: unknown): value is ChosenProfile {
  const { name, changes } = (value ?? {}) as Record<string, unknown>
  if (!(PROFILE_NAMES as readonly unknown[]).includes(name) || !Array.isArray(changes)) return false
  return changes.every((one: unknown) => {
    const { threshold, value: number, reason } = (one ?? {}) as Record<string, unknown>
    return typeof threshold === 'string' && Number.isFinite(number) && typeof reason === 'string'
  })
}

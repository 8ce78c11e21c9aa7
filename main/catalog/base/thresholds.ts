import type { Context } from '../../core/rules/check.ts'
import type { Threshold, ThresholdValue } from '../../core/rules/profile.ts'
import data from './thresholds.json' with { type: 'json' }

export type ThresholdId = keyof typeof data

/** Every number that checks compare against, by profile and with its source. */
export const THRESHOLDS: readonly Threshold[] = Object.entries(data).map(
  ([id, { title, unit, stricter, values }]): Threshold => ({
    id,
    title,
    unit,
    stricter: stricter as Threshold['stricter'],
    values,
  }),
)

/** The limit that holds in this assessment. Throws where the catalog lacks it: our bug. */
export function limitOf({ thresholds }: Pick<Context, 'thresholds'>, id: ThresholdId): ThresholdValue {
  const limit = thresholds.get(id)
  if (limit === undefined) throw new Error(`no threshold ${id}`)
  return limit
}

/** A limit inside a sentence, as in "Most failures allowed: 5 failures", with the profile’s value where the fleet changed it. */
export const limitText = ({ shown, shownBefore, moved }: ThresholdValue): string =>
  moved === 'not' ? shown : `${shown}, ${moved} than the profile’s ${shownBefore}`

import type { Location, LocationResult } from '../../../schemas/types.ts'

/** Worst first, so that contradicting results are not overlooked. */
export const LOCATION_VERDICTS = [
  'contradicted',
  'conflicting',
  'undetermined',
  'uncorroborated',
  'corroborated',
  'bounded',
] as const satisfies readonly LocationResult['result'][]

/** The worst result of a node; undetermined where no location was declared. */
export const worstVerdict = (answers: Location['results']): LocationResult['result'] =>
  LOCATION_VERDICTS.find((verdict) => answers.some((answer) => answer.result === verdict)) ?? 'undetermined'

/** The result for the declared place; null where none was declared. */
export const placeAnswer = (location: Location | null | undefined): LocationResult | null =>
  location?.results.find((answer) => answer.of === 'declared-place') ?? null

/** Results for residency rules, in the order of the fleet file. */
export const policyAnswers = (location: Location | null | undefined): readonly LocationResult[] =>
  location?.results.filter((answer) => answer.of === 'residency') ?? []

/** The narrowest distance bound with its vantage point. Null where no round trip is usable. */
export const nearestDisc = (location: Location | null | undefined): Location['distanceBounds'][number] | null =>
  [...(location?.distanceBounds ?? [])]
    .filter(({ maxDistanceKm }) => maxDistanceKm !== null)
    .sort((a, b) => (a.maxDistanceKm ?? 0) - (b.maxDistanceKm ?? 0))[0] ?? null

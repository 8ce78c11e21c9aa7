import type { Location, LocationAnswer } from '../../../schemas/types.ts'

/** Worst first, so that contradicting results are not overlooked. */
export const LOCATION_VERDICTS = [
  'contradicted',
  'conflicting',
  'unverified',
  'asserted-only',
  'consistent',
  'bounded-inside',
] as const satisfies readonly LocationAnswer['verdict'][]

/** The worst result of a node; undetermined where no location was declared. */
export const worstVerdict = (answers: Location['answers']): LocationAnswer['verdict'] =>
  LOCATION_VERDICTS.find((verdict) => answers.some((answer) => answer.verdict === verdict)) ?? 'unverified'

/** The result for the declared location; null where none was declared. */
export const placeAnswer = (location: Location | null | undefined): LocationAnswer | null =>
  location?.answers.find((answer) => answer.of === 'declared-place') ?? null

/** Results for residency rules, in the order of the fleet file. */
export const policyAnswers = (location: Location | null | undefined): readonly LocationAnswer[] =>
  location?.answers.filter((answer) => answer.of === 'residency') ?? []

/** The narrowest distance bound with its vantage point. Null where no round trip is usable. */
export const nearestDisc = (location: Location | null | undefined): Location['discs'][number] | null =>
  [...(location?.discs ?? [])]
    .filter(({ reachKm }) => reachKm !== null)
    .sort((a, b) => (a.reachKm ?? 0) - (b.reachKm ?? 0))[0] ?? null

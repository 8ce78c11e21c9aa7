import type { Location, LocationAnswer } from '../../../schemas/types.ts'

/** Worst first: what speaks against a place must not be the part that is skipped. */
export const LOCATION_VERDICTS = [
  'contradicted',
  'conflicting',
  'unverified',
  'asserted-only',
  'consistent',
  'bounded-inside',
] as const satisfies readonly LocationAnswer['verdict'][]

/** The worst of a node's answers; nothing is determined where nothing was asked. */
export const worstVerdict = (answers: Location['answers']): LocationAnswer['verdict'] =>
  LOCATION_VERDICTS.find((verdict) => answers.some((answer) => answer.verdict === verdict)) ?? 'unverified'

/** What stands for the declared place; null where none was declared. */
export const placeAnswer = (location: Location | null | undefined): LocationAnswer | null =>
  location?.answers.find((answer) => answer.of === 'declared-place') ?? null

/** The answers to residency policies, in the order of the fleet file. */
export const policyAnswers = (location: Location | null | undefined): readonly LocationAnswer[] =>
  location?.answers.filter((answer) => answer.of === 'residency') ?? []

/** The narrowest bound: how far from which vantage, by which time. Null where no time is usable. */
export const nearestDisc = (location: Location | null | undefined): Location['discs'][number] | null =>
  [...(location?.discs ?? [])]
    .filter(({ reachKm }) => reachKm !== null)
    .sort((a, b) => (a.reachKm ?? 0) - (b.reachKm ?? 0))[0] ?? null

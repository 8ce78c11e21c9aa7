import type { Severity } from '../../../schemas/conclusion-words.ts'
import type { Sample, SampledResult } from '../../../schemas/ipc-packs.ts'
import { type SamplePopulation, STRATA, type Stratum } from '../../../schemas/review-words.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { sha256 } from '../base/digest.ts'
import { compare } from '../recording/recording.ts'

/** One check result, with the values that determine its stratum and population. */
export interface SampledFinding {
  readonly node: string
  readonly check: string
  readonly verdict: Verdict
  /** The check decides a control of a framework in effect. */
  readonly decides: boolean
  /** Severity of the finding, for a result that is not satisfied; otherwise null. */
  readonly severity: Severity | null
}

/** A selected row and its position in the population, from 1. */
interface DrawnPlace<T> {
  readonly place: number
  readonly row: T
}

/**
 * Selects rows from a population by a seed, so that anyone who has the rows can repeat the selection.
 *
 * Each row gets the SHA-256, in lower-case hexadecimal, of the seed, a line feed and the row’s key, in UTF-8 and
 * without a final line end. The rows with the smallest digests are selected, smallest first; of equal ones, the
 * first. Only the key is used, so that no other content of a row can influence the selection. By hand:
 *
 *     printf '%s\n%s' "$seed" "$key" | sha256sum
 *
 * for every row, then `sort | head -n "$size"`. A size beyond the population selects all of it.
 */
export const drawRows = <T>(
  population: readonly T[],
  { keyOf, size, seed }: { readonly keyOf: (row: T) => string; readonly size: number; readonly seed: string },
): readonly DrawnPlace<T>[] =>
  population
    .map((row, index) => ({ digest: sha256(`${seed}\n${keyOf(row)}`), drawn: { place: index + 1, row } }))
    .sort((a, b) => compare(a.digest, b.digest))
    .slice(0, size)
    .map(({ drawn }) => drawn)

export interface SampleTerms {
  readonly size: number
  readonly seed: string
  readonly from: SamplePopulation
  readonly stratified: boolean
}

const TESTED: readonly Verdict[] = ['satisfied', 'not-satisfied', 'inconclusive']

const BELONGS: Readonly<Record<SamplePopulation, (result: SampledFinding) => boolean>> = {
  deciding: ({ decides, verdict }) => decides && TESTED.includes(verdict),
  tested: ({ verdict }) => TESTED.includes(verdict),
  all: () => true,
}

/** The results of a population. */
export const populationOfSample = (results: readonly SampledFinding[], from: SamplePopulation) =>
  results.filter(BELONGS[from])

/** The stratum of a result. It follows from the verdict and, for a deviation, from the severity of its finding. */
export function stratumOf({ verdict, severity }: Pick<SampledFinding, 'verdict' | 'severity'>): Stratum {
  if (verdict === 'not-satisfied') return severity === 'critical' || severity === 'high' ? 'severe' : 'not-satisfied'
  return verdict === 'inconclusive' || verdict === 'satisfied' ? verdict : 'other'
}

/**
 * Selects results from a population by a seed; see drawRows(). The population is sorted by node, then by check, both
 * by code unit. The key is the node, a line feed and the check. By hand:
 *
 *     printf '%s\n%s\n%s' "$seed" "$node" "$check" | sha256sum
 *
 * Without strata, the smallest digests of the whole population are selected. With strata, each stratum is ordered by
 * digest, and one result is taken from each in turn, in the order of STRATA, until the size is reached; a stratum
 * without further results is skipped.
 */
export function drawSample(results: readonly SampledFinding[], { size, seed, from, stratified }: SampleTerms): Sample {
  const population = populationOfSample(results, from).sort(
    (a, b) => compare(a.node, b.node) || compare(a.check, b.check),
  )
  const keyOf = ({ node, check }: SampledFinding): string => `${node}\n${check}`
  const ordered = drawRows(population, { keyOf, size: population.length, seed }).map(
    ({ place, row: { node, check, verdict, severity } }): SampledResult => ({
      place,
      node,
      check,
      verdict,
      stratum: stratumOf({ verdict, severity }),
      severity,
    }),
  )
  const strata = STRATA.map((stratum) => ({ stratum, rows: ordered.filter((one) => one.stratum === stratum) })).filter(
    ({ rows }) => rows.length > 0,
  )
  const sampled = (stratified ? inTurns(strata.map(({ rows }) => rows)) : ordered).slice(0, size)
  return {
    seed,
    from,
    stratified,
    population: population.length,
    strata: strata.map(({ stratum, rows }) => ({
      stratum,
      population: rows.length,
      sampled: sampled.filter((one) => one.stratum === stratum).length,
    })),
    sampled,
  }
}

/** Interleaves lists, one row of each in turn, until all are used. */
function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat()
}

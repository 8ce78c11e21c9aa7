import type { Sample } from '../../schemas/ipc-packs.ts'
import type { Verdict } from '../../schemas/words.ts'
import { sha256 } from './digest.ts'
import { compare } from './recording.ts'

export interface SampledFinding {
  readonly node: string
  readonly check: string
  readonly verdict: Verdict
}

/** A row that was drawn, and its place in the population, counted from 1. */
export interface DrawnPlace<T> {
  readonly place: number
  readonly row: T
}

/**
 * Rows drawn from a population by a seed, so that anybody who has the rows draws the same again.
 *
 * Each row gets the SHA-256, in lower-case hexadecimal, of the seed, a line feed and the row's key, in UTF-8 and without a line end after
 * it. The rows with the smallest digests are drawn, smallest first; of equal ones, the one that stands first. Nothing but the key takes
 * part, so nobody can steer the draw by what else a row says. By hand:
 *
 *     printf '%s\n%s' "$seed" "$key" | sha256sum
 *
 * for every row, then `sort | head -n "$size"`. A size beyond the population draws all of it.
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

/**
 * Findings drawn from a population by a seed: see drawRows(). The population is sorted by node, then by check, both by code unit. The key is
 * the node, a line feed and the check; the verdict takes no part. By hand:
 *
 *     printf '%s\n%s\n%s' "$seed" "$node" "$check" | sha256sum
 */
export function drawSample(findings: readonly SampledFinding[], size: number, seed: string): Sample {
  const population = [...findings].sort((a, b) => compare(a.node, b.node) || compare(a.check, b.check))
  const keyOf = ({ node, check }: SampledFinding): string => `${node}\n${check}`
  const sampled = drawRows(population, { keyOf, size, seed }).map(({ place, row: { node, check, verdict } }) => ({
    place,
    node,
    check,
    verdict,
  }))
  return { seed, population: population.length, sampled }
}

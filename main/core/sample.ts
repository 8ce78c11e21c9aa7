import type { Sample } from '../../schemas/ipc-packs.ts'
import type { Verdict } from '../../schemas/words.ts'
import { sha256 } from './digest.ts'
import { compare } from './recording.ts'

export interface SampledFinding {
  readonly node: string
  readonly check: string
  readonly verdict: Verdict
}

/**
 * Findings drawn from a population by a seed, so that anybody who has the findings draws the same again.
 *
 * The population is sorted by node, then by check, both by code unit; `place` counts in that list from 1. Each finding gets the SHA-256, in
 * lower-case hexadecimal, of the seed, a line feed, the node, a line feed and the check, in UTF-8 and without a line end after it. The
 * findings with the smallest digests are drawn, smallest first. The verdict takes no part, so nobody can steer the draw by it. By hand:
 *
 *     printf '%s\n%s\n%s' "$seed" "$node" "$check" | sha256sum
 *
 * for every line of the population, then `sort | head -n "$size"`. A size beyond the population draws all of it.
 */
export function drawSample(findings: readonly SampledFinding[], size: number, seed: string): Sample {
  const population = [...findings].sort((a, b) => compare(a.node, b.node) || compare(a.check, b.check))
  const drawn = population
    .map(({ node, check, verdict }, index) => ({
      digest: sha256(`${seed}\n${node}\n${check}`),
      line: { place: index + 1, node, check, verdict },
    }))
    .sort((a, b) => compare(a.digest, b.digest))
    .slice(0, size)
    .map(({ line }) => line)
  return { seed, population: population.length, drawn }
}

import type { PartMove } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'

/**
 * The moves of parts in a period, each once and in the order of the runs: a part that left a node and came to another is told by both of
 * their comparisons.
 */
export function movesIn(moves: readonly PartMove[]): readonly PartMove[] {
  const known = new Map<string, PartMove>()
  for (const move of moves) {
    const key = canonicalJson(move)
    if (!known.has(key)) known.set(key, move)
  }
  return [...known.values()]
}

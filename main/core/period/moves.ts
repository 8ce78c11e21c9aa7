import type { PartMove } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'

/**
 * The moves of parts in a period, each once and in the order of the runs: a part that left a node and came to another is told by both of
 * their comparisons, and by a later one where its node was not read meanwhile. One that left a node in one run and is first seen in another
 * node in a later one moved from the one to the other; one that comes back to its own node was away.
 */
export function movesIn(moves: readonly PartMove[]): readonly PartMove[] {
  const told = new Map<string, PartMove>()
  /** Part and node: out of which it was told to be, and not to be in again. */
  const out = new Set<string>()
  /** Parts that left and were not seen since: the key of that move. */
  const away = new Map<string, string>()
  for (const move of moves) {
    const { kind, value, from, to } = move
    const [key, part] = [canonicalJson(move), canonicalJson([kind, value])]
    const isTold = told.has(key) || (to === null && out.has(`${part} ${from}`))
    if (isTold) continue
    const left = away.get(part)
    const went = left === undefined ? undefined : told.get(left)
    if (left !== undefined && went !== undefined && from === null && went.from !== to)
      told.set(left, { ...move, from: went.from, before: went.before })
    else told.set(key, move)
    away.delete(part)
    if (to === null) away.set(part, key)
    out.add(`${part} ${from}`)
    out.delete(`${part} ${to}`)
  }
  return [...told.values()]
}

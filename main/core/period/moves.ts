import type { HardwareChange } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'

/**
 * Hardware changes in a period, each once and in run order: a component that left one node and appeared in another is reported by both of
 * their comparisons, and by a later one where its node was not collected in between. One that left a node in one run and first appears in another
 * node in a later run moved between them; one that returns to its own node was absent.
 */
export function movesIn(moves: readonly HardwareChange[]): readonly HardwareChange[] {
  const told = new Map<string, HardwareChange>()
  /** Component and node: reported as removed and not reported as back. */
  const out = new Set<string>()
  /** Components removed and not seen since: the key of that move. */
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

import type { FontName } from './fonts.ts'
import written from './kerning.json' with { type: 'json' }

/** Of all pairs of the 94 letters of ASCII, those that are not drawn one after the other at their own widths. */
export interface Kerning {
  /** Pairs that are drawn as one glyph, or off the line, one after the other. */
  readonly joined: string
  /** By what is added between two letters, in thousandths of the size: the pairs, one after the other. */
  readonly moves: Readonly<Record<string, string>>
}

const WRITTEN: Readonly<Record<FontName, Kerning>> = written

const read = new Map<FontName, ReadonlyMap<string, number | null>>()

/**
 * What a font adds between two letters of ASCII, in thousandths of the size; null where they are not drawn as two. Laying out each pair took a
 * third of the time of a report, so that all of them are kept: `npx tsx test/support/write-kerning.ts` writes them, and a test compares.
 */
export function kerningOf(name: FontName, pair: string): number | null {
  const known = read.get(name) ?? pairsOf(WRITTEN[name])
  read.set(name, known)
  const move = known.get(pair)
  return move === undefined ? 0 : move
}

function pairsOf({ joined, moves }: Kerning): ReadonlyMap<string, number | null> {
  const pairs = new Map<string, number | null>()
  for (let at = 0; at < joined.length; at += 2) pairs.set(joined.slice(at, at + 2), null)
  for (const [move, moved] of Object.entries(moves))
    for (let at = 0; at < moved.length; at += 2) pairs.set(moved.slice(at, at + 2), Number(move))
  return pairs
}

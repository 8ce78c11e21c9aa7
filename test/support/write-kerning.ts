import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import PDFDocument from 'pdfkit'
import { FONT_NAMES, type FontName, fontFile } from '../../main/adapters/pdf/fonts.ts'
import type { Kerning } from '../../main/adapters/pdf/shaping.ts'

/** Where the kerning of our fonts is kept, as `npx tsx test/support/write-kerning.ts` writes it. */
const KERNING = 'main/adapters/pdf/kerning.json'

/** The parts of pdfkit's fonts that the kerning is read from. */
interface Font {
  readonly layoutRun: (text: string) => {
    readonly glyphs: readonly { readonly id: number }[]
    readonly positions: readonly {
      readonly xAdvance: number
      readonly advanceWidth: number
      readonly xOffset: number
      readonly yOffset: number
    }[]
  }
}

const LETTERS = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at))

/** Kerning of two letters, in thousandths of the size; null where they are not drawn as two glyphs on the line. */
function kerningOf({ layoutRun: layOut }: Font, first: string, second: string): number | null {
  const { glyphs, positions } = layOut(first + second)
  const alone = [first, second].flatMap((letter) => layOut(letter).glyphs)
  const [one, other] = positions
  if (one === undefined || other === undefined || glyphs.length !== 2 || alone.length !== 2) return null
  if (glyphs.some(({ id }, at) => id !== alone[at]?.id) || other.xAdvance !== other.advanceWidth) return null
  return [one, other].some(({ xOffset, yOffset }) => xOffset !== 0 || yOffset !== 0)
    ? null
    : one.xAdvance - one.advanceWidth
}

function kerningIn(name: FontName): Kerning {
  const doc = new PDFDocument({ autoFirstPage: false, font: null as unknown as string })
  doc.registerFont(name, fontFile(name))
  const { _font: font } = doc.font(name) as unknown as { readonly _font: Font }
  const own = { layoutRun: (text: string) => font.layoutRun(text) }
  const moves = new Map<number, string>()
  let joined = ''
  for (const first of LETTERS)
    for (const second of LETTERS) {
      const move = kerningOf(own, first, second)
      if (move === null) joined += first + second
      else if (move !== 0) moves.set(move, `${moves.get(move) ?? ''}${first}${second}`)
    }
  return { joined, moves: Object.fromEntries([...moves].sort(([a], [b]) => a - b)) }
}

/** The text of the file, and the text that the fonts give. */
export const keptKerning = (): string => readFileSync(resolve(KERNING), 'utf8')
export const writtenKerning = (): string =>
  `${JSON.stringify(Object.fromEntries(FONT_NAMES.map((name) => [name, kerningIn(name)])), null, 2)}\n`

if (process.argv[1]?.endsWith('write-kerning.ts') === true) writeFileSync(resolve(KERNING), writtenKerning())

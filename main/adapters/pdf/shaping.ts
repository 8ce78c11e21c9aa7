import { type FontName, fontFile, MONO_ADVANCE } from './fonts.ts'
import written from './kerning.json' with { type: 'json' }
import type { Measure } from './wrap.ts'

/** The pairs of the 94 printable ASCII characters that are not drawn one after the other at their own widths. */
export interface Kerning {
  /** Pairs that are drawn as one glyph, or off the line, one after the other. */
  readonly joined: string
  /** The pairs, one after the other, by the space that is added between their letters, in thousandths of the size. */
  readonly moves: Readonly<Record<string, string>>
}

const WRITTEN: Readonly<Record<FontName, Kerning>> = written

const kernings = new Map<FontName, ReadonlyMap<string, number | null>>()

/**
 * The space that a font adds between two ASCII letters, in thousandths of the size; null where they are not drawn as two glyphs. Laying out
 * each pair took a third of the time of a report; therefore all are stored. `npx tsx test/support/write-kerning.ts` writes them, and a test
 * compares them with fontkit.
 */
function kerningOf(name: FontName, pair: string): number | null {
  const known = kernings.get(name) ?? pairsOf(WRITTEN[name])
  kernings.set(name, known)
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

/** The parts of pdfkit that its types omit. pdfkit is pinned, and the tests of the profile fail if they change. */
interface Font {
  readonly id: string
  readonly ascender: number
  readonly ref: () => object
  readonly encode: (text: string) => readonly [glyphs: readonly string[], positions: readonly Position[]]
  /** The font of the file, independent of any document. */
  readonly font: FontFile
  /** A word in glyphs, the same for every document; the result is not changed afterwards. */
  layoutRun: (text: string) => Run
}

interface Run {
  readonly glyphs: readonly { readonly id: number }[]
  readonly positions: readonly Position[]
}

interface FontFile {
  readonly hasGlyphForCodePoint: (codePoint: number) => boolean
  getGlyph: (id: number, characters?: readonly number[]) => object
  _glyphs: Record<number, object>
}

interface Position {
  readonly xAdvance: number
  readonly advanceWidth: number
  readonly xOffset: number
  readonly yOffset: number
}

interface Internals {
  readonly _font: Font
  readonly page: { readonly fonts: Record<string, object> }
  readonly addContent: (operators: string) => void
}

/** A word as drawn: its width in thousandths of the size, and its part of the operand of TJ (ISO 32000-1, 9.4.3). */
interface Shaped {
  readonly width: number
  /** Null where a glyph is off the baseline, such as a combining accent: pdfkit draws such text. */
  readonly operand: string | null
}

/** Cached words per font: names of nodes and reasons recur. Digests are in the fixed-pitch font and need no cache. */
const MOST = 50_000
/** Cached words in glyphs, for later documents. */
const MOST_RUNS = 5000
const ASCII = /^[ -~]*$/
/** Words that can be composed from their letters. A blank is excluded, because pdfkit ends a run at it. */
const LETTERS = /^[!-~]{2,}$/

/**
 * Text in the fonts of one document. Each word is shaped once, for its width and for drawing; pdfkit would shape each
 * line three times and keep every glyph of it. Words of ASCII are composed from their letters and the kerning of each
 * pair: in IBM Plex no default rule looks at more than two letters, which a test checks against fontkit.
 */
export class Shaping {
  /** Whether a character was written as its number, which the foot of the pages then explains. */
  hasCodes = false
  private readonly doc: PDFKit.PDFDocument
  private readonly fonts: Readonly<Record<FontName, Font>>
  private readonly words: Readonly<Record<FontName, Map<string, Shaped>>> = {
    sans: new Map(),
    strong: new Map(),
    mono: new Map(),
  }

  private readonly inks = new Map<string, string>()

  constructor(doc: PDFKit.PDFDocument) {
    this.doc = doc
    this.fonts = { sans: fontIn(doc, 'sans'), strong: fontIn(doc, 'strong'), mono: fontIn(doc, 'mono') }
  }

  /** Which characters a font has glyphs for: PDF/A forbids drawing a missing one (ISO 19005-3, 6.2.11.8). */
  covers(font: FontName): (codePoint: number) => boolean {
    const file = this.fonts[font].font
    return (codePoint) => file.hasGlyphForCodePoint(codePoint)
  }

  /** Widths of words at a size: the same to the last digit as they are drawn. */
  measure(font: FontName, size: number): Measure {
    if (font === 'mono') return (text) => text.length * MONO_ADVANCE * size
    return (text) => (this.shaped(font, text).width * size) / 1000
  }

  /**
   * Writes one line with its top at y, in the given fill color. Blanks between words are drawn as such, for screen
   * readers.
   */
  write(text: string, x: number, y: number, font: FontName, size: number, ink: string): void {
    const operand = this.operand(font, text)
    if (operand === null) {
      this.doc.fillColor(ink).font(font).fontSize(size).text(text, x, y, { lineBreak: false })
      return
    }
    const { page, addContent } = this.doc as unknown as Internals
    const { id, ref, ascender } = this.fonts[font]
    page.fonts[id] ??= ref.call(this.fonts[font])
    const base = y + (ascender * size) / 1000
    // The page's y runs downward, so glyphs are flipped again.
    addContent.call(
      this.doc,
      `${this.ink(ink)}\nBT\n/${id} ${decimal(size)} Tf\n1 0 0 -1 ${decimal(x)} ${decimal(base)} Tm\n[${operand}] TJ\nET`,
    )
  }

  private ink(ink: string): string {
    const known = this.inks.get(ink)
    if (known !== undefined) return known
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(ink.slice(at, at + 2), 16) / 255)
    const operators = `/DeviceRGB cs\n${red} ${green} ${blue} scn`
    this.inks.set(ink, operators)
    return operators
  }

  private operand(font: FontName, text: string): string | null {
    if (font === 'mono') return ASCII.test(text) ? `<${[...text].map((char) => this.pitched(char)).join('')}>` : null
    const parts = text.split(/( )/).filter((part) => part !== '')
    const operands = parts.map((part) => this.shaped(font, part).operand)
    return operands.includes(null) ? null : operands.join(' ')
  }

  private pitched(char: string): string {
    const { mono } = this.words
    const known = mono.get(char)?.operand
    if (known !== undefined && known !== null) return known
    const [glyphs] = this.fonts.mono.encode(char)
    const operand = glyphs.join('')
    mono.set(char, { width: MONO_ADVANCE * 1000, operand })
    return operand
  }

  private shaped(font: FontName, word: string): Shaped {
    const known = this.words[font]
    const found = known.get(word)
    if (found !== undefined) return found
    const made = this.joined(font, word) ?? shape(this.fonts[font], word)
    if (known.size >= MOST) known.clear()
    known.set(word, made)
    return made
  }

  /** A word composed from its letters; null where two of them form a ligature, or the word is not of ASCII letters. */
  private joined(font: FontName, word: string): Shaped | null {
    if (!LETTERS.test(word)) return null
    const glyphs: string[] = []
    const moves: number[] = []
    let width = 0
    for (let at = 0; at < word.length; at += 1) {
      const letter = this.shaped(font, word.charAt(at))
      const kerning = at + 1 < word.length ? kerningOf(font, word.slice(at, at + 2)) : 0
      if (letter.operand === null || kerning === null) return null
      glyphs.push(letter.operand.slice(1, -1))
      moves.push(kerning)
      width += letter.width + kerning
    }
    return { width, operand: operandOf(glyphs, moves) }
  }
}

interface ReadFont {
  readonly font: FontFile
  readonly runs: Map<string, Run>
}

/** Fonts that were read, and the glyphs of words: an export writes several documents with the same words. */
const read = new Map<FontName, ReadFont>()

function fontIn(doc: PDFKit.PDFDocument, name: FontName): Font {
  doc.registerFont(name, (read.get(name)?.font ?? fontFile(name)) as unknown as Buffer)
  const own = (doc.font(name) as unknown as Internals)._font
  const shared: ReadFont = read.get(name) ?? { font: withOwnText(own.font), runs: new Map() }
  read.set(name, shared)
  const layOut = own.layoutRun.bind(own)
  own.layoutRun = (text) => {
    const known = shared.runs.get(text)
    if (known !== undefined) return known
    const run = layOut(text)
    if (shared.runs.size < MOST_RUNS) shared.runs.set(text, run)
    return run
  }
  return own
}

/**
 * The same font, where a glyph keeps the characters of its request. fontkit caches a glyph with the characters of its
 * first use, so the text that a document gives for its ligatures would depend on what the process had written before.
 */
function withOwnText(font: FontFile): FontFile {
  const glyphs = new Map<string, object>()
  const make = font.getGlyph.bind(font)
  font.getGlyph = (id, characters = []) => {
    const key = `${id} ${characters.join(' ')}`
    const known = glyphs.get(key)
    if (known !== undefined) return known
    delete font._glyphs[id]
    const made = make(id, characters)
    if (glyphs.size >= MOST) glyphs.clear()
    glyphs.set(key, made)
    return made
  }
  return font
}

const decimal = (value: number): number => Math.round(value * 1e6) / 1e6

const isOffLine = ({ xOffset, yOffset }: Position): boolean => xOffset !== 0 || yOffset !== 0

function shape(font: Font, word: string): Shaped {
  const [glyphs, positions] = font.encode(word)
  const width = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  if (positions.some(isOffLine)) return { width, operand: null }
  const moves = positions.map(({ xAdvance, advanceWidth }) => xAdvance - advanceWidth)
  return { width, operand: operandOf(glyphs, moves) }
}

/** Glyphs and the offsets of the next ones beyond their widths, as part of the operand of TJ, where positive numbers move to the left. */
function operandOf(glyphs: readonly string[], moves: readonly number[]): string {
  const runs: string[] = []
  let from = 0
  moves.forEach((move, index) => {
    if (move === 0 && index < moves.length - 1) return
    runs.push(`<${glyphs.slice(from, index + 1).join('')}>${move === 0 ? '' : ` ${decimal(-move)}`}`)
    from = index + 1
  })
  return runs.join(' ')
}

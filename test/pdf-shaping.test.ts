import fc from 'fast-check'
import PDFDocument from 'pdfkit'
import { describe, expect, test } from 'vitest'
import type { FontName } from '../main/adapters/pdf/fonts.ts'
import { Shaping } from '../main/adapters/pdf/shaping.ts'
import { buildReport } from '../main/present/report.ts'
import { sampleInput } from './support/report/sample.ts'
import { keptKerning, writtenKerning } from './support/write-kerning.ts'

/** The parts of pdfkit and fontkit that the test compares with. */
interface Internals {
  readonly _font: {
    readonly subset: { readonly glyphs: readonly number[] }
    readonly font: {
      readonly layout: (text: string) => {
        readonly glyphs: readonly { readonly id: number; readonly advanceWidth: number }[]
        readonly positions: readonly { readonly xAdvance: number }[]
      }
    }
  }
  addContent: (operators: string) => void
}

interface Drawn {
  readonly glyphs: readonly number[]
  /** What follows each glyph, in thousandths of the size. */
  readonly moves: readonly number[]
  readonly width: number
}

/** A word as this program draws it, and as fontkit alone would. */
function bothWays(font: FontName): (word: string) => readonly [ours: Drawn, theirs: Drawn] {
  const doc = new PDFDocument({ autoFirstPage: true })
  const shaping = new Shaping(doc)
  const inside = doc as unknown as Internals
  let operators = ''
  inside.addContent = (more) => {
    operators += more
  }
  return (word) => {
    operators = ''
    shaping.write(word, 0, 0, font, 1000, '#000000')
    doc.font(font)
    const [, operand = ''] = /\[(.*)\] TJ/.exec(operators) ?? []
    const parts = operand.match(/<[0-9a-f]+>|-?[\d.]+/g) ?? []
    const glyphs: number[] = []
    const moves: number[] = []
    for (const part of parts) {
      if (part.startsWith('<'))
        for (const code of part.match(/[0-9a-f]{4}/g) ?? []) {
          glyphs.push(inside._font.subset.glyphs[Number.parseInt(code, 16)] ?? -1)
          moves.push(0)
        }
      else moves[moves.length - 1] = -Number(part)
    }
    const laid = inside._font.font.layout(word)
    return [
      { glyphs, moves, width: shaping.measure(font, 1000)(word) },
      {
        glyphs: laid.glyphs.map(({ id }) => id),
        moves: laid.glyphs.map(({ advanceWidth }, at) => (laid.positions[at]?.xAdvance ?? 0) - advanceWidth),
        width: laid.positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0),
      },
    ]
  }
}

const letters = Array.from({ length: 94 }, (_one, at) => String.fromCharCode(0x21 + at))
const words = [...new Set(JSON.stringify(buildReport(sampleInput())).split(/[\s"\\]+/))].filter((word) => word !== '')

describe.each(['sans', 'strong'] as const)('words in %s are drawn as fontkit lays them out', (font) => {
  const draw = bothWays(font)

  test('those of a report', () => {
    expect(words.length).toBeGreaterThan(500)
    for (const word of words) {
      const [ours, theirs] = draw(word)
      expect(ours, word).toEqual(theirs)
    }
  })

  test.each(['AVATAR', 'fi', 'affine', 'office/first', 'Tö', '“Type”', 'To.', 'f', 'LT"', 'fl'])('%s', (word) => {
    const [ours, theirs] = draw(word)
    expect(ours).toEqual(theirs)
  })

  test('any letters of ASCII', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...letters) }), (word) => {
        const [ours, theirs] = draw(word)
        expect(ours, word).toEqual(theirs)
      }),
      { numRuns: 500 },
    )
  })
})

test('the kerning that is kept is that of the fonts', () => {
  expect(keptKerning() === writtenKerning(), 'Run: npx tsx test/support/write-kerning.ts').toBe(true)
})

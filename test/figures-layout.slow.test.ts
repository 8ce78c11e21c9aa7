import fc from 'fast-check'
import PDFDocument from 'pdfkit'
import { beforeAll, describe, expect, test } from 'vitest'
import { fontFile } from '../main/adapters/pdf/fonts.ts'
import { figuresOf } from '../main/catalog/figures/figures.ts'
import { drawn, FIGURE_HEIGHT, FIGURE_WIDTH, fitted, widthOf } from '../main/catalog/figures/marks.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import type { Figure } from '../schemas/figure.ts'
import { areaOf, boxes, type Pictured, pictured, type TextMark, texts } from './support/figures.ts'
import { fixtureNames } from './support/fixtures.ts'
import { sampled, times } from './support/thorough.ts'

const doc = new PDFDocument({ autoFirstPage: false, font: null as unknown as string })
for (const name of ['sans', 'strong', 'mono'] as const) doc.registerFont(name, fontFile(name))
/** What the text takes in the font that the report is set in. */
const measured = ({ text, size, bold, mono }: TextMark): number =>
  doc
    .font(mono ? 'mono' : bold ? 'strong' : 'sans')
    .fontSize(size)
    .widthOfString(text)

let all: readonly Pictured[]
beforeAll(() => {
  all = sampled(fixtureNames(), 25).map(pictured)
})

/** Everything about a picture that must hold whatever the node said. */
function mistakes(figure: Figure): readonly string[] {
  const { width, height, marks } = figure
  const found: string[] = []
  const inside = (x: number, y: number): boolean => x >= 0 && x <= width && y >= 0 && y <= height
  if (width > FIGURE_WIDTH || height > FIGURE_HEIGHT) found.push(`${figure.kind} is ${width} × ${height}`)
  for (const mark of marks) {
    if (mark.is === 'line' && !mark.points.every(([x, y]) => inside(x, y))) found.push(`line ${mark.points.join(' ')}`)
    if (mark.is === 'box' && !(inside(mark.x, mark.y) && inside(mark.x + mark.width, mark.y + mark.height)))
      found.push(`box ${mark.x} ${mark.y}`)
  }
  const areas = texts(figure).map((mark) => ({ mark, area: areaOf(mark, widthOf(mark.text, mark.size, mark.mono)) }))
  for (const [index, { mark, area }] of areas.entries()) {
    if (!inside(area.left, area.top) || !inside(area.right, area.bottom)) found.push(`outside: ${mark.text}`)
    if (measured(mark) > widthOf(mark.text, mark.size, mark.mono) + 1e-6) found.push(`wider than counted: ${mark.text}`)
    if (mark.text !== drawn(mark.text)) found.push(`not drawable: ${mark.text}`)
    for (const box of boxes(figure)) {
      const holds = mark.x >= box.x && mark.x <= box.x + box.width && mark.y >= box.y && mark.y <= box.y + box.height
      if (holds && (area.left < box.x - 1e-6 || area.right > box.x + box.width + 1e-6))
        found.push(`over its box: ${mark.text}`)
    }
    for (const other of areas.slice(index + 1))
      if (
        area.left < other.area.right &&
        other.area.left < area.right &&
        area.top < other.area.bottom &&
        other.area.top < area.bottom
      )
        found.push(`over another: ${mark.text} / ${other.mark.text}`)
  }
  for (const row of figure.table.rows)
    if (row.length !== figure.table.head.length) found.push(`row of ${row.length} cells`)
  return found
}

describe('every picture of every fixture', () => {
  test('keeps every mark inside and every text in its box, apart from others', () => {
    const figures = all.flatMap((one) => one.figures)
    expect(figures.length).toBeGreaterThan(times(20, 80))
    expect(figures.flatMap(mistakes)).toEqual([])
  })

  test('is the same again', () => {
    for (const { loaded, node, figures } of all)
      expect(figuresOf({ ...loaded, captures: [...loaded.captures].reverse() }, node)).toEqual(figures)
  })

  test('holds when captures are missing, cut or full of hostile bytes', () => {
    const hostile = fc.oneof(
      fc.constant(''),
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.constant('\u001b[31m\u202egpu\u0000 “x” (y) → one of 3: sda\n'.repeat(40)),
    )
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.tuple(fc.nat(), hostile), { maxLength: 6 }), (which, changes) => {
        const one = all[which % all.length]
        if (one === undefined) return
        const captures = [...one.loaded.captures]
        for (const [at, text] of changes) {
          const index = at % captures.length
          const capture = captures[index]
          if (capture !== undefined) captures[index] = { ...capture, stdout: new TextEncoder().encode(text) }
        }
        const changed: LoadedRecording = { ...one.loaded, captures }
        expect(figuresOf(changed, one.node).flatMap(mistakes)).toEqual([])
      }),
      { numRuns: times(8, 150) },
    )
  })

  test('holds when names on the node are changed to hostile ones', () => {
    const probes = new Set([
      'storage.mounts',
      'storage.lsblk',
      'storage.block-devices',
      'gpu.topology',
      'gpu.nvidia',
      'infiniband',
    ])
    const name = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.constantFrom('\u202e', 'W'.repeat(300), 'ﬁ日本', '…………', '<b>', '0'.repeat(90)),
    )
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom('vg0', 'nvme', 'data', 'mlx5', 'ext4', 'sda', 'NVIDIA'),
        name,
        (which, old, fresh) => {
          const one = all[which % all.length]
          if (one === undefined) return
          const captures = one.loaded.captures.map((capture) =>
            probes.has(capture.meta.probe)
              ? {
                  ...capture,
                  stdout: new TextEncoder().encode(
                    new TextDecoder().decode(capture.stdout).replaceAll(old, () => fresh),
                  ),
                }
              : capture,
          )
          expect(figuresOf({ ...one.loaded, captures }, one.node).flatMap(mistakes)).toEqual([])
        },
      ),
      { numRuns: times(8, 150) },
    )
  })
})

describe('the widths that pictures are laid out with', () => {
  test('are those of every drawn character or more, in both cuts', () => {
    const codes = [...Array(0x180).keys()].filter(
      (code) => (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code !== 0xad),
    )
    const chars = [...codes.map((code) => String.fromCodePoint(code)), ...'…→·×“”’‘–—−']
    const short = ['sans', 'strong'].flatMap((cut) =>
      chars.filter((char) => doc.font(cut).fontSize(1000).widthOfString(char) > widthOf(char, 1000)),
    )
    expect(chars).toHaveLength(328)
    expect(short).toEqual([])
  })

  test('are never less than the font takes, in any mix of drawn characters', () => {
    const char = fc.oneof(
      fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)),
      fc.integer({ min: 0xa1, max: 0x17f }).map((code) => String.fromCodePoint(code)),
      fc.constantFrom(...'…→·×“”’‘–—−'),
    )
    fc.assert(
      fc.property(fc.array(char, { maxLength: 40 }), fc.boolean(), (chars, bold) => {
        const text = drawn(chars.join(''))
        const mark: TextMark = {
          is: 'text',
          x: 0,
          y: 0,
          text,
          size: 8,
          anchor: 'start',
          bold,
          mono: false,
          tone: 'plain',
        }
        expect(measured(mark)).toBeLessThanOrEqual(widthOf(text, 8) + 1e-6)
      }),
      { numRuns: 2000 },
    )
  })

  test('cut a text that has no room, and mark the cut', () => {
    expect(fitted('/srv/ephi', 100, 8, true)).toBe('/srv/ephi')
    expect(fitted('/srv/ephi/archive', 48, 8, true)).toBe('/srv/ephi…')
    expect(fitted('a\u202eb\u0007日', 200, 8)).toBe('a\\u{202e}b\\u{7}\\u{65e5}')
    expect(fitted('anything', 2, 8)).toBe('')
  })
})

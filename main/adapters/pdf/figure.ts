import {
  type Figure,
  type FigureKey,
  type FigureMark,
  type FigureTone,
  HATCHES,
  TINT,
} from '../../../schemas/figure.ts'
import { cos, hypot, sin } from '../../core/base/elementary.ts'
import { figureAlt } from '../../present/report/parts/figures.ts'
import type { FontName } from './fonts.ts'
import { heightOf, setLine, sized } from './setting.ts'
import type { Element, SetLine, Sheet } from './sheet.ts'
import { FIGURE_INK, INK } from './theme.ts'

/** Largest width of a figure's grid, of which 8 points are 9 on paper; narrower figures keep the same type size. */
const GRID = 440
const KEY = { leading: 4.8, sample: 24, gap: 5, between: 16 } as const
const keyHeight = (sheet: Sheet): number => sheet.type.key + KEY.leading

interface SetFigure {
  readonly scale: number
  readonly title: readonly SetLine[]
  readonly caption: readonly SetLine[]
  readonly keys: readonly PlacedKey[]
  readonly keysHeight: number
  readonly height: number
}

interface PlacedKey {
  readonly key: FigureKey
  readonly x: number
  readonly y: number
}

function set(sheet: Sheet, figure: Figure): SetFigure {
  const { page, type } = sheet
  const slot = { width: page.bodyWidth }
  const title = setLine(sheet, { text: figure.title, style: 'strong' }, slot, sized(type.figure))
  const caption = setLine(sheet, { text: figure.caption, style: 'quiet' }, slot, type.text)
  const keys = placeKeys(sheet, figure.legend)
  const lastKey = keys.at(-1)
  const keysHeight = lastKey === undefined ? 0 : lastKey.y + keyHeight(sheet)
  const rest = heightOf(title) + heightOf(caption) + keysHeight + 18
  // A figure stays on one page, so a tall one is scaled down.
  const scale = Math.min(page.bodyWidth / GRID, (sheet.body() - rest) / figure.height)
  return { scale, title, caption, keys, keysHeight, height: rest + figure.height * scale }
}

function placeKeys(sheet: Sheet, legend: readonly FigureKey[]): readonly PlacedKey[] {
  const measure = sheet.measure('sans', sheet.type.key)
  let x = 0
  let y = 0
  return legend.map((key) => {
    const width = KEY.sample + KEY.gap + measure(key.text)
    if (x > 0 && x + width > sheet.page.bodyWidth) {
      x = 0
      y += keyHeight(sheet)
    }
    const placed = { key, x, y }
    x += width + KEY.between
    return placed
  })
}

/** The height of the figure on its page, with its title, legend and caption. */
export const figureHeight = (sheet: Sheet, figure: Figure): number => set(sheet, figure).height

/** Draws a figure with title, legend and caption, on one page. Its table is the alternative text (PDF/UA-1, 7.3). */
export function drawFigure(sheet: Sheet, parent: Element, figure: Figure): void {
  const { scale, title, caption, keys, keysHeight, height } = set(sheet, figure)
  const { left, right } = sheet.page
  const { key: keySize } = sheet.type
  sheet.need(height)
  sheet.lines(sheet.element(parent, 'P'), 'P', title, left, sheet.y)
  const top = sheet.y + heightOf(title) + 4
  const bottom = top + figure.height * scale + 4 + keysHeight
  const element = sheet.element(parent, 'Figure', {
    alt: figureAlt(figure),
    bbox: [left, top, right, bottom],
  })
  sheet.tagged(element, 'Figure', () => {
    for (const mark of figure.marks) drawMark(sheet, mark, left, top, scale)
    for (const { key, x, y } of keys) {
      const keyTop = top + figure.height * scale + 4 + y
      for (const mark of key.sample) drawMark(sheet, mark, left + x, keyTop, 1)
      write(sheet, key.text, left + x + KEY.sample + KEY.gap, keyTop + 7.5, 'sans', keySize, INK.quiet)
    }
  })
  element.end()
  sheet.lines(sheet.element(parent, 'P'), 'P', caption, left, bottom + 2)
  sheet.y += height
}

const write = (sheet: Sheet, text: string, x: number, y: number, font: FontName, size: number, ink: string): void => {
  const options = { lineBreak: false, baseline: 'alphabetic' } as const
  sheet.doc.font(font).fontSize(size).fillColor(ink).text(sheet.drawable(text, font), x, y, options)
}

/** Draws one mark of a figure with its corner at `left`, `top`. Tones differ in stroke and shape as well as in ink. */
function drawMark(sheet: Sheet, mark: FigureMark, left: number, top: number, scale: number): void {
  const { doc } = sheet
  const ink = FIGURE_INK[mark.tone]
  const at = (x: number, y: number): [number, number] => [left + x * scale, top + y * scale]
  doc.save()
  switch (mark.is) {
    case 'box':
      drawBox(doc, mark, at, scale)
      break
    case 'area':
      drawArea(doc, mark, at, scale)
      break
    case 'line': {
      doc.lineWidth(mark.weight * 0.75 * scale).strokeColor(mark.tone === 'quiet' ? INK.rule : ink)
      if (mark.dashed) doc.dash((mark.weight === 3 ? 5 : 2) * scale, { space: (mark.weight === 3 ? 3 : 2) * scale })
      polyline(doc, mark.points, at)
      doc.stroke()
      break
    }
    case 'text': {
      const font = mark.mono ? 'mono' : mark.bold ? 'strong' : 'sans'
      const size = mark.size * scale
      const width = sheet.measure(font, size)(sheet.drawable(mark.text, font))
      const [x, y] = at(mark.x, mark.y)
      const start = mark.anchor === 'start' ? x : mark.anchor === 'middle' ? x - width / 2 : x - width
      // Letters with an outline in the color of paper would occur twice in the text of the page.
      if (mark.rimmed === true)
        doc
          .rect(start - 1, y - size * 0.78, width + 2, size * 1.02)
          .fillOpacity(0.78)
          .fill(INK.paper)
          .fillOpacity(1)
      write(sheet, mark.text, start, y, font, size, ink)
      break
    }
  }
  doc.restore()
}

/**
 * A filled box for “contradicts” is crossed out, like the mark of a deviation; an unclear one has a broken outline.
 */
function drawBox(
  doc: PDFKit.PDFDocument,
  { x, y, width, height, tone, filled }: Extract<FigureMark, { is: 'box' }>,
  at: (x: number, y: number) => [number, number],
  scale: number,
): void {
  const ink = FIGURE_INK[tone]
  const frame = [...at(x, y), width * scale, height * scale] as const
  if (filled) {
    doc.rect(...frame).fill(ink)
    if (tone !== 'against') return
    doc.lineWidth(1.1 * scale).strokeColor(INK.paper)
    const [inX, inY] = [width * 0.25, height * 0.25]
    doc.moveTo(...at(x + inX, y + inY)).lineTo(...at(x + width - inX, y + height - inY))
    doc.moveTo(...at(x + width - inX, y + inY)).lineTo(...at(x + inX, y + height - inY))
    doc.stroke()
    return
  }
  doc.lineWidth((tone === 'against' ? 1.6 : 0.75) * scale).strokeColor(ink)
  if (tone === 'unclear') doc.dash(1.8 * scale, { space: 1.4 * scale })
  doc.rect(...frame).stroke()
}

type Area = Extract<FigureMark, { is: 'area' }>
type At = (x: number, y: number) => [number, number]

/**
 * Draws an area of a figure: its tint or its hatching, then its outline, of each only the part inside all of `within`.
 */
export function drawArea(doc: PDFKit.PDFDocument, mark: Area, at: At, scale: number): void {
  const { rings, within = [], tone, fill, outline } = mark
  if (rings.length === 0) return
  const ink = FIGURE_INK[tone]
  doc.save()
  for (const outer of within) {
    trace(doc, outer, at)
    doc.clip('even-odd')
  }
  if (fill === 'solid') {
    doc.save()
    trace(doc, rings, at)
    doc.fillOpacity(TINT).fill(ink, 'even-odd')
    doc.restore()
  } else if (fill === 'hatched') {
    doc.save()
    trace(doc, rings, at)
    doc.clip('even-odd')
    hatch(doc, boundsOf(rings), tone, at, scale)
    doc.restore()
  }
  if (outline !== 'none') {
    trace(doc, rings, at)
    doc.lineWidth((tone === 'quiet' ? 0.5 : 0.75) * scale).strokeColor(tone === 'quiet' ? INK.rule : ink)
    if (outline === 'dashed') doc.dash(2 * scale, { space: 2 * scale })
    doc.stroke()
  }
  doc.restore()
}

function trace(doc: PDFKit.PDFDocument, rings: Area['rings'], at: At): void {
  for (const ring of rings) {
    polyline(doc, ring, at)
    doc.closePath()
  }
}

function polyline(doc: PDFKit.PDFDocument, points: Area['rings'][number], at: At): void {
  for (const [index, [x, y]] of points.entries())
    if (index === 0) doc.moveTo(...at(x, y))
    else doc.lineTo(...at(x, y))
}

interface Bounds {
  readonly middle: readonly [x: number, y: number]
  readonly radius: number
}

function boundsOf(rings: Area['rings']): Bounds {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [x, y] of rings.flat()) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return { middle: [(left + right) / 2, (top + bottom) / 2], radius: hypot(right - left, bottom - top) / 2 }
}

/** Parallel lines over a circle around the area, at positions that are the same for every area, as on screen. */
function hatch(
  doc: PDFKit.PDFDocument,
  { middle: [x, y], radius }: Bounds,
  tone: FigureTone,
  at: At,
  scale: number,
): void {
  const { degrees, apart, width } = HATCHES[tone]
  const [along, across] = [cos((degrees * Math.PI) / 180), sin((degrees * Math.PI) / 180)]
  const off = -x * across + y * along
  const ahead = x * along + y * across
  for (let step = Math.ceil((off - radius) / apart); step * apart <= off + radius; step += 1) {
    const by = step * apart
    doc.moveTo(...at((ahead - radius) * along - by * across, (ahead - radius) * across + by * along))
    doc.lineTo(...at((ahead + radius) * along - by * across, (ahead + radius) * across + by * along))
  }
  doc
    .lineWidth(width * scale)
    .strokeColor(FIGURE_INK[tone])
    .stroke()
}

import { type FigureMark, type FigureTone, HATCHES, TINT } from '../../../schemas/figure.ts'
import { cos, hypot, sin } from '../../core/elementary.ts'
import { FIGURE_INK, INK } from './theme.ts'

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
    for (const [index, [x, y]] of ring.entries())
      if (index === 0) doc.moveTo(...at(x, y))
      else doc.lineTo(...at(x, y))
    doc.closePath()
  }
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

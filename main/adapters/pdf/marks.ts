import type { MarkName } from '../../core/report-document.ts'
import { INK, MARK_INK } from './theme.ts'

/**
 * Draws a status mark into the square at x, y. Each shape differs in outline, so that it remains readable in black and
 * white.
 */
export function drawMark(doc: PDFKit.PDFDocument, mark: MarkName, x: number, y: number, size: number): void {
  const ink = MARK_INK[mark]
  const middleX = x + size / 2
  const middleY = y + size / 2
  const radius = size / 2 - size * 0.06
  const pen = Math.max(0.55, size * 0.11)
  const at = (px: number, py: number): [number, number] => [x + px * size, y + py * size]
  doc.save().lineWidth(pen).lineCap('round').lineJoin('round').strokeColor(ink).fillColor(ink)
  switch (mark) {
    case 'ring-tick':
      doc.circle(middleX, middleY, radius).stroke()
      doc
        .moveTo(...at(0.29, 0.52))
        .lineTo(...at(0.45, 0.68))
        .lineTo(...at(0.72, 0.34))
        .stroke()
      break
    case 'square-cross':
      doc.rect(x + size * 0.04, y + size * 0.04, size * 0.92, size * 0.92).fill()
      doc.strokeColor(INK.paper).lineWidth(pen * 1.2)
      doc
        .moveTo(...at(0.29, 0.29))
        .lineTo(...at(0.71, 0.71))
        .moveTo(...at(0.71, 0.29))
        .lineTo(...at(0.29, 0.71))
        .stroke()
      break
    case 'diamond-question':
      doc.dash(size * 0.17, { space: size * 0.1 })
      doc.polygon(at(0.5, -0.04), at(1.04, 0.5), at(0.5, 1.04), at(-0.04, 0.5)).stroke().undash()
      doc.moveTo(...at(0.37, 0.38)).bezierCurveTo(...at(0.38, 0.2), ...at(0.66, 0.22), ...at(0.62, 0.42))
      doc.bezierCurveTo(...at(0.6, 0.5), ...at(0.5, 0.5), ...at(0.5, 0.62)).stroke()
      doc.circle(...at(0.5, 0.77), size * 0.065).fill()
      break
    case 'bar':
      doc.rect(x + size * 0.1, y + size * 0.41, size * 0.8, size * 0.18).fill()
      break
    case 'dotted-ring':
      doc.lineWidth(pen * 1.5).dash(0.01, { space: (2 * Math.PI * radius) / 9 })
      doc.circle(middleX, middleY, radius).stroke().undash()
      break
    case 'dot':
      doc.circle(middleX, middleY, size * 0.24).fill()
      break
    default:
      drawLadder(doc, RUNGS[mark], x, y, size)
  }
  doc.restore()
}

const RUNGS = {
  'severity-critical': 4,
  'severity-high': 3,
  'severity-medium': 2,
  'severity-low': 1,
  'severity-info': 0,
} as const

/**
 * Four rungs that grow to the right, apart from each other; those above the severity are outlines, so that the ladder
 * can be read in grey. Outlines are filled as well: a stroke has at least one pixel, and would be as dark as a rung.
 */
function drawLadder(doc: PDFKit.PDFDocument, filled: number, x: number, y: number, size: number): void {
  const step = size / 4
  const pen = size * 0.045
  const width = step * 0.8
  for (let rung = 0; rung < 4; rung += 1) {
    const height = size * (0.34 + 0.2 * rung)
    const [left, top] = [x + rung * step + step * 0.1, y + size - height]
    doc.rect(left, top, width, height)
    if (rung >= filled) doc.rect(left + pen, top + pen, width - 2 * pen, height - 2 * pen)
    doc.fill('even-odd')
  }
}

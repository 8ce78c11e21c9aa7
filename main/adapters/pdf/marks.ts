import type { MarkName } from '../../core/base/report-document.ts'
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

/** Place of an anchor. `place` is the name that links lead to. */
interface Landing {
  readonly place: string
  /** The words at the anchor, which describe the destination of a link. */
  readonly title: string
  readonly page: number
}

/**
 * Name of a place: its number, so that every locale sorts the names as PDF does (ISO 32000-1, 7.9.6), independent of
 * the name of the anchor.
 */
export const placeName = (kind: 'section' | 'anchor', index: number): string =>
  `${kind}-${String(index).padStart(5, '0')}`

/**
 * The anchors of a report and the links to them. A rehearsal notes both, so that the drawing pass has the page of each
 * anchor in advance. It creates destinations only for anchors that a link leads to, because each stays in memory to the
 * end.
 */
export class Landings {
  private readonly found = new Map<string, Landing>()
  private readonly repeated = new Set<string>()
  private readonly wanted = new Set<string>()

  note(anchor: string, title: string, page: number, place = placeName('anchor', this.found.size)): void {
    if (this.found.has(anchor)) this.repeated.add(anchor)
    else this.found.set(anchor, { place, title, page })
  }

  want(anchor: string): void {
    this.wanted.add(anchor)
  }

  isWanted(anchor: string): boolean {
    return this.wanted.has(anchor)
  }

  /** Throws where a link leads nowhere, or to an anchor with several places: an error of the document. */
  resolve(): void {
    for (const anchor of this.wanted) {
      if (!this.found.has(anchor)) throw new Error(`A link leads to an unknown anchor: ${anchor}`)
      if (this.repeated.has(anchor)) throw new Error(`A link leads to an anchor with more than one place: ${anchor}`)
    }
  }

  /** The place of an anchor that a link leads to; it exists after resolve(). */
  at(anchor: string): Landing {
    const landing = this.found.get(anchor)
    if (landing === undefined) throw new Error(`A link leads to an unknown anchor: ${anchor}`)
    return landing
  }
}

/**
 * Bytes reserved for the signature: its hexadecimal form takes twice as many. Enough for every public time-stamp
 * authority tested.
 */
export const SIGNATURE_BYTES = 16384
/** Placeholder for the real numbers, as wide as the widest of them. */
export const BYTE_RANGE_PLACEHOLDER = '[0 9999999999 9999999999 9999999999]'

/** The parts of pdfkit that its types omit. pdfkit is pinned, and the PDF/A test fails if they change. */
interface Internals {
  readonly ref: (data: object) => { readonly end: () => void }
  readonly page: { readonly annotations: unknown[]; readonly dictionary: unknown }
  readonly _root: { readonly data: Record<string, unknown> }
  _acroform?: { readonly fonts: object; readonly defaultFont: string }
}

/**
 * Reserves space for one certifying signature on the current page: an invisible field (ISO 32000-1, 12.7.4.5 and 12.8)
 * that allows form filling and signing after it (DocMDP, P 2), so that time-stamps can be added. No appearance stream:
 * a zero-size widget needs none, and with one a later time-stamp reads as a change. `initForm` is not used: it sets
 * NeedAppearances, which PDF/A forbids (ISO 19005-3, 6.4.1).
 */
export function addSignaturePlaceholder(doc: PDFKit.PDFDocument, at: string, reason: string): void {
  const inner = doc as unknown as Internals
  const signature = inner.ref({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: 'ETSI.CAdES.detached',
    ByteRange: [0, 9999999999, 9999999999, 9999999999],
    Contents: Buffer.alloc(SIGNATURE_BYTES),
    M: new Date(at),
    Reason: new String(reason),
    Reference: [
      { Type: 'SigRef', TransformMethod: 'DocMDP', TransformParams: { Type: 'TransformParams', P: 2, V: '1.2' } },
    ],
  })
  const widget = inner.ref({
    Type: 'Annot',
    Subtype: 'Widget',
    FT: 'Sig',
    T: new String('seal'),
    TU: new String('Signature of the signer of this report'),
    V: signature,
    F: 132,
    Rect: [0, 0, 0, 0],
    P: inner.page.dictionary,
  })
  inner.page.annotations.push(widget)
  inner._acroform = { fonts: {}, defaultFont: 'none' }
  inner._root.data.AcroForm = inner.ref({ Fields: [widget], SigFlags: 3, DR: { Font: {} } })
  inner._root.data.Perms = { DocMDP: signature }
  signature.end()
  widget.end()
}

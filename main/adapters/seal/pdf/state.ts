import { createHash } from 'node:crypto'
import { firstValue, TAG } from '../../../core/der/read.ts'
import { BYTE_RANGE_PLACEHOLDER, SIGNATURE_BYTES } from '../../pdf/marks.ts'
import { array, dictionary, name, number, type PdfDictionary, type PdfValue, ref } from './values.ts'

/** State of a report after a revision, as the next update needs it (ISO 32000-1, 7.5.6). */
export interface FileState {
  /** Bytes up to the end of this revision. */
  readonly length: number
  /** One more than the highest object number. */
  readonly size: number
  readonly root: number
  readonly info: number
  /** The file identifier, hexadecimal. */
  readonly id: string
  readonly tableAt: number
  readonly catalog: PdfDictionary
  readonly formId: number
  readonly form: PdfDictionary
  readonly pageId: number
  readonly page: PdfDictionary
  readonly store: ValidationStore | null
  readonly stamps: number
}

/** The document security store (ETSI EN 319 142-1, section 5.4.2): object numbers of its content. */
export interface ValidationStore {
  readonly id: number
  readonly certificates: readonly number[]
  readonly crls: readonly number[]
}

interface WidgetParts {
  readonly title: PdfValue
  readonly tooltip: PdfValue
  readonly signature: number
  readonly page: number
}

/** The one form of our signature fields: invisible, merged with its annotation (ISO 32000-1, 12.7.4.5). */
export const signatureWidget = ({ title, tooltip, signature, page }: WidgetParts): PdfDictionary =>
  dictionary({
    Type: name('Annot'),
    Subtype: name('Widget'),
    FT: name('Sig'),
    T: title,
    TU: tooltip,
    V: ref(signature),
    F: number(132),
    Rect: array([number(0), number(0), number(0), number(0)]),
    P: ref(page),
  })

export const RANGE_WIDTH = BYTE_RANGE_PLACEHOLDER.length
/** Width of a signature's hexadecimal string, brackets included. */
export const GAP_WIDTH = SIGNATURE_BYTES * 2 + 2

/** Position of a signature's own hexadecimal string, brackets included, and the end of its revision. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly end: number
}

/** The /ByteRange of everything up to `end` except the gap, padded to the reserved width. */
export const byteRange = ({ from, to, end }: Gap): string => `[0 ${from} ${to} ${end - to}]`.padEnd(RANGE_WIDTH, ' ')

/** The two parts that a signature covers, concatenated. */
export const coveredBytes = (pdf: Uint8Array, { from, to, end }: Gap): Uint8Array =>
  new Uint8Array(Buffer.concat([pdf.subarray(0, from), pdf.subarray(to, end)]))

export const coveredDigest = (pdf: Uint8Array, { from, to, end }: Gap): Uint8Array =>
  new Uint8Array(createHash('sha256').update(pdf.subarray(0, from)).update(pdf.subarray(to, end)).digest())

/**
 * Content of a signature's string: one value in DER, then zeros. Null for anything else, and when it is not in
 * lower-case hexadecimal.
 */
export function contentsOf(hex: string): Uint8Array | null {
  if (!/^[0-9a-f]+$/.test(hex)) return null
  const bytes = new Uint8Array(Buffer.from(hex, 'hex'))
  const value = firstValue(bytes)
  if (value?.tag !== TAG.sequence || value.isOpen) return null
  return bytes.subarray(value.bytes.length).every((byte) => byte === 0) ? value.bytes.slice() : null
}

/** The gap's content: the value in hexadecimal, zeros after it. Null when it does not fit. */
export function hexInGap(value: Uint8Array): string | null {
  if (value.length > SIGNATURE_BYTES) return null
  return `<${Buffer.from(value)
    .toString('hex')
    .padEnd(SIGNATURE_BYTES * 2, '0')}>`
}

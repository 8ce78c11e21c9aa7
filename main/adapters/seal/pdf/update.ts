import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { assembleCms, digestOf, type ParsedSeal, parseSeal } from '../cms.ts'
import { readTokenOverDigest } from '../tsp/token.ts'
import { type CertificateFacts, isNamedBy, readCertificate, sameBytes } from '../x509.ts'
import { diagnoseUpdate } from './diagnose.ts'
import { type FirstRevision, readFirstRevision } from './first.ts'
import { fileEnd, type PdfObject, readObject, tableLine } from './objects.ts'
import {
  byteRange,
  contentsOf,
  type FileState,
  type Gap,
  hexInGap,
  RANGE_WIDTH,
  signatureWidget,
  type ValidationStore,
} from './state.ts'
import {
  array,
  dictionary,
  entriesOf,
  itemsOf,
  name,
  nameOf,
  number,
  type PdfDictionary,
  type PdfValue,
  ref,
  refsOf,
  string,
  withEntries,
  writeValue,
} from './values.ts'

/** The file as text of one character per byte, to be read as PDF syntax. */
export const textIn = (pdf: Uint8Array): string =>
  Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('latin1')

export const unsuitable = (why: string): Outcome<never> => fail('pdf.unsuitable', why)

interface SignedReport {
  readonly first: FirstRevision
  readonly seal: ParsedSeal
}

/** The author's signature of a report, parsed; fails with pdf.unsuitable. */
export function readAuthor(text: string): Outcome<SignedReport> {
  const first = readFirstRevision(text)
  if (typeof first === 'string') return unsuitable(first)
  const contents = contentsOf(text.slice(first.gap.from + 1, first.gap.to - 1))
  if (contents === null) return unsuitable('The report is not signed yet.')
  const seal = parseSeal(contents)
  return typeof seal === 'string' ? unsuitable(seal) : ok({ first, seal })
}

/**
 * SHA-256 of the signature's value: what a signature time-stamp covers (RFC 3161, appendix A; PAdES B-T, ETSI EN 319
 * 142-1, section 6). Fails with pdf.unsuitable.
 */
export function signatureImprint(pdf: Uint8Array): Outcome<Uint8Array> {
  const read = readAuthor(textIn(pdf))
  return read.ok ? ok(digestOf(read.value.seal.signature)) : read
}

/**
 * From B-B to B-T: adds the token to the signature's unsigned attributes, inside the reserved space, so that no offset
 * changes and the signed bytes stay the same. Fails with pdf.unsuitable when the PDF already has later revisions or a
 * token, when the token covers other bytes, or when it does not fit.
 */
export function addSignatureTimestamp(pdf: Uint8Array, token: Uint8Array): Outcome<Uint8Array> {
  const read = readAuthor(textIn(pdf))
  if (!read.ok) return read
  const { first, seal } = read.value
  if (pdf.length !== first.state.length) return unsuitable('The report already has later revisions.')
  if (seal.timestampToken !== null) return unsuitable('The signature already has a time-stamp.')
  if (!isOver(token, digestOf(seal.signature))) return unsuitable('The time-stamp does not cover this signature.')
  const cms = withToken(seal, token)
  if (cms === null) return unsuitable('The signature is not one that Barewitness writes.')
  const contents = hexInGap(cms)
  if (contents === null) return unsuitable('The report reserved too little space for this time-stamp.')
  const stamped = Buffer.from(pdf)
  stamped.write(contents, first.gap.from, 'latin1')
  return ok(new Uint8Array(stamped))
}

/** Whether a token covers bytes of this SHA-256. */
export const isOver = (token: Uint8Array, sha256: Uint8Array): boolean =>
  sameBytes(readTokenOverDigest(token, sha256, [], []).imprint, sha256)

/** The seal with the token, or null when the seal is not the one encoding of its parts. */
function withToken(seal: ParsedSeal, token: Uint8Array): Uint8Array | null {
  const leaf = leafOf(seal)
  if (leaf === null) return null
  const { certificates, messageDigest: contentSha256, signature } = seal
  const parts = { leaf: leaf.der, certificates, contentSha256, keyType: leaf.keyType, signature }
  return sameBytes(assembleCms(parts), seal.der) ? assembleCms({ ...parts, timestampToken: token }) : null
}

/** The certificate that a seal names as its signer's; null where the seal does not contain it. */
export const leafOf = (seal: ParsedSeal): CertificateFacts | null =>
  seal.certificates.map(readCertificate).find((facts) => facts !== null && isNamedBy(facts, seal)) ?? null

/** One revision after the first: its time-stamp and what it adds to the security store. */
export interface Stamped {
  readonly gap: Gap
  /** Null while it is prepared but not yet time-stamped. */
  readonly token: Uint8Array | null
  readonly certificates: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
}

interface Updates {
  readonly stamps: readonly Stamped[]
  /** After the last revision in our form. */
  readonly state: FileState
  readonly problems: readonly string[]
}

const MOST_STAMPS = 32
const MOST_OBJECTS = 10_000

/** Reads every revision after the first up to the file's end. Each is built again from its parts, and must be the same bytes. */
export function readUpdates(pdf: Uint8Array, text: string, first: FirstRevision): Updates {
  const stamps: Stamped[] = []
  let state = first.state
  while (state.length < text.length) {
    const problem = (sentences: readonly string[]): Updates => ({ stamps, state, problems: sentences })
    if (stamps.length === MOST_STAMPS) return problem([`The report has more than ${MOST_STAMPS} time-stamps.`])
    const read = readUpdate(pdf, text, state)
    if (read === null) return problem(diagnoseUpdate(text, state, first))
    stamps.push(read.stamp)
    state = read.next
  }
  return { stamps, state, problems: [] }
}

function readUpdate(
  pdf: Uint8Array,
  text: string,
  state: FileState,
): { readonly stamp: Stamped; readonly next: FileState } | null {
  const objects = objectsAt(text, state.length)
  const store = objects.find((object) => typeOf(object) === 'DSS')
  const contents = entriesOf(objects.find((object) => typeOf(object) === 'DocTimeStamp')?.value).get('Contents')
  if (store === undefined || contents?.kind !== 'hex') return null
  const streams = objects.flatMap(({ stream }) => (stream === null ? [] : [pdf.slice(stream.start, stream.end)]))
  const count = refsOf(entriesOf(store.value).get('Certs')).length - (state.store?.certificates.length ?? 0)
  if (count < 0) return null
  const parts = { certificates: streams.slice(0, count), crls: streams.slice(count) }
  const token = contentsOf(contents.hex)
  const again = buildUpdate(state, { ...parts, token: token ?? new Uint8Array() })
  if (again === null || !text.startsWith(again.text, state.length)) return null
  return { stamp: { ...parts, gap: again.gap, token }, next: again.next }
}

const typeOf = ({ value }: PdfObject): string | null => nameOf(entriesOf(value).get('Type'))

function objectsAt(text: string, start: number): readonly PdfObject[] {
  const objects: PdfObject[] = []
  for (let at = start; objects.length < MOST_OBJECTS; ) {
    const read = readObject(text, at)
    if (read === null) break
    objects.push(read.value)
    at = read.end
  }
  return objects
}

interface UpdateParts {
  /** DER, new in this update. */
  readonly certificates: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
  /** The time-stamp token; empty while it is pending. */
  readonly token: Uint8Array
}

interface Update {
  /** The appended text, one character per byte. */
  readonly text: string
  readonly gap: Gap
  readonly next: FileState
}

/**
 * Declares extensions of PDF 1.7: the security store and the time-stamp (ETSI EN 319 142-1, section 5.6; ISO 32000-1,
 * 7.12).
 */
const EXTENSIONS = dictionary({
  ADBE: dictionary({ BaseVersion: name('1.7'), ExtensionLevel: number(8) }),
  ESIC: dictionary({ BaseVersion: name('1.7'), ExtensionLevel: number(5) }),
})

/**
 * The only form of our updates (ISO 32000-1, 7.5.6; ETSI EN 319 142-1, section 5.4): the material as plain streams, the
 * store that lists it with its earlier content, one document time-stamp with its field, and the catalog, form and page
 * that name them. The same parts give the same bytes; the reader builds each update again and compares. Null when the
 * token does not fit.
 */
export function buildUpdate(state: FileState, { certificates, crls, token }: UpdateParts): Update | null {
  const contents = hexInGap(token)
  if (contents === null) return null
  const store = storeAfter(state, certificates.length, crls.length)
  const stampId = state.size + certificates.length + crls.length + (state.store === null ? 1 : 0)
  const widgetId = stampId + 1
  const stamps = state.stamps + 1
  const catalog = withEntries(state.catalog, { Extensions: EXTENSIONS, DSS: ref(store.id) })
  const form = withEntries(state.form, {
    Fields: array([...itemsOf(state.form.entries.get('Fields')), ref(widgetId)]),
  })
  const page = withEntries(state.page, {
    Annots: array([...itemsOf(state.page.entries.get('Annots')), ref(widgetId)]),
  })
  const widget = signatureWidget({
    title: string(`timestamp-${stamps}`),
    tooltip: string('Time-stamp over this report'),
    signature: stampId,
    page: state.pageId,
  })
  const written: (readonly [id: number, body: string])[] = [
    ...[...certificates, ...crls].map((der, index) => [state.size + index, streamOf(der)] as const),
    [store.id, writeValue(storeValue(store))],
    [stampId, STAMP_HEAD + contents + STAMP_TAIL],
    [widgetId, writeValue(widget)],
    [state.root, writeValue(catalog)],
    [state.formId, writeValue(form)],
    [state.pageId, writeValue(page)],
  ]
  const offsets = new Map<number, number>()
  let body = ''
  for (const [id, value] of written) {
    offsets.set(id, state.length + body.length)
    body += `${id} 0 obj\n${value}\nendobj\n`
  }
  const tableAt = state.length + body.length
  const size = widgetId + 1
  const from = (offsets.get(stampId) ?? 0) + `${stampId} 0 obj\n`.length + STAMP_HEAD.length
  const text = `${body}xref\n${table(offsets)}trailer\n${writeValue(trailer(state, size))}${fileEnd(tableAt)}`
  const gap = { from, to: from + contents.length, end: state.length + text.length }
  const next = { ...state, length: gap.end, size, tableAt, catalog, form, page, store, stamps }
  const rangeAt = from - state.length - CONTENTS_KEY.length - RANGE_WIDTH
  const ranged = text.slice(0, rangeAt) + byteRange(gap) + text.slice(rangeAt + RANGE_WIDTH)
  return { text: ranged, gap, next }
}

const CONTENTS_KEY = '\n/Contents '
/** A document time-stamp dictionary (ETSI EN 319 142-1, section 5.4.3). It states no time by our own clock. */
const STAMP_HEAD = `<<\n/Type /DocTimeStamp\n/Filter /Adobe.PPKLite\n/SubFilter /ETSI.RFC3161\n/ByteRange ${' '.repeat(RANGE_WIDTH)}${CONTENTS_KEY}`
const STAMP_TAIL = '\n>>'

function storeAfter({ store, size }: FileState, certificates: number, crls: number): ValidationStore {
  const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)
  return {
    id: store?.id ?? size + certificates + crls,
    certificates: [...(store?.certificates ?? []), ...numbers(size, certificates)],
    crls: [...(store?.crls ?? []), ...numbers(size + certificates, crls)],
  }
}

const storeValue = ({ certificates, crls }: ValidationStore): PdfDictionary =>
  dictionary({ Type: name('DSS'), Certs: array(certificates.map(ref)), CRLs: array(crls.map(ref)) })

const streamOf = (der: Uint8Array): string =>
  `<<\n/Length ${der.length}\n>>\nstream\n${Buffer.from(der).toString('latin1')}\nendstream`

/** Cross-reference subsections, in ascending order (ISO 32000-1, 7.5.4). */
function table(offsets: ReadonlyMap<number, number>): string {
  const ids = [...offsets.keys()].sort((a, b) => a - b)
  const runs: number[][] = []
  for (const id of ids) {
    const run = runs.at(-1)
    if (run?.at(-1) === id - 1) run.push(id)
    else runs.push([id])
  }
  return runs
    .map((run) => `${run[0]} ${run.length}\n${run.map((id) => tableLine(offsets.get(id) ?? 0)).join('')}`)
    .join('')
}

function trailer({ root, info, id, tableAt }: FileState, size: number): PdfDictionary {
  const identifier: PdfValue = { kind: 'hex', hex: id }
  return dictionary({
    Size: number(size),
    Root: ref(root),
    Info: ref(info),
    ID: array([identifier, identifier]),
    Prev: number(tableAt),
  })
}

import { fileEnd, tableLine } from './objects.ts'
import {
  byteRange,
  type FileState,
  type Gap,
  hexInGap,
  RANGE_WIDTH,
  signatureWidget,
  stampTitle,
  type ValidationStore,
} from './state.ts'
import {
  array,
  dictionary,
  itemsOf,
  name,
  number,
  type PdfDictionary,
  type PdfValue,
  ref,
  string,
  withEntries,
  writeValue,
} from './values.ts'

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
 * Declares what PDF 1.7 lacks: the security store and the time-stamp (ETSI EN 319 142-1, section 5.6; ISO 32000-1,
 * 7.12).
 */
const EXTENSIONS = dictionary({
  ADBE: dictionary({ BaseVersion: name('1.7'), ExtensionLevel: number(8) }),
  ESIC: dictionary({ BaseVersion: name('1.7'), ExtensionLevel: number(5) }),
})

/**
 * The one form of our updates (ISO 32000-1, 7.5.6; ETSI EN 319 142-1, section 5.4): the material as plain streams, the
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
    title: stampTitle(stamps),
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

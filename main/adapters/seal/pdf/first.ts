import { fileEnd, objectOf, readObject, tableLine } from './objects.ts'
import { byteRange, type FileState, GAP_WIDTH, type Gap, RANGE_WIDTH, signatureWidget } from './state.ts'
import {
  array,
  dictionary,
  entriesOf,
  name,
  number,
  type PdfDictionary,
  type PdfValue,
  readValue,
  ref,
  refOf,
  refsOf,
  type Survey,
  textOf,
  unknownShapeIn,
  writeValue,
} from './values.ts'

/** The first revision of a report: everything except later time-stamps. */
export interface FirstRevision {
  readonly state: FileState
  /** The gap of the author's signature. */
  readonly gap: Gap
  /** Position of each object, by number. */
  readonly offsets: readonly number[]
}

/** The start of a PDF/A-3 file from pdfkit. */
const HEADER = '%PDF-1.7\n%\u00ff\u00ff\u00ff\u00ff\n'
const MOST_OBJECTS = 2_000_000

/**
 * Reads the first revision in the one form that our writer gives it: objects without a byte between them, a
 * cross-reference table of exactly those, only dictionaries that we write, and one certifying signature. Returns a
 * sentence where it differs.
 */
export function readFirstRevision(text: string): FirstRevision | string {
  if (!text.startsWith(HEADER)) return 'The file does not start as Barewitness writes it.'
  const objects = readObjects(text)
  if (typeof objects === 'string') return objects
  const { offsets, tableAt, survey } = objects
  const read = readTrailer(text, offsets, tableAt)
  if (typeof read === 'string') return read
  const { end, root, info, id } = read
  const unused = offsets.findIndex((_, at) => at > 0 && at !== root && at !== info && !survey.references.has(at))
  if (unused !== -1) return `Object ${unused} is used by nothing: content may be hidden in it.`
  const singles = singleProblem(survey)
  if (singles !== null) return singles
  const parts = readParts(text, offsets, root)
  if (typeof parts === 'string') return parts
  const { signatureId, ...places } = parts
  const gap = readSignature(text, offsets[signatureId] ?? 0, signatureId, end)
  if (typeof gap === 'string') return gap
  const state = { length: end, size: offsets.length, root, info, id, tableAt, ...places, store: null, stamps: 0 }
  return { state, gap, offsets }
}

interface Objects {
  readonly offsets: number[]
  readonly tableAt: number
  readonly survey: Survey
}

function readObjects(text: string): Objects | string {
  const offsets: number[] = [0]
  const survey: Survey = { references: new Set(), shapes: new Map() }
  let at = HEADER.length
  for (let count = 0; !text.startsWith('xref\n', at); count += 1) {
    const object = readObject(text, at)
    if (object === null || count === MOST_OBJECTS)
      return `The content at byte ${at} is not an object as Barewitness writes it.`
    const { id, value } = object.value
    if (id > MOST_OBJECTS) return `Object ${id} has too high a number.`
    if (offsets[id] !== undefined) return `Object ${id} occurs more than once.`
    const stranger = unknownShapeIn(value, survey)
    if (stranger !== null) return `Object ${id} is of a kind that Barewitness does not write${kindOf(stranger)}.`
    offsets[id] = object.value.start
    at = object.end
  }
  if (offsets.includes(undefined as never)) return 'An object is missing.'
  return { offsets, tableAt: at, survey }
}

/** The first keys of an unknown dictionary, in words. */
function kindOf(entries: ReadonlyMap<string, PdfValue>): string {
  const keys = [...entries.keys()].slice(0, 8).map((key) => `/${key}`)
  return keys.length === 0 ? '' : `, with ${keys.join(' ')}`
}

interface Trailer {
  readonly end: number
  readonly root: number
  readonly info: number
  readonly id: string
}

/** Reads table and trailer: builds them again from the objects and compares. */
function readTrailer(text: string, offsets: readonly number[], tableAt: number): Trailer | string {
  const lines = offsets.slice(1).map(tableLine).join('')
  const table = `xref\n0 ${offsets.length}\n0000000000 65535 f \n${lines}trailer\n`
  if (!text.startsWith(table, tableAt)) return 'The cross-reference table does not match the objects in the file.'
  const read = readValue(text, tableAt + table.length)
  const entries = entriesOf(read?.value)
  const [root, info] = [refOf(entries.get('Root')), refOf(entries.get('Info'))]
  const identifier = entries.get('ID')
  const id = identifier?.kind === 'array' && identifier.items[0]?.kind === 'hex' ? identifier.items[0].hex : ''
  if (root === null || info === null || !offsets[root] || !offsets[info]) return 'The trailer names no catalog.'
  const hex: PdfValue = { kind: 'hex', hex: id }
  const again = dictionary({ Size: number(offsets.length), Root: ref(root), Info: ref(info), ID: array([hex, hex]) })
  const written = writeValue(again) + fileEnd(tableAt)
  const at = tableAt + table.length
  if (!text.startsWith(written, at)) return 'The trailer of the first revision is not one that Barewitness writes.'
  return { end: at + written.length, root, info, id }
}

const SINGLE: readonly (readonly [begins: string, what: string])[] = [
  ['Type=Catalog ', 'catalog'],
  ['Type=Pages ', 'page tree'],
  ['Producer ', 'file information'],
  ['Type=Sig ', 'author’s signature'],
  ['Type=Annot Subtype=Widget ', 'signature field'],
  ['Fields ', 'form'],
  ['DocMDP', 'certification'],
  ['Type=SigRef ', 'certification reference'],
]

function singleProblem({ shapes }: Survey): string | null {
  for (const [begins, what] of SINGLE) {
    const count = [...shapes].reduce((sum, [shape, times]) => sum + (shape.startsWith(begins) ? times : 0), 0)
    if (count === 0 && begins === 'Type=Sig ') return 'The report has no signature.'
    if (count !== 1) return `The first revision has ${count} of a required single part: ${what}.`
  }
  return null
}

type Parts = Pick<FileState, 'catalog' | 'formId' | 'form' | 'pageId' | 'page'> & { readonly signatureId: number }

/** Follows every path from the catalog to the signature. Returns a sentence where one does not lead there. */
function readParts(text: string, offsets: readonly number[], root: number): Parts | string {
  const dictionaryOf = (id: number | null): PdfDictionary | null => {
    const value = objectOf(text, offsets, id)?.value
    return value?.kind === 'dictionary' ? value : null
  }
  const catalog = dictionaryOf(root)
  const formId = refOf(catalog?.entries.get('AcroForm'))
  const form = dictionaryOf(formId)
  const [widgetId = null, ...others] = refsOf(form?.entries.get('Fields'))
  const widget = dictionaryOf(widgetId)?.entries
  const signatureId = refOf(widget?.get('V'))
  const [pageId = null] = refsOf(dictionaryOf(refOf(catalog?.entries.get('Pages')))?.entries.get('Kids'))
  const page = dictionaryOf(pageId)
  const certified = refOf(entriesOf(catalog?.entries.get('Perms')).get('DocMDP'))
  const title = widget?.get('T')
  const tooltip = widget?.get('TU')
  if (!catalog || !form || !page || formId === null || pageId === null || widgetId === null || signatureId === null)
    return 'The catalog does not lead to the author’s signature.'
  if (textOf(title) === null || textOf(tooltip) === null || !title || !tooltip)
    return 'The field of the author’s signature has no name.'
  const again = writeValue(signatureWidget({ title, tooltip, signature: signatureId, page: pageId }))
  const same = text.startsWith(`${widgetId} 0 obj\n${again}\nendobj\n`, offsets[widgetId])
  const onPage = refsOf(page.entries.get('Annots')).filter((id) => id === widgetId).length === 1
  if (!same || !onPage || others.length > 0 || certified !== signatureId)
    return 'The author’s signature is not the only field of the report, on its first page, that certifies it.'
  return { catalog, formId, form, pageId, page, signatureId }
}

const HEAD = '<<\n/Type /Sig\n/Filter /Adobe.PPKLite\n/SubFilter /ETSI.CAdES.detached\n/ByteRange '
const KEY = '\n/Contents '
/**
 * After reason and time follows DocMDP with P 2: form filling and signing may follow, so that time-stamps can be added
 * (ISO 32000-1, 12.8.2.2).
 */
const REST = `/Reference [${writeValue(
  dictionary({
    Type: name('SigRef'),
    TransformMethod: name('DocMDP'),
    TransformParams: dictionary({ Type: name('TransformParams'), P: number(2), V: name('1.2') }),
  }),
)}]\n>>\nendobj\n`
const SAYS = /\n\/M \(D:\d{14}Z\)\n\/Reason \([ -'*-[\]-~]{1,200}\)\n/y

/** The gap of the signature: builds its dictionary again around the content and compares. */
function readSignature(text: string, start: number, id: number, end: number): Gap | string {
  const head = `${id} 0 obj\n${HEAD}`
  const from = start + head.length + RANGE_WIDTH + KEY.length
  const gap = { from, to: from + GAP_WIDTH, end }
  SAYS.lastIndex = gap.to
  const rest = SAYS.test(text) ? SAYS.lastIndex : text.length
  if (!text.startsWith(head, start) || !text.startsWith(REST, rest))
    return 'The dictionary of the author’s signature is not one that Barewitness writes.'
  return text.startsWith(`${byteRange(gap)}${KEY}<`, start + head.length) && text[gap.to - 1] === '>'
    ? gap
    : 'The /ByteRange of the author’s signature is not the whole first revision except the signature itself.'
}

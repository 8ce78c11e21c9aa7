import { quote } from '../../../core/base/plain-text.ts'
import type { FirstRevision } from './first.ts'
import { objectOf } from './objects.ts'
import type { FileState } from './state.ts'
import { entriesOf, nameOf, type PdfValue, readValue, refOf, refsOf, textOf, writeValue } from './values.ts'

/** Why Barewitness did not write an update, where this can be determined. Never empty. */
export function diagnoseUpdate(text: string, state: FileState, first: FirstRevision): readonly string[] {
  const tail = text.slice(state.length)
  if (!/\bxref\b|\d{1,10} \d{1,5} obj\b/.test(tail))
    return [`${tail.length} bytes follow the end of the file and belong to nothing.`]
  const changes = new Set([...features(tail), ...changedObjects(text, tail, state, first)])
  const shown = [...changes].slice(0, 20)
  return ['Content other than a Barewitness time-stamp was added to the report after signing.', ...shown]
}

const FEATURES: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/\/XRefStm\b/, 'The file has a hybrid cross-reference: two programs may show different documents.'],
  [/\/Type\s*\/XRef\b/, 'The file has a cross-reference stream.'],
  [/\/Type\s*\/ObjStm\b/, 'The file has an object stream, in which content may be hidden.'],
  [/\/Encrypt\b/, 'The file is marked as encrypted.'],
  [/\/(?:JS|JavaScript|OpenAction|AA|Launch|URI|SubmitForm)\b/, 'The file has an action or a script.'],
  [/\/NeedAppearances\b/, 'The file makes the viewer draw its form fields again.'],
]

/** Features in a part of the file, outside streams, that a report never has. */
const features = (part: string): readonly string[] => {
  const outside = part
    .split('endstream')
    .map((one) => one.slice(0, (one.indexOf('stream\n') + 1 || one.length + 1) - 1))
    .join('\n')
  return FEATURES.flatMap(([pattern, sentence]) => (pattern.test(outside) ? [sentence] : []))
}

/** Other reasons why a first revision is not in the expected form. */
export function diagnoseFirst(text: string): readonly string[] {
  const at = text.indexOf('/SubFilter /ETSI.CAdES.detached')
  const start = at === -1 ? -1 : text.lastIndexOf(' obj', at)
  const own = start === -1 ? '' : text.slice(start, start + LONGEST_LOOK)
  const end = own.indexOf('endobj')
  return [
    ...(own === '' ? [] : rangeSentences(end === -1 ? own : own.slice(0, end), 'The author’s signature')),
    ...features(text),
  ]
}

const MOST_LOOKED_AT = 1000
const LONGEST_LOOK = 40_000

function changedObjects(text: string, tail: string, state: FileState, first: FirstRevision): readonly string[] {
  const found = looseObjects(tail)
  if (found.length === 0) return ['An update is empty.']
  const pages = pagesOf(text, first)
  return found.flatMap(({ id, body }) => {
    if (id >= state.size) return addedObject(body)
    if (id === state.store?.id) return []
    const was = objectOf(text, first.offsets, id)
    return was === null ? [] : changedObject(id, body, was.value, { state, pages, first })
  })
}

/** The parts that look like objects, each up to its end. */
function looseObjects(tail: string): readonly { readonly id: number; readonly body: string }[] {
  const found: { id: number; body: string }[] = []
  for (const { 0: head, 1: id, index } of tail.matchAll(/(?<=^|\n)([1-9]\d{0,9}) \d{1,5} obj\b/g)) {
    const body = tail.slice(index + head.length, index + LONGEST_LOOK)
    const end = body.indexOf('endobj')
    if (found.push({ id: Number(id), body: end === -1 ? body : body.slice(0, end) }) === MOST_LOOKED_AT) break
  }
  return found
}

function addedObject(body: string): readonly string[] {
  if (/\/Type\s*\/Sig\b|\/ETSI\.CAdES\.detached\b|\/adbe\.pkcs7/.test(body)) return ['Another signature was added.']
  if (/\/Type\s*\/DocTimeStamp\b/.test(body)) return rangeSentences(body, 'A time-stamp')
  if (/\/Type\s*\/Page\b/.test(body)) return ['A page was added.']
  const stamp = /\/FT\s*\/Sig\b/.test(body) && /\(timestamp-\d+\)/.test(body)
  if (!stamp && /\/FT\s*\/|\/Subtype\s*\/Widget\b/.test(body)) return ['A form field was added.']
  if (!stamp && (/\/Type\s*\/Annot\b/.test(body) || /\/Rect\s*\[/.test(body))) return ['An annotation was added.']
  return []
}

/** The problems of a signature's /ByteRange that its dictionary shows. */
function rangeSentences(body: string, whose: string): readonly string[] {
  const ranges = [...body.matchAll(/\/ByteRange\b/g)]
  if (ranges.length === 0) return [`${whose} has no /ByteRange.`]
  return ranges.length === 1 ? [] : [`${whose} has more than one /ByteRange.`]
}

interface Before {
  readonly state: FileState
  readonly first: FirstRevision
  readonly pages: Pages
}

function changedObject(id: number, body: string, was: PdfValue, { state, first, pages }: Before): readonly string[] {
  const type = nameOf(entriesOf(was).get('Type'))
  if (id === state.info) return ['The file’s information was replaced.']
  if (pages.contents.has(id)) return [`The content of page ${pages.contents.get(id)} was replaced.`]
  if (type === 'Pages') {
    const now = /\/Count\s+(\d{1,9})/.exec(body)?.[1]
    const before = pages.contents.size
    if (now !== undefined && Number(now) < before) return ['A page was removed.']
    return now !== undefined && Number(now) > before ? ['A page was added.'] : ['The pages were rearranged.']
  }
  if (id === state.pageId || id === state.formId || id === state.root) return changedNamed(id, body, state)
  if (type === 'Page') return [`Page ${pages.numbers.get(id) ?? '?'} was replaced.`]
  if (type === 'EmbeddedFile' || type === 'Filespec') return ['An embedded file was replaced.']
  if (type === 'Sig') return ['The author’s signature was replaced.']
  if (type === 'Annot') return ['A link or signature field was replaced.']
  return id < first.offsets.length ? [`Object ${id}, part of what was signed, was replaced.`] : []
}

/** Changes of the three objects that our updates write again, other than those of a time-stamp. */
function changedNamed(id: number, body: string, state: FileState): readonly string[] {
  const [before, what] =
    id === state.root
      ? [state.catalog, 'catalog']
      : id === state.formId
        ? [state.form, 'form']
        : [state.page, 'first page']
  const now = entriesOf(readValue(body, 0)?.value)
  if (now.size === 0) return [`The ${what} was replaced.`]
  const keys = new Set([...before.entries.keys(), ...now.keys()])
  const changed = [...keys].filter(
    (key) => !OURS.has(key) && spelled(before.entries.get(key)) !== spelled(now.get(key)),
  )
  return changed.length === 0 ? [] : [`The ${what} was replaced: another /${changed.slice(0, 5).join(' /')}.`]
}

const spelled = (value: PdfValue | undefined): string => (value === undefined ? '' : writeValue(value))

/** The entries that the update of a time-stamp changes in these objects. */
const OURS: ReadonlySet<string> = new Set(['Extensions', 'DSS', 'Fields', 'Annots'])

interface Pages {
  /** Page number by the number of the page's object, and of its content. */
  readonly numbers: ReadonlyMap<number, number>
  readonly contents: ReadonlyMap<number, number>
}

function pagesOf(text: string, { offsets, state }: FirstRevision): Pages {
  const tree = objectOf(text, offsets, refOf(state.catalog.entries.get('Pages')))
  const kids = refsOf(entriesOf(tree?.value).get('Kids'))
  const numbers = new Map(kids.map((id, index) => [id, index + 1]))
  const contents = kids.flatMap((id, index) => {
    const content = refOf(entriesOf(objectOf(text, offsets, id)?.value).get('Contents'))
    return content === null ? [] : [[content, index + 1] as const]
  })
  return { numbers, contents: new Map(contents) }
}

/** Describes another program's PDF in a sentence: its number of signatures, and the program that it names as its writer. */
export function foreignSentence(text: string): string {
  const signatures = text.split('/ByteRange', MOST_LOOKED_AT + 1).length - 1
  const count = signatures === 0 ? 'no signature' : signatures === 1 ? '1 signature' : `${signatures} signatures`
  const producer = producerOf(text)
  const writer = producer === null ? 'by a program that it does not name clearly' : `by ${quote(producer)}`
  return `This is a PDF with ${count}, written ${writer}. Barewitness did not write it and did not verify it.`
}

function producerOf(text: string): string | null {
  const at = text.lastIndexOf('/Producer')
  if (at === -1) return null
  const [, direct, id] =
    /^\/Producer\s*(?:\(((?:[^()\\]|\\[\s\S])*)\)|([1-9]\d{0,9}) 0 R)/.exec(text.slice(at, at + 1000)) ?? []
  const place = id === undefined ? -1 : text.indexOf(`\n${id} 0 obj`)
  const raw =
    direct ??
    (place === -1 ? undefined : /obj\s*\(((?:[^()\\]|\\[\s\S])*)\)/.exec(text.slice(place, place + 1000))?.[1])
  const words = raw === undefined ? null : textOf({ kind: 'string', raw })
  return words === null || words.trim() === '' ? null : words
}

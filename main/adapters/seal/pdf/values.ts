/**
 * The values of PDF syntax (ISO 32000-1, 7.3) that our reports use. Text has one character per byte (latin1). A string
 * keeps its bytes as written, escapes included, so that writing a value gives exactly the bytes that it was read from.
 */
export type PdfValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'string'; readonly raw: string }
  | { readonly kind: 'hex'; readonly hex: string }
  | { readonly kind: 'array'; readonly items: readonly PdfValue[] }
  | { readonly kind: 'ref'; readonly id: number }
  | PdfDictionary

export interface PdfDictionary {
  readonly kind: 'dictionary'
  readonly entries: ReadonlyMap<string, PdfValue>
}

export const name = (text: string): PdfValue => ({ kind: 'name', name: text })
export const number = (value: number): PdfValue => ({ kind: 'number', text: String(value) })
export const string = (raw: string): PdfValue => ({ kind: 'string', raw })
export const ref = (id: number): PdfValue => ({ kind: 'ref', id })
export const array = (items: readonly PdfValue[]): PdfValue => ({ kind: 'array', items })
export const dictionary = (entries: Readonly<Record<string, PdfValue>>): PdfDictionary => ({
  kind: 'dictionary',
  entries: new Map(Object.entries(entries)),
})

/** The same dictionary with these entries set, new ones after the old. */
export const withEntries = ({ entries }: PdfDictionary, added: Readonly<Record<string, PdfValue>>): PdfDictionary => ({
  kind: 'dictionary',
  entries: new Map([...entries, ...Object.entries(added)]),
})

export const itemsOf = (value: PdfValue | undefined): readonly PdfValue[] =>
  value?.kind === 'array' ? value.items : []
export const refOf = (value: PdfValue | undefined): number | null => (value?.kind === 'ref' ? value.id : null)
export const refsOf = (value: PdfValue | undefined): readonly number[] =>
  itemsOf(value).flatMap((item) => refOf(item) ?? [])
export const nameOf = (value: PdfValue | undefined): string | null => (value?.kind === 'name' ? value.name : null)
export const numberOf = (value: PdfValue | undefined): number | null =>
  value?.kind === 'number' ? Number(value.text) : null
export const entriesOf = (value: PdfValue | undefined): ReadonlyMap<string, PdfValue> =>
  value?.kind === 'dictionary' ? value.entries : new Map()

/** The bytes of a value, as pdfkit writes it. */
export function writeValue(value: PdfValue): string {
  switch (value.kind) {
    case 'null':
      return 'null'
    case 'boolean':
      return String(value.value)
    case 'number':
      return value.text
    case 'name':
      return `/${value.name}`
    case 'string':
      return `(${value.raw})`
    case 'hex':
      return `<${value.hex}>`
    case 'ref':
      return `${value.id} 0 R`
    case 'array':
      return `[${value.items.map(writeValue).join(' ')}]`
    case 'dictionary':
      return ['<<', ...[...value.entries].map(([key, one]) => `/${key} ${writeValue(one)}`), '>>'].join('\n')
  }
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/**
 * The text of a string: the ASCII part of PDFDocEncoding, or UTF-16 after a byte order mark (ISO 32000-1, 7.9.2.2).
 */
export function textOf(value: PdfValue | undefined): string | null {
  if (value?.kind !== 'string') return null
  const bytes = value.raw.replace(/\\([\s\S])/g, (_, escaped: string) => ESCAPED[escaped] ?? escaped)
  if (!bytes.startsWith('\u00fe\u00ff')) return bytes
  return new TextDecoder('utf-16be').decode(Buffer.from(bytes.slice(2), 'latin1'))
}

const MOST_VALUES = 2_000_000
const DEEPEST = 16

export interface Read<T> {
  readonly value: T
  /** Position of the next byte. */
  readonly end: number
}

/** Reads one value. Null for anything that our writer does not write: comments, other white space, a duplicate key. */
export function readValue(text: string, at: number): Read<PdfValue> | null {
  const budget = { left: MOST_VALUES }
  return valueAt(text, skipSpace(text, at), 0, budget)
}

function skipSpace(text: string, at: number): number {
  let next = at
  while (text[next] === ' ' || text[next] === '\n') next += 1
  return next
}

function valueAt(text: string, at: number, depth: number, budget: { left: number }): Read<PdfValue> | null {
  budget.left -= 1
  if (depth > DEEPEST || budget.left < 0) return null
  switch (text[at]) {
    case '/':
      return nameAt(text, at)
    case '(':
      return stringAt(text, at)
    case '[':
      return arrayAt(text, at, depth, budget)
    case '<':
      return text[at + 1] === '<' ? dictionaryAt(text, at, depth, budget) : hexAt(text, at)
    default:
      return wordAt(text, at)
  }
}

const NAME = /[\w.+#-]{1,127}/y
const HEX = /^[0-9a-fA-F]*$/
const LONGEST_HEX = 1 << 20

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function nameAt(text: string, at: number): Read<PdfValue> | null {
  const found = match(NAME, text, at + 1)
  return found === null ? null : { value: name(found[0]), end: at + 1 + found[0].length }
}

function stringAt(text: string, at: number): Read<PdfValue> | null {
  for (let next = at + 1; next < text.length; next += 1) {
    if (text[next] === ')') return { value: string(text.slice(at + 1, next)), end: next + 1 }
    if (text[next] === '(') return null
    if (text[next] === '\\') next += 1
  }
  return null
}

function hexAt(text: string, at: number): Read<PdfValue> | null {
  const end = text.indexOf('>', at)
  if (end === -1 || end - at > LONGEST_HEX) return null
  const hex = text.slice(at + 1, end)
  return HEX.test(hex) ? { value: { kind: 'hex', hex }, end: end + 1 } : null
}

function arrayAt(text: string, at: number, depth: number, budget: { left: number }): Read<PdfValue> | null {
  const items: PdfValue[] = []
  let next = skipSpace(text, at + 1)
  while (text[next] !== ']') {
    const item = valueAt(text, next, depth + 1, budget)
    if (item === null) return null
    items.push(item.value)
    next = skipSpace(text, item.end)
  }
  return { value: array(items), end: next + 1 }
}

function dictionaryAt(text: string, at: number, depth: number, budget: { left: number }): Read<PdfDictionary> | null {
  const entries = new Map<string, PdfValue>()
  let next = skipSpace(text, at + 2)
  while (!text.startsWith('>>', next)) {
    const key = text[next] === '/' ? match(NAME, text, next + 1)?.[0] : undefined
    if (key === undefined || entries.has(key)) return null
    const entry = valueAt(text, skipSpace(text, next + 1 + key.length), depth + 1, budget)
    if (entry === null) return null
    entries.set(key, entry.value)
    next = skipSpace(text, entry.end)
  }
  return { value: { kind: 'dictionary', entries }, end: next + 2 }
}

const WORD = /([1-9]\d{0,9}) 0 R|-?\d{1,16}(?:\.\d{1,16})?|true|false|null/y

function wordAt(text: string, at: number): Read<PdfValue> | null {
  const found = match(WORD, text, at)
  if (found === null) return null
  const [word, id] = found
  const end = at + word.length
  if (id !== undefined) return { value: ref(Number(id)), end }
  if (word === 'null') return { value: { kind: 'null' }, end }
  if (word === 'true' || word === 'false') return { value: { kind: 'boolean', value: word === 'true' }, end }
  return { value: { kind: 'number', text: word }, end }
}

/**
 * Every dictionary that a report's first revision may contain: its keys, `?` after an optional one, `=` before the
 * required name, `*` for names of fonts and of opacity settings. A file with anything else, such as scripts, actions
 * that leave the file, forms, other annotations, or encryption, was not written by Barewitness. The list follows
 * main/adapters/pdf; a test fails when the two differ.
 */
const SHAPES = `
Type=Catalog Pages Names Lang MarkInfo StructTreeRoot ViewerPreferences AcroForm? Perms? AF? Outlines PageMode=UseOutlines OutputIntents Metadata
Type=Pages Count Kids
Type=Page Parent MediaBox Contents Resources UserUnit Annots? StructParents Tabs=S
ProcSet Font ColorSpace ExtGState?
Font
DocMDP
Marked
DisplayDocTitle
Fields SigFlags DR
Producer Creator CreationDate Title Subject
Dests EmbeddedFiles?
Limits Names
Names
Limits Nums
Nums
Type=StructTreeRoot ParentTree K ParentTreeNextKey
First Last
Dest Parent Title Prev? Next? First? Last? Count?
S=GoTo D
Type=Annot Subtype=Link Contents A Rect Border F StructParent
Type=Annot Subtype=Widget FT=Sig T TU V F Rect P
Type=Sig Filter=Adobe.PPKLite SubFilter=ETSI.CAdES.detached ByteRange Contents M Reason Reference
Type=SigRef TransformMethod=DocMDP TransformParams
Type=TransformParams P V
Length Filter=FlateDecode?
Length N Filter=FlateDecode?
Type=Font Subtype=Type0 BaseFont Encoding=Identity-H DescendantFonts ToUnicode
Type=Font Subtype=CIDFontType2 BaseFont CIDSystemInfo FontDescriptor W CIDToGIDMap=Identity
Type=FontDescriptor FontName Flags FontBBox ItalicAngle Ascent Descent CapHeight XHeight StemV FontFile2
Registry Ordering Supplement
Type=OutputIntent S=GTS_PDFA1 Info OutputConditionIdentifier DestOutputProfile
length Type=Metadata Subtype=XML Length
Type=EmbeddedFile Params Subtype Length Filter=FlateDecode?
CreationDate ModDate CheckSum Size
Type=Filespec AFRelationship=Data F EF UF Desc
F
O=Table Scope ColSpan?
O=Layout Placement BBox
Type=OBJR Obj Pg
Type=MCR Pg MCID
Type=ExtGState ca
S P K Pg? A? Alt?
*
`

/** Kinds of structure element (ISO 32000-1, 14.8.4). */
const STRUCTURE =
  'Document Sect P H1 H2 H3 H4 H5 H6 Table THead TBody TR TH TD L LI Lbl LBody TOC TOCI Reference Link Code Span Figure'
const STRUCTURES: ReadonlySet<string> = new Set(STRUCTURE.split(' '))
const RESOURCE_NAME = /^(F|Gs)\d{1,3}$/

interface Shape {
  readonly keys: ReadonlyMap<string, { readonly optional: boolean; readonly value: string | null }>
  readonly text: string
}

const shapes: readonly Shape[] = SHAPES.trim()
  .split('\n')
  .map((text) => ({
    text,
    keys: new Map(
      text.split(' ').map((part) => {
        const [, key = '', value, optional] = /^([^=?]+)(?:=([^?]+))?(\?)?$/.exec(part) ?? []
        return [key, { optional: optional !== undefined, value: value ?? null }] as const
      }),
    ),
  }))

/** The shape of a dictionary, as its line above; null when none matches. */
function shapeOf(entries: ReadonlyMap<string, PdfValue>): string | null {
  return shapes.find((shape) => fits(entries, shape))?.text ?? null
}

function fits(entries: ReadonlyMap<string, PdfValue>, { keys, text }: Shape): boolean {
  if (text === '*') return [...entries.keys()].every((key) => RESOURCE_NAME.test(key))
  for (const [key, { optional, value }] of keys) {
    const found = entries.get(key)
    if (found === undefined ? !optional : value !== null && nameOf(found) !== value) return false
  }
  if (text.startsWith('S P ') && !STRUCTURES.has(nameOf(entries.get('S')) ?? '')) return false
  return [...entries.keys()].every((key) => keys.has(key))
}

/** Shapes and references found in a file's values. */
export interface Survey {
  readonly references: Set<number>
  readonly shapes: Map<string, number>
}

/**
 * The first dictionary in a value, at any depth, that has none of the shapes; null when all have one. Adds shapes and
 * references to the survey.
 */
export function unknownShapeIn(value: PdfValue, survey: Survey): ReadonlyMap<string, PdfValue> | null {
  if (value.kind === 'ref') survey.references.add(value.id)
  if (value.kind === 'dictionary') {
    const shape = shapeOf(value.entries)
    if (shape === null) return value.entries
    survey.shapes.set(shape, (survey.shapes.get(shape) ?? 0) + 1)
  }
  const inner = value.kind === 'array' ? value.items : value.kind === 'dictionary' ? value.entries.values() : []
  for (const one of inner) {
    const stranger = unknownShapeIn(one, survey)
    if (stranger !== null) return stranger
  }
  return null
}

import { nameOf, type PdfValue } from './values.ts'

/**
 * Every dictionary that a report's first revision may contain: its keys, `?` after an optional one, `=` before the
 * required name, `*` for names of fonts and of opacity settings. Anything else, such as scripts, actions that leave the
 * file, forms, other annotations, or encryption, makes a file that Barewitness did not write. Taken from what
 * main/adapters/pdf writes; its test fails when the two differ.
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
 * The first dictionary in a value, at any depth, that has none of the shapes; null when all have one. Notes shapes and
 * references.
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

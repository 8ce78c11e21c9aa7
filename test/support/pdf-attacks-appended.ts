import { edited, type PdfAttack, placesIn, stream } from './pdf-attack-kit.ts'
import { appendUpdate, bodyOf, pdfOfText, refIn, textOfPdf, trailerNumber } from './pdf-editing.ts'

const update =
  (objects: (text: string) => readonly (readonly [number, string])[], extra = ''): PdfAttack['build'] =>
  (kit) =>
    edited((text) => appendUpdate(text, objects(text), extra))(kit)

const SQUARE = '/Type /Annot\n/Subtype /Square\n/Rect [0 0 600 800]\n/F 4'
const FIELD = '/Type /Annot\n/Subtype /Widget\n/FT /Tx\n/T (amount)\n/V (0)\n/Rect [0 0 90 20]'

function onFirstPage(text: string, annotation: string, field: boolean): readonly (readonly [number, string])[] {
  const { pageId, page, next, catalog } = placesIn(text)
  const formId = refIn(catalog, 'AcroForm')
  const form = bodyOf(text, formId)
  return [
    [next, `<<\n${annotation}\n>>`],
    [pageId, page.replace('/Annots [', `/Annots [${next} 0 R `)],
    ...(field ? [[formId, form.replace('/Fields [', `/Fields [${next} 0 R `)] as const] : []),
  ]
}

/** Incremental updates and other bytes after the end. */
export const ATTACKS_APPENDED: readonly PdfAttack[] = [
  { name: 'junk after the end', named: /bytes follow the end/, build: edited((text) => `${text}more\n`) },
  { name: 'a line feed after the end', named: /1 bytes follow the end/, build: edited((text) => `${text}\n`) },
  { name: 'an update that changes nothing', named: /An update is empty/, build: update(() => []) },
  {
    name: 'a page’s content replaced by an update (ISA)',
    named: /The content of page 1 was replaced/,
    build: update((text) => [[refIn(placesIn(text).page, 'Contents'), stream('BT (Nothing was found) Tj ET')]]),
  },
  {
    name: 'a page pointed at other content',
    named: /The first page was replaced: another \/Contents/,
    build: update((text) => {
      const { pageId, page, next } = placesIn(text)
      return [
        [next, stream('BT (Nothing was found) Tj ET')],
        [pageId, page.replace(/\/Contents \d+/, `/Contents ${next}`)],
      ]
    }),
  },
  {
    name: 'the table switched to another object of the file (shadow replace)',
    named: /An update is empty/,
    build: edited((text) => {
      const { page } = placesIn(text)
      const other = text.indexOf(`\n${trailerNumber(text, 'Info') + 1} 0 obj\n`) + 1
      const line = `${refIn(page, 'Contents')} 1\n${String(other).padStart(10, '0')} 00000 n \n`
      return appendUpdate(text, []).replace(/0 0\ntrailer\n(?![\s\S]*0 0\ntrailer)/, `${line}trailer\n`)
    }),
  },
  {
    name: 'an annotation over the page',
    named: /An annotation was added/,
    build: update((text) => onFirstPage(text, SQUARE, false)),
  },
  { name: 'a form field', named: /A form field was added/, build: update((text) => onFirstPage(text, FIELD, true)) },
  {
    name: 'the signature in a second field',
    named: /A form field was added/,
    build: update((text) => {
      const signature = refIn(
        bodyOf(text, refIn(bodyOf(text, refIn(placesIn(text).catalog, 'AcroForm')), 'Fields')),
        'V',
      )
      return onFirstPage(
        text,
        `/Type /Annot\n/Subtype /Widget\n/FT /Sig\n/T (seal2)\n/V ${signature} 0 R\n/Rect [0 0 0 0]`,
        true,
      )
    }),
  },
  {
    name: 'a hybrid cross-reference',
    named: /hybrid cross-reference/,
    build: update((text) => [[placesIn(text).next, stream('x', '/Type /XRef\n')]], '/XRefStm 15\n'),
  },
  {
    name: 'an object stream',
    named: /object stream/,
    build: update((text) => [[placesIn(text).next, stream('9 0 <<>>', '/Type /ObjStm\n/N 1\n/First 4\n')]]),
  },
  {
    name: 'encryption',
    named: /is marked as encrypted/,
    build: update((text) => [[placesIn(text).next, '<<\n/Filter /Standard\n/V 1\n>>']], '/Encrypt 9 0 R\n'),
  },
  {
    name: 'a page removed',
    named: /A page was removed/,
    build: update((text) => {
      const { pagesId, pages } = placesIn(text)
      return [[pagesId, pages.replace(/\/Count \d+/, '/Count 1').replace(/(\/Kids \[\d+ 0 R)[^\]]*/, '$1')]]
    }),
  },
  {
    name: 'a page added',
    named: /A page was added/,
    build: update((text) => {
      const { pagesId, pages, page, next } = placesIn(text)
      return [
        [next, page],
        [pagesId, pages.replace(/\/Count \d+/, '/Count 99').replace('/Kids [', `/Kids [${next} 0 R `)],
      ]
    }),
  },
  {
    name: 'the catalog replaced',
    named: /The catalog was replaced: another \/OpenAction/,
    build: update((text) => {
      const { catalogId, catalog, pageId } = placesIn(text)
      return [[catalogId, catalog.replace('/PageMode', `/OpenAction [${pageId} 0 R /Fit]\n/PageMode`)]]
    }),
  },
  {
    name: 'the embedded file swapped',
    named: /An embedded file was replaced/,
    build: update((text) => {
      const id = Number(/\n(\d+) 0 obj\n<<\n\/Type \/EmbeddedFile/.exec(text)?.[1])
      return [[id, stream('{"results":"better"}', '/Type /EmbeddedFile\n')]]
    }),
  },
  {
    name: 'the file’s information replaced',
    named: /information was replaced/,
    build: update((text) => [[trailerNumber(text, 'Info'), '<<\n/Title (Another)\n>>']]),
  },
  {
    name: 'the signature’s dictionary replaced',
    named: /The author’s signature was replaced/,
    build: update((text) => [[Number(/\n(\d+) 0 obj\n<<\n\/Type \/Sig\n/.exec(text)?.[1]), '<<\n/Type /Sig\n>>']]),
  },
  {
    name: 'another author’s signature',
    named: /Another signature was added/,
    build: update((text) => [
      [placesIn(text).next, '<<\n/Type /Sig\n/SubFilter /ETSI.CAdES.detached\n/Contents <00>\n>>'],
    ]),
  },
  {
    name: 'cut back to a security store without a time-stamp (B-LT)',
    named: /other than a Barewitness time-stamp/,
    build: ({ levels }) => {
      const text = textOfPdf(levels.stamped)
      const { catalogId, catalog, next } = placesIn(text)
      const store: readonly (readonly [number, string])[] = [
        [next, '<<\n/Type /DSS\n/Certs []\n/CRLs []\n>>'],
        [catalogId, catalog.replace(/>>$/, `/DSS ${next} 0 R\n>>`)],
      ]
      return pdfOfText(appendUpdate(text, store))
    },
  },
  {
    name: 'the last update cut in two',
    named: /other than a Barewitness time-stamp/,
    build: ({ levels }) => levels.archived.slice(0, levels.archived.length - 300),
  },
  {
    name: 'the last update twice',
    named: /other than a Barewitness time-stamp/,
    build: ({ levels }) =>
      new Uint8Array(Buffer.concat([levels.archived, levels.archived.subarray(levels.stamped.length)])),
  },
]

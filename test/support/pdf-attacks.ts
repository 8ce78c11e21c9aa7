import { signPdf } from '../../main/adapters/seal/reader.ts'
import { type PdfAttack, placesIn, stream } from './pdf-attack-kit.ts'
import { ATTACKS_APPENDED } from './pdf-attacks-appended.ts'
import { ATTACKS_IN_PLACE } from './pdf-attacks-in-place.ts'
import { bodyOf, pdfOfText, refIn, replaceOnce, retable, textOfPdf, trailerNumber } from './pdf-editing.ts'

/** A signer who works with the attacker: the file is made ready before it is signed. */
const preparedBefore =
  (change: (text: string) => string): PdfAttack['build'] =>
  ({ unsigned, signer }) =>
    signPdf(pdfOfText(retable(change(textOfPdf(unsigned)))), signer)

const BEFORE: readonly PdfAttack[] = [
  {
    name: 'hidden content prepared before signing',
    named: /is used by nothing: content may be hidden/,
    build: preparedBefore((text) =>
      replaceOnce(
        text,
        /(?<=endobj\n)(?=xref\n)/,
        `${trailerNumber(text, 'Size')} 0 obj\n${stream('BT (Other figures) Tj ET')}\nendobj\n`,
      ),
    ),
  },
  {
    name: 'a script in the catalog, signed',
    named: /is of a kind that Barewitness does not write.*\/OpenAction|action or a script/,
    build: preparedBefore((text) =>
      replaceOnce(
        text,
        '/PageMode /UseOutlines\n',
        '/PageMode /UseOutlines\n/OpenAction <<\n/S /JavaScript\n/JS (app.alert\\(1\\))\n>>\n',
      ),
    ),
  },
  {
    name: 'a link that leaves the file, signed',
    named: /is of a kind that Barewitness does not write.*\/URI/,
    build: preparedBefore((text) => text.replace('/S /GoTo\n/D (section-00000)', '/S /URI\n/URI (http://example.net)')),
  },
  {
    name: 'form fields drawn anew, signed',
    named: /is of a kind that Barewitness does not write.*\/NeedAppearances/,
    build: preparedBefore((text) => replaceOnce(text, '/SigFlags 3\n', '/SigFlags 3\n/NeedAppearances true\n')),
  },
  {
    name: 'a certification that allows annotations, signed',
    named: /dictionary of the author’s signature is not one that Barewitness writes/,
    build: preparedBefore((text) => replaceOnce(text, '/P 2\n/V /1.2', '/P 3\n/V /1.2')),
  },
  {
    name: 'a signature in two fields, signed',
    named: /has 2 of a required single part: signature field/,
    build: preparedBefore((text) => {
      const id = trailerNumber(text, 'Size')
      const { catalog } = placesIn(text)
      const form = bodyOf(text, refIn(catalog, 'AcroForm'))
      const field = refIn(form, 'Fields')
      const twice = replaceOnce(text, `/Fields [${field} 0 R]`, `/Fields [${field} 0 R ${id} 0 R]`)
      return replaceOnce(twice, /(?<=endobj\n)(?=xref\n)/, `${id} 0 obj\n${bodyOf(text, field)}\nendobj\n`)
    }),
  },
  {
    name: 'a second object of the same number, signed',
    named: /occurs more than once/,
    build: preparedBefore((text) => {
      const { pageId, page } = placesIn(text)
      return replaceOnce(text, /(?<=endobj\n)(?=xref\n)/, `${pageId} 0 obj\n${page}\nendobj\n`)
    }),
  },
]

/** The attacks on signed PDFs that are known, on a report of ours: signature wrapping, shadow attacks, and what our own form forbids. */
export const PDF_ATTACKS: readonly PdfAttack[] = [...ATTACKS_IN_PLACE, ...ATTACKS_APPENDED, ...BEFORE]

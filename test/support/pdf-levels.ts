import { renderReport } from '../../main/adapters/pdf/index.ts'
import { completeArchive, prepareArchive } from '../../main/adapters/seal/pdf/archive.ts'
import { addSignatureTimestamp, signatureImprint } from '../../main/adapters/seal/pdf/update.ts'
import { signPdf } from '../../main/adapters/seal/reader.ts'
import type { ArchiveMaterial } from '../../main/core/all-ports.ts'
import type { ReportDocument } from '../../main/core/base/report-document.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import type { Figure } from '../../schemas/figure.ts'
import { must } from './outcomes.ts'

/** What a time-stamp authority must do here: a token over bytes of which the SHA-256 is given, and what checks it. */
export interface Stamper {
  readonly stamp: (imprint: Uint8Array) => Uint8Array
  readonly chain: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
}

export interface Levels {
  readonly basic: Uint8Array
  readonly stamped: Uint8Array
  readonly archived: Uint8Array
  /** Archived again: a second document time-stamp. */
  readonly refreshed: Uint8Array
}

export const EVIDENCE_DIGEST = 'ab'.repeat(32)
export const ATTACHED = new TextEncoder().encode(JSON.stringify({ results: 'of a small test', list: [1, 2, 3] }))

/** Half seen through, as areas of maps are, and a text on a ground of its own. */
const MAP: Figure = {
  kind: 'location-map',
  title: 'A map',
  caption: 'It shows nothing.',
  width: 100,
  height: 50,
  marks: [
    {
      is: 'area',
      rings: [
        [
          [10, 10],
          [40, 10],
          [10, 40],
        ],
      ],
      tone: 'for',
      fill: 'solid',
      outline: 'solid',
    },
    {
      is: 'text',
      x: 60,
      y: 30,
      text: 'Here',
      size: 8,
      tone: 'plain',
      anchor: 'start',
      bold: false,
      mono: false,
      rimmed: true,
    },
  ],
  legend: [],
  table: { head: ['A'], rows: [['x']] },
}

/** A report of three pages: every kind of dictionary that a large one has. */
const SMALL: ReportDocument = {
  title: 'A small report',
  language: 'en',
  subject: '',
  producer: 'Barewitness 0.0.0-test',
  demo: false,
  runningHead: 'pack small',
  runningFoot: 'small',
  sections: [
    {
      id: 'cover',
      title: 'Cover',
      blocks: [
        { kind: 'title', over: 'Over', text: 'A small report', under: 'Under' },
        { kind: 'contents' },
        { kind: 'list', items: [{ text: 'One' }, { text: 'Two', mark: 'ring-tick', means: 'Shown' }] },
      ],
    },
    {
      id: 'body',
      title: 'Body',
      blocks: [
        { kind: 'heading', level: 3, text: 'A heading', bookmark: true },
        { kind: 'text', line: { text: 'Zwölf Boxkämpfer — “quoted”', style: 'quiet' } },
        { kind: 'facts', rows: [{ label: 'Fact', value: [{ text: 'value', style: 'mono' }] }] },
        {
          kind: 'table',
          columns: [
            { title: 'A', width: 1 },
            { title: 'B', width: 2 },
          ],
          rows: [[[{ text: 'x' }], [{ text: 'y' }]]],
          rowHeaders: true,
        },
        { kind: 'code', lines: ['sha256sum -c manifest'] },
        { kind: 'banner', title: 'Banner', text: 'Words' },
        { kind: 'figure', figure: MAP },
      ],
    },
    { id: 'end', title: 'Ende (schön)', blocks: [{ kind: 'text', line: { text: 'The end.' } }] },
  ],
}

export const smallReport = (digest = EVIDENCE_DIGEST, placeholder = true): Promise<Uint8Array> =>
  renderReport(
    { ...SMALL, subject: `Evidence digest ${digest}` },
    {
      created: '2026-11-20T12:00:00.000Z',
      placeholder,
      attachments: [{ name: 'assessment.json', bytes: ATTACHED, description: 'Evaluated results' }],
    },
  )

export const materialOf = (signer: Signer, tsa: Stamper): ArchiveMaterial => ({
  certificates: [signer.certificate, ...signer.chain, ...tsa.chain],
  crls: [...signer.crls, ...tsa.crls],
})

/** One report at each level, signed by the same key and stamped by the same authority. */
export async function atEachLevel(report: Uint8Array, signer: Signer, tsa: Stamper): Promise<Levels> {
  const basic = await signPdf(report, signer)
  const stamped = must(addSignatureTimestamp(basic, tsa.stamp(must(signatureImprint(basic)))))
  const archive = (pdf: Uint8Array, material: ArchiveMaterial): Uint8Array => {
    const { prepared, imprint } = must(prepareArchive(pdf, material))
    return must(completeArchive(prepared, tsa.stamp(imprint)))
  }
  const archived = archive(stamped, materialOf(signer, tsa))
  return { basic, stamped, archived, refreshed: archive(archived, { certificates: [], crls: [] }) }
}

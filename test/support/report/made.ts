import { renderReport } from '../../../main/adapters/pdf/index.ts'
import {
  type Block,
  monoCell,
  plainCell,
  quiet,
  type ReportDocument,
  type Section,
  text,
} from '../../../main/core/base/report-document.ts'
import { type ReadReport, readReport } from '../pdf-pages.ts'
import { SAMPLE_AS_OF } from './sample.ts'

export const TWO = [
  { title: 'Test performed', width: 1 },
  { title: 'Result of test', width: 1 },
]

/** One of every block but a title and a figure. */
export const EVERYTHING: readonly Block[] = [
  { kind: 'heading', level: 3, text: 'A heading', mark: 'severity-high' },
  text('Words.'),
  quiet('Quiet words.'),
  { kind: 'text', line: { text: 'ab12'.repeat(16), style: 'mono' } },
  { kind: 'list', items: [{ text: 'An item' }, { text: 'A quiet item', style: 'quiet' }] },
  { kind: 'facts', rows: [{ label: 'Label', value: [{ text: 'value' }, { text: 'ab12', style: 'mono' }] }] },
  { kind: 'facts', isPaired: true, rows: [{ label: 'Label', value: plainCell('value') }] },
  {
    kind: 'table',
    columns: TWO,
    rows: [
      [
        [
          { text: 'Group', style: 'strong' },
          { text: 'with words', style: 'quiet' },
        ],
      ],
      [plainCell('one'), plainCell('Result of one')],
      [monoCell('x'), []],
    ],
  },
  { kind: 'code', lines: ['sha256sum -c'] },
  { kind: 'banner', title: 'Banner', text: 'Words.' },
  { kind: 'contents' },
  { kind: 'heading', level: 4, text: 'A small heading' },
  text('The end.'),
]

/** Every kind of block and of link, over several pages. */
export const linked = (more: Partial<ReportDocument>): ReportDocument =>
  reportOf(
    [
      {
        id: 'first',
        title: 'First',
        blocks: [
          { kind: 'title', over: '', text: 'A report', under: 'With every block' },
          { kind: 'text', line: { text: 'A long link. '.repeat(30), link: 'line', showsPage: true } },
          { kind: 'list', items: [{ text: 'To a heading', link: 'heading', mark: 'severity-low' }] },
          { kind: 'heading', level: 3, text: 'In a table' },
          {
            kind: 'table',
            columns: [...TWO, { title: 'Page', width: 1, align: 'right' }],
            rows: Array.from({ length: 60 }, (_, index) =>
              index % 20 === 0
                ? [[{ text: `Group ${index}`, style: 'strong', anchor: `group-${index}` }]]
                : [
                    plainCell('x'),
                    [{ text: 'Back', link: `group-${index - (index % 20)}` }],
                    [{ text: '', link: 'line', showsPage: true }],
                  ],
            ),
          },
        ],
      },
      { id: 'second', title: 'Second', flows: true, blocks: EVERYTHING },
      {
        id: 'third',
        title: 'Third',
        flows: true,
        blocks: [
          { kind: 'heading', level: 3, text: 'A heading to find', anchor: 'heading' },
          { kind: 'text', line: { text: 'A line to find', anchor: 'line' } },
        ],
      },
    ],
    more,
  )

/** A report of these sections and nothing else. */
export const reportOf = (sections: readonly Section[], more: Partial<ReportDocument> = {}): ReportDocument => ({
  title: 'A report',
  language: 'en',
  subject: 'Pages',
  producer: 'Barewitness 0.0.0-test',
  demo: false,
  runningHead: 'Left head',
  runningFoot: 'Left foot',
  sections,
  ...more,
})

export const renderPlain = (document: ReportDocument): Promise<Uint8Array> =>
  renderReport(document, { attachments: [], created: SAMPLE_AS_OF, placeholder: false })

export const readPages = async (document: ReportDocument): Promise<ReadReport> =>
  readReport(await renderPlain(document))

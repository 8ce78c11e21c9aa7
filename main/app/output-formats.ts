import type { Ports, PrintSetup } from '../core/all-ports.ts'
import { fileNamed } from '../core/file-names.ts'
import { plain } from '../core/plain-text.ts'
import type { Signer } from '../core/ports.ts'
import { viewSheets } from '../present/formats/grids/ai-views.ts'
import { poamSheets } from '../present/formats/grids/poam.ts'
import { hdfFiles } from '../present/formats/hdf.ts'
import type { FormatInput } from '../present/formats/input.ts'
import { oscalFiles } from '../present/formats/oscal.ts'
import { workbookOf } from '../present/formats/workbook.ts'
import { buildBinder } from '../present/report/binder.ts'
import { buildAnnexes, paperOf, type ReportInput } from '../present/report.ts'
import { collectGarbageBetween } from './memory-pressure.ts'
import type { Content } from './output-files.ts'
import { jiraTable, serviceNowTable } from './tables.ts'

/** Additional outputs: page 1 alone, the annexes, a binder by control, the same assessment and findings for other tools, and views of further frameworks. */
export const ALSO = ['executive', 'annex', 'binder', 'xlsx', 'oscal', 'hdf', 'poam', 'tickets', 'views'] as const
export type Also = (typeof ALSO)[number]

interface AlsoInput extends ReportInput, FormatInput {
  readonly signer: Signer
  /** UTC, ISO 8601: every date in the files. */
  readonly created: string
  /** The executive summary, as in the pack. */
  readonly executive: Uint8Array
}

type NamedBytes = readonly [name: string, bytes: Content]
type Maker = (ports: FormatPorts, input: AlsoInput) => AsyncIterable<NamedBytes>

/** What the makers of formats need. */
type FormatPorts = Pick<Ports, 'csvPieces' | 'reports' | 'sealing' | 'tidyMemory' | 'xlsx'>

/**
 * The selected files by name, from one assessment, each generated on demand: with a large fleet each is large. The
 * executive summary is the one in the pack; the binder is signed like the report, and names the same evidence.
 */
export async function* alsoFiles(
  ports: FormatPorts,
  wanted: readonly Also[],
  input: AlsoInput,
): AsyncGenerator<NamedBytes> {
  for (const one of ALSO) {
    if (!wanted.includes(one)) continue
    collectGarbageBetween(ports, input.assessment.nodes.length)
    yield* MAKERS[one](ports, input)
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`

const printOf = ({ assessment: { scope }, run, demo }: AlsoInput): PrintSetup => ({
  paper: paperOf(scope),
  foot: `${demo ? 'Demo data. ' : ''}${plain(scope.engagement?.entity ?? scope.fleet, 80)}, run ${run}`,
})

const MAKERS: Readonly<Record<Also, Maker>> = {
  executive: async function* (_, { prefix, executive }) {
    yield [fileNamed(prefix, 'executive.pdf'), executive]
  },
  annex: async function* (ports, input) {
    const rendered = await ports.reports.render(buildAnnexes(input), { attachments: [], created: input.created })
    yield [fileNamed(input.prefix, 'annexes.pdf'), await ports.sealing.signPdf(rendered, input.signer)]
  },
  binder: async function* (ports, input) {
    const rendered = await ports.reports.render(buildBinder(input), { attachments: [], created: input.created })
    yield [fileNamed(input.prefix, 'binder.pdf'), await ports.sealing.signPdf(rendered, input.signer)]
  },
  xlsx: async function* (ports, input) {
    yield [fileNamed(input.prefix, 'register.xlsx'), await ports.xlsx(workbookOf(input), printOf(input))]
  },
  oscal: async function* (_, input) {
    for (const [name, value] of oscalFiles(input)) yield [name, json(value)]
  },
  hdf: async function* (_, input) {
    for (const [name, value] of hdfFiles(input)) yield [`hdf/${fileNamed(input.prefix, name)}`, json(value)]
  },
  poam: async function* (ports, input) {
    yield [fileNamed(input.prefix, 'poam.xlsx'), await ports.xlsx(poamSheets(input), printOf(input))]
  },
  views: async function* (ports, input) {
    yield [fileNamed(input.prefix, 'views.xlsx'), await ports.xlsx(viewSheets(input), printOf(input))]
  },
  tickets: async function* (ports, input) {
    yield [fileNamed(input.prefix, 'tickets-jira.csv'), ports.csvPieces(jiraTable(input), 'importer')]
    yield [fileNamed(input.prefix, 'tickets-servicenow.csv'), ports.csvPieces(serviceNowTable(input), 'importer')]
  },
}

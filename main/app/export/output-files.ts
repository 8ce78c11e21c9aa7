import type {
  Assessment,
  Capture,
  NodeAssessment,
  Period,
  ProviderClaim,
  ProviderProfile,
  Register,
  Scope,
} from '../../../schemas/types.ts'
import type { Ports, PrintSetup } from '../../core/all-ports.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import { fileNamed, filePrefix, HTML_REPORT, prefixWithRun, REPORT } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import { collectedAt } from '../../core/conclusion/tally.ts'
import { assessmentPieces, nodeFolder, type PackContent } from '../../core/pack/pack-files.ts'
import type { Signer } from '../../core/ports/ports.ts'
import {
  byProbeAndCommand,
  compare,
  type RecordingOutline,
  recordingDigest,
  replacedByClass,
} from '../../core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../core/register/register.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { viewSheets } from '../../present/formats/grids/ai-views.ts'
import { complementaryPeriodGrid } from '../../present/formats/grids/complementary-controls.ts'
import { controlsGrid } from '../../present/formats/grids/controls.ts'
import { type Grid, textRows } from '../../present/formats/grids/grid.ts'
import { locationGrid } from '../../present/formats/grids/location.ts'
import { poamSheets } from '../../present/formats/grids/poam.ts'
import { populationGrid } from '../../present/formats/grids/population.ts'
import { findingsGrid, RESULTS_COLUMNS, resultRows } from '../../present/formats/grids/results.ts'
import { jiraGrid, serviceNowGrid, type TicketInput } from '../../present/formats/grids/tickets.ts'
import { hdfFiles } from '../../present/formats/hdf.ts'
import type { FormatInput } from '../../present/formats/input.ts'
import { oscalFiles } from '../../present/formats/oscal.ts'
import { testsPage } from '../../present/formats/tests-page.ts'
import { workbookOf } from '../../present/formats/workbook.ts'
import { README, recipientNote, VERIFY } from '../../present/recipient.ts'
import { buildBinder } from '../../present/report/controls/binder.ts'
import { commandLine } from '../../present/report/scope/evidence.ts'
import { buildAnnexes, paperOf, type ReportInput } from '../../present/report.ts'
import { collectGarbageBetween, tidyAfter } from '../common/memory-pressure.ts'
import { summaryText } from '../evaluate/summary.ts'

/** The assessment as tables for spreadsheets. Plain lines of text; an adapter turns them into files. */
export type Table = readonly (readonly string[])[]

/** One line per finding. */
export const findingsTable = (input: Pick<FormatInput, 'assessment' | 'catalog' | 'remediations' | 'shown'>): Table =>
  tableOf(findingsGrid(input))

/** One line per node and check, with the risk acceptance in effect. Each is generated on demand. */
export const resultsTable = (
  input: Pick<FormatInput, 'assessment' | 'catalog' | 'register' | 'shown'>,
): Iterable<readonly string[]> => textRows(RESULTS_COLUMNS, resultRows(input))

/** One line per control of each framework in scope, with its counts, documents and control decisions. */
export const controlsTable = (assessment: Assessment, catalog: Catalog, register: Register = EMPTY_REGISTER): Table =>
  tableOf(controlsGrid(assessment, catalog, register))

/** One line per node of the population, with the lists that contain it and the counts of its verdicts. */
export const populationTable = (assessment: Assessment): Table => tableOf(populationGrid(assessment))

/** One line per node: its declared place, the supporting evidence, and its maximum distance. */
export const locationTable = (assessment: Assessment): Table => tableOf(locationGrid(assessment))

/** One line per finding for the CSV imports of Jira and of ServiceNow. */
export const jiraTable = (input: TicketInput): Table => tableOf(jiraGrid(input))
export const serviceNowTable = (input: TicketInput): Table => tableOf(serviceNowGrid(input))

/** One line per control that a report of a provider expects of customers, or that a subservice organization operates. */
export const complementaryTable = (period: Period, catalog: Catalog): Table =>
  tableOf(complementaryPeriodGrid(period, catalog))

const tableOf = ({ columns, rows }: Grid): Table => [...textRows(columns, rows)]

export interface ExportedFile {
  readonly name: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

export type Content = Uint8Array | string | Iterable<string>
/** Files by name, in the order in which they are generated. */
export type Contents = Iterable<readonly [string, Content]> | AsyncIterable<readonly [string, Content]>

/** Outputs that people open without a pack, by name. Each is generated on demand: with a large fleet each is large. */
export function* derivedFiles(
  ports: Pick<Ports, 'csvPieces' | 'tidyMemory'>,
  input: FormatInput,
  { report, html, help }: { readonly report: Uint8Array; readonly html: Content; readonly help: Uint8Array },
): Generator<readonly [string, Content]> {
  const { csvPieces } = ports
  const { assessment, catalog, register, recordings, prefix } = input
  const named = (kind: string): string => fileNamed(prefix, kind)
  yield [named(REPORT), report]
  yield [named(HTML_REPORT), html]
  yield [named(README), recipientNote(input)]
  yield [named(VERIFY), help]
  yield [named('assessment.json'), assessmentPieces(assessment)]
  yield [named('summary.txt'), `${summaryText(input)}\n`]
  yield [named('findings.csv'), csvPieces(findingsTable(input))]
  yield [named('results.csv'), csvPieces(resultsTable(input))]
  yield [named('controls.csv'), csvPieces(controlsTable(assessment, catalog, register))]
  yield [named('population.csv'), csvPieces(populationTable(assessment))]
  yield [named('location.csv'), csvPieces(locationTable(assessment))]
  yield [named('evidence.csv'), csvPieces(evidenceTable(recordings, (nodes) => tidyAfter(ports, nodes)))]
  if (assessment.scope.provider !== undefined) yield [named('claims.csv'), csvPieces(claimsTable(assessment))]
}

/**
 * The beginning of the names of a run's files: organization and evaluation date, followed by the run where the folder
 * has another run's report of that name. Null where that name is taken too.
 */
export async function prefixIn(
  { files }: Pick<Ports, 'files'>,
  folder: string,
  { scope, asOf, run, report }: PrefixInput,
): Promise<string | null> {
  const plainly = filePrefix({ organization: scope.engagement?.entity ?? scope.fleet, dates: [asOf] })
  for (const prefix of [plainly, prefixWithRun(plainly, run)]) {
    const there = await files.digest(`${folder}/${fileNamed(prefix, REPORT)}`)
    if (!there.ok || there.value.sha256 === report) return prefix
  }
  return null
}

interface PrefixInput {
  readonly scope: Pick<Scope, 'fleet' | 'engagement'>
  readonly asOf: string
  readonly run: string
  /** Digest of the report of this run, where it is sealed already. */
  readonly report: string | null
}

/** Writes files next to the pack, one at a time; returns all of them, the pack first. Fails with store.failed. */
export async function writeDerived(
  ports: Pick<Ports, 'files'>,
  folder: string,
  packName: string,
  ...contents: readonly Contents[]
): Promise<Outcome<readonly ExportedFile[]>> {
  const archive = await ports.files.digest(`${folder}/${packName}`)
  if (!archive.ok) return archive
  const files: ExportedFile[] = [{ name: packName, path: `${folder}/${packName}`, ...archive.value }]
  for (const some of contents)
    for await (const [name, content] of some) {
      const path = `${folder}/${name}`
      const whole = typeof content === 'string' || content instanceof Uint8Array
      const written = await ports.files.writePieces(path, whole ? [content] : content)
      if (!written.ok) return written
      files.push({ name, path, ...written.value })
    }
  return ok(files)
}

/** Files that a person receives as one. */
interface HandOut {
  readonly folder: string
  /** Path of the new file. */
  readonly to: string
  /** The folder inside it. */
  readonly name: string
}

/** Joins the files of a folder into one new ZIP file, with their paths inside `name`. Fails as reading and writing do. */
export async function zipFolder(
  { files, packs }: Pick<Ports, 'files' | 'packs'>,
  { folder, to, name }: HandOut,
): Promise<Outcome<null>> {
  const there = await files.below(folder)
  if (!there.ok) return there
  const contents = new Map<string, PackContent>()
  for (const path of there.value.files) {
    const stored = await files.stored(`${folder}/${path}`)
    if (!stored.ok) return stored
    contents.set(path, stored.value)
  }
  return await packs.handOut(to, contents, name)
}

interface ClaimResult {
  readonly node: NodeAssessment
  readonly claimed: NonNullable<NodeAssessment['claims']>[number]
  readonly claim: ProviderClaim | undefined
  readonly source: ProviderProfile['sources'][number] | undefined
}

const CLAIM_COLUMNS: readonly (readonly [title: string, cell: (result: ClaimResult) => string | null | undefined])[] = [
  ['node', ({ node }) => node.node],
  ['claim id', ({ claimed }) => claimed.claim],
  ['provider claim', ({ claim }) => claim?.text],
  ['result', ({ claimed }) => claimed.result],
  [
    'observations',
    ({ claimed: { observations }, claim }) =>
      observations.length > 0
        ? observations.map(({ direction, text }) => `${direction}: ${text}`).join(' | ')
        : claim?.why,
  ],
  ['source', ({ source }) => source?.title],
  ['location in source', ({ source }) => source?.where],
  ['date of source (UTC)', ({ source }) => source?.on],
  ['publisher', ({ source }) => source?.publisher],
  ['address', ({ source }) => source?.address],
  ['SHA-256 of stored copy', ({ source }) => source?.sha256],
  ['condition', ({ claim }) => claim?.condition?.text],
  ['observed at (UTC)', ({ node }) => collectedAt(node)],
  // A claim about a node that gave no evidence is inconclusive too; its result was not tested.
  ['node collected', ({ node }) => (collectedAt(node) === '' ? 'no' : 'yes')],
]

/** One line per node and provider claim; the heading alone where no provider was declared. */
export function* claimsTable({ scope, nodes }: Pick<Assessment, 'scope' | 'nodes'>): Generator<readonly string[]> {
  const claims = new Map(scope.provider?.claims.map((claim) => [claim.id, claim]))
  const sources = new Map(scope.provider?.sources.map((source) => [source.id, source]))
  yield CLAIM_COLUMNS.map(([title]) => title)
  for (const node of nodes)
    for (const claimed of node.claims ?? []) {
      const claim = claims.get(claimed.claim)
      const result = { node, claimed, claim, source: sources.get(claim?.source ?? '') }
      yield CLAIM_COLUMNS.map(([, cell]) => plain(cell(result) ?? '', 30_000))
    }
}

interface CaptureInPack {
  readonly node: string
  readonly capture: Capture
  /** Digest of its recording. */
  readonly recording: string
}

const EVIDENCE_COLUMNS: readonly (readonly [title: string, cell: (one: CaptureInPack) => string])[] = [
  ['node', ({ node }) => plain(node)],
  ['probe', ({ capture }) => plain(capture.probe)],
  ['command', ({ capture }) => plain(capture.command)],
  ['command as run', ({ capture }) => commandLine(capture)],
  ['source', ({ capture }) => capture.source],
  ['privilege', ({ capture }) => capture.privilege],
  ['status', ({ capture }) => capture.status],
  ['exit status', ({ capture }) => `${capture.exitCode ?? ''}`],
  ['timed out', ({ capture }) => (capture.status === 'timed-out' ? 'yes' : 'no')],
  ['truncated', ({ capture }) => (capture.status === 'truncated' ? 'yes' : 'no')],
  ['output (bytes)', ({ capture }) => `${capture.stdout.size}`],
  ['error output (bytes)', ({ capture }) => `${capture.stderr.size}`],
  ['output SHA-256', ({ capture }) => capture.stdout.sha256],
  ['error output SHA-256', ({ capture }) => capture.stderr.sha256],
  ['started at (UTC)', ({ capture }) => plain(capture.startedAt)],
  ['duration (ms)', ({ capture }) => `${capture.durationMs}`],
  ['masked values', ({ capture }) => `${capture.maskedCount ?? 0}`],
  ['masked, by class', ({ capture }) => plain(replacedByClass([capture]))],
  ['path in pack', ({ node, capture }) => `${nodeFolder(node)}/sha256/${capture.stdout.sha256}`],
  ['recording SHA-256', ({ recording }) => recording],
]

/**
 * Every capture of every recording, one line each: the complete list behind the report's evidence index, with every
 * short code of the report in full. One recording is in memory at a time; `onNode` is called after each. Ordered by node, then as in
 * captures.jsonl.
 */
export function* evidenceTable(
  outlines: readonly RecordingOutline[],
  onNode: (nodes: number) => void = () => undefined,
): Generator<readonly string[]> {
  const ordered = [...outlines].sort(
    (a, b) =>
      compare(a.recording.node.name, b.recording.node.name) || compare(a.recording.startedAt, b.recording.startedAt),
  )
  yield EVIDENCE_COLUMNS.map(([title]) => title)
  for (const [at, outline] of ordered.entries()) {
    yield* rowsOf(outline)
    onNode(at + 1)
  }
}

function rowsOf(outline: RecordingOutline): readonly (readonly string[])[] {
  const { name: node } = outline.recording.node
  const recording = recordingDigest(outline)
  return outline.captures
    .map(({ meta }) => meta)
    .sort(byProbeAndCommand)
    .map((capture) => EVIDENCE_COLUMNS.map(([, cell]) => cell({ node, capture, recording })))
}

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

/** Ports that the makers of formats need. */
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
    yield [fileNamed(input.prefix, 'test-table.html'), testsPage(input)]
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

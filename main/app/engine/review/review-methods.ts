import type { Chosen, Input } from '../../../../schemas/ipc.ts'
import type { LimitGroup, Sample, Worksheet, WorksheetLine } from '../../../../schemas/ipc-packs.ts'
import {
  SAMPLE_POPULATIONS,
  type SamplePopulation,
  STRATA,
  WORK_STATES,
  type WorkState,
} from '../../../../schemas/review-words.ts'
import { PRODUCER } from '../../../../schemas/version.ts'
import { VERDICTS } from '../../../../schemas/words.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { worksheetPath } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { tally } from '../../../core/conclusion/tally.ts'
import { drawSample, populationOfSample, type SampleTerms, stratumOf } from '../../../core/pack/sample.ts'
import { catalogFor } from '../../../core/rules/catalog.ts'
import { textRows } from '../../../present/formats/grids/grid.ts'
import { limitsPage } from '../../../present/limits-page.ts'
import { paperOf } from '../../../present/report.ts'
import { type WorksheetInput, worksheetDocument, worksheetGrid, worksheetSheets } from '../../../present/worksheet.ts'
import { type EngineContext, methods, type PackState } from '../context/context.ts'
import { haveTexts, isObject, readKept, saved, turnOf, writeKept } from '../context/kept-json.ts'
import { presentationOfPack, resultsOfPack } from '../results/presented.ts'
import { importCheckpoint, type Opening, openPack, reopenPack, trustAuthority, trustSigner } from './review-pack.ts'
import { pathOfRecent, recentPacks } from './review-recent.ts'

/** The notes on the open pack, or null when there are none yet. */
async function readWorksheet(context: EngineContext): Promise<Outcome<Worksheet | null>> {
  const { pack } = context.session
  if (pack === null) return fail('input.refused', 'no pack is open')
  const file = await worksheetFile(context, pack)
  if (!file.ok) return file
  return ok(file.value === null ? null : viewOf(pack, file.value))
}

/** Samples results of the open pack by a seed. */
async function drawFor(
  context: EngineContext,
  { auditor, ...terms }: Input<'review.sample'>,
): Promise<Outcome<Worksheet>> {
  return await changed(context, (file, at, pack) =>
    ok({
      ...file,
      auditor: auditor.trim(),
      sample: drawSample(resultsOfPack(context, pack), terms),
      draws: [...file.draws, { ...terms, at }],
    }),
  )
}

/** How many results each population of the open pack has. */
function populationsOf(context: EngineContext): Outcome<Readonly<Record<SamplePopulation, number>>> {
  const { pack } = context.session
  if (pack === null || pack.assessment === null) return fail('input.refused', NOT_READABLE)
  const results = resultsOfPack(context, pack)
  const [deciding = 0, tested = 0, all = 0] = SAMPLE_POPULATIONS.map((from) => populationOfSample(results, from).length)
  return ok({ deciding, tested, all })
}

/** Records an auditor's decision and note on one result. */
async function noteOn(context: EngineContext, line: Input<'review.note'>): Promise<Outcome<Worksheet>> {
  const isSame = (one: { readonly node: string; readonly check: string }): boolean =>
    one.node === line.node && one.check === line.check
  return await changed(context, (file, at, { assessment }) =>
    assessment?.nodes.some(
      ({ node, results }) => node === line.node && results.some(({ check }) => check === line.check),
    ) === true
      ? ok({
          ...file,
          lines: [...file.lines.filter((one) => !isSame(one)), { ...line, at }],
          history: [...file.history, ...file.lines.filter(isSame)],
        })
      : fail('input.refused', 'the pack contains no such result'),
  )
}

const NOT_READABLE = 'no pack with readable results is open'

type Change = (file: WorksheetFile, at: string, pack: PackState) => Outcome<WorksheetFile>

async function changed(context: EngineContext, change: Change): Promise<Outcome<Worksheet>> {
  const { ports, session } = context
  const { pack } = session
  if (pack === null || pack.assessment === null) return fail('input.refused', NOT_READABLE)
  const before = await worksheetFile(context, pack)
  if (!before.ok) return before
  const next = change(before.value ?? emptyFile(pack), ports.clock.now(), pack)
  if (!next.ok) return next
  const written = await writeKept(ports, worksheetPath(context.folder, pack.sha256), next.value)
  return written.ok ? ok(viewOf(pack, next.value)) : written
}

const viewOf = ({ review }: PackState, { auditor, sample, lines }: WorksheetFile): Worksheet => ({
  file: review.file,
  auditor,
  sample,
  lines,
})

const emptyFile = ({ sha256 }: PackState): WorksheetFile => ({
  schema: 'barewitness.worksheet/2',
  sha256,
  auditor: '',
  sample: null,
  draws: [],
  lines: [],
  history: [],
})

async function worksheetFile(context: EngineContext, pack: PackState): Promise<Outcome<WorksheetFile | null>> {
  const isOurs = (value: unknown): value is AnyWorksheetFile => isWorksheet(value) && value.sha256 === pack.sha256
  const read = await readKept(context.ports, worksheetPath(context.folder, pack.sha256), isOurs)
  if (!read.ok) return read
  return ok(read.value === null ? null : upToDate(read.value))
}

/** An auditor's notes on one pack. Earlier samples and notes stay in the file. */
interface WorksheetFile {
  readonly schema: 'barewitness.worksheet/2'
  /** Digest of the pack that the notes concern. */
  readonly sha256: string
  /** As typed; empty where no name was given. */
  readonly auditor: string
  /**
   * Stored, because another version of the rules may rate severities differently and therefore draw another sample.
   */
  readonly sample: Sample | null
  /** Every sample with its time, oldest first: repeated sampling stays visible. */
  readonly draws: readonly (SampleTerms & { readonly at: string })[]
  /** The latest decision and note of each result. */
  readonly lines: readonly WorksheetLine[]
  /** Earlier decisions and notes, oldest first. */
  readonly history: readonly WorksheetLine[]
}

type EarlierState = 'open' | 'looked-at' | 'question' | 'accepted'
type EarlierLine = Omit<WorksheetLine, 'state'> & { readonly state: EarlierState }

/** The form of earlier versions, without strata, populations and decisions. */
interface EarlierFile {
  readonly schema: 'barewitness.worksheet/1'
  readonly sha256: string
  readonly sample: {
    readonly seed: string
    readonly population: number
    readonly sampled: readonly Pick<Sample['sampled'][number], 'place' | 'node' | 'check' | 'verdict'>[]
  } | null
  readonly draws: readonly { readonly seed: string; readonly size: number; readonly at: string }[]
  readonly lines: readonly EarlierLine[]
  readonly history: readonly EarlierLine[]
}

type AnyWorksheetFile = WorksheetFile | EarlierFile

/** The decisions of an earlier version: “looked at” was no decision, and a question asked for more evidence. */
const DECIDED: Readonly<Record<EarlierState, WorkState>> = {
  open: 'open',
  'looked-at': 'open',
  question: 'needs-more-evidence',
  accepted: 'agrees',
}

const EARLIER_TERMS = { from: 'all', stratified: false } as const

/** Converts a worksheet of an earlier version, with every sample, note and time in it. */
function upToDate(file: AnyWorksheetFile): WorksheetFile {
  if (file.schema === 'barewitness.worksheet/2') return file
  const line = (one: EarlierLine): WorksheetLine => ({ ...one, state: DECIDED[one.state] })
  const { sha256, sample, draws, lines, history } = file
  return {
    schema: 'barewitness.worksheet/2',
    sha256,
    auditor: '',
    sample:
      sample === null
        ? null
        : {
            ...sample,
            ...EARLIER_TERMS,
            strata: [],
            sampled: sample.sampled.map((one) => ({
              ...one,
              severity: null,
              stratum: stratumOf({ verdict: one.verdict, severity: null }),
            })),
          },
    draws: draws.map((draw) => ({ ...draw, ...EARLIER_TERMS })),
    lines: lines.map(line),
    history: history.map(line),
  }
}

const has = (known: readonly string[], value: unknown): boolean => typeof value === 'string' && known.includes(value)

/** Whether a value is a worksheet of this or an earlier version. */
function isWorksheet(value: unknown): value is AnyWorksheetFile {
  if (!isObject(value) || typeof value.sha256 !== 'string' || !Array.isArray(value.draws)) return false
  const lists = [value.lines, value.history]
  if (value.schema === 'barewitness.worksheet/1')
    return isSample(value.sample, isDrawn) && lists.every((lines) => areLines(lines, Object.keys(DECIDED)))
  return (
    value.schema === 'barewitness.worksheet/2' &&
    typeof value.auditor === 'string' &&
    isSample(value.sample, (one) => isDrawn(one) && has(STRATA, one.stratum)) &&
    (value.sample === null || (has(SAMPLE_POPULATIONS, value.sample.from) && Array.isArray(value.sample.strata))) &&
    lists.every((lines) => areLines(lines, WORK_STATES))
  )
}

const areLines = (lines: unknown, states: readonly string[]): boolean =>
  Array.isArray(lines) &&
  lines.every((line) => haveTexts(line, ['node', 'check', 'state', 'note', 'at']) && has(states, line.state))

const isDrawn = (one: Record<string, unknown>): boolean =>
  haveTexts(one, ['node', 'check', 'verdict']) && typeof one.place === 'number' && has(VERDICTS, one.verdict)

const isSample = (
  value: unknown,
  isOne: (one: Record<string, unknown>) => boolean,
): value is Record<string, unknown> | null =>
  value === null ||
  (isObject(value) &&
    typeof value.seed === 'string' &&
    typeof value.population === 'number' &&
    Array.isArray(value.sampled) &&
    value.sampled.every((one: unknown) => isObject(one) && isOne(one)))

/** Methods for an auditor who reads a pack. */
export function reviewMethods(context: EngineContext) {
  const { session } = context
  const turn = turnOf(context, 'pack')
  return methods({
    'pack.choose-and-verify': async (_input, chosen) =>
      chosen === undefined ? ok(null) : await turn(() => openPack(context, received(chosen.path))),
    // Not in the turn, because it ends the call that has the turn.
    'pack.stop': async () => {
      session.verifying?.abort()
      return ok(null)
    },
    'pack.recent': () => turn(() => recentPacks(context)),
    'pack.open-recent': ({ handle }) =>
      turn(async () => {
        const path = await pathOfRecent(context, handle)
        return path.ok ? await openPack(context, received(path.value)) : path
      }),
    'pack.review': async () => ok(session.pack?.review ?? null),
    'pack.trust': ({ howVerified }) => turn(() => trustSigner(context, howVerified)),
    'pack.trust-authority': async ({ howVerified }, chosen) =>
      chosen === undefined ? ok(null) : await turn(() => trustAuthority(context, chosen.path, howVerified)),
    'pack.import-checkpoint': async (_input, chosen) =>
      chosen === undefined ? ok(null) : await turn(() => importCheckpoint(context, chosen.path)),
    'pack.re-evaluate': () => turn(() => reopenPack(context)),
    'review.sample': (input) => turn(() => drawFor(context, input)),
    'review.worksheet': () => turn(() => readWorksheet(context)),
    'review.note': (input) => turn(() => noteOn(context, input)),
    'review.populations': async () => populationsOf(context),
    'review.limits': async () => ok(reviewLimits(context)),
    'review.save-worksheet': (_input, chosen) => turn(() => saveWorksheet(context, 'csv', chosen)),
    'review.save-workbook': (_input, chosen) => turn(() => saveWorksheet(context, 'xlsx', chosen)),
    'review.save-worksheet-pdf': (_input, chosen) => turn(() => saveWorksheet(context, 'pdf', chosen)),
  })
}

/** A file from another party, in contrast to a draft of this user. */
const received = (path: string): Opening => ({ path, draft: false, imported: null })

/** Limits of the open pack; empty where no pack is open. */
function reviewLimits(context: EngineContext): readonly LimitGroup[] {
  const { pack } = context.session
  if (pack === null) return []
  const { assessment } = pack
  const presentation = presentationOfPack(context, pack)
  if (assessment === null || presentation === null) return limitsPage({ report: pack.review.report, shown: null })
  const catalog = catalogFor(context.catalog, assessment.scope)
  return limitsPage({
    report: pack.review.report,
    shown: { assessment, catalog, tally: tally(assessment, catalog.checks), presentation },
  })
}

const MAKERS = {
  csv: async ({ ports }: EngineContext, input: WorksheetInput) => {
    const { columns, rows } = worksheetGrid(input)
    return ports.csv(textRows(columns, rows))
  },
  xlsx: async ({ ports }: EngineContext, input: WorksheetInput) =>
    await ports.xlsx(worksheetSheets(input), {
      paper: input.paper,
      foot: `${input.demo ? 'Demo data. ' : ''}Pack ${plain(input.sheet.file, 100)}`,
    }),
  pdf: async ({ ports }: EngineContext, input: WorksheetInput) =>
    await ports.reports.render(worksheetDocument(input), { attachments: [], created: input.writtenAt }),
} as const

/** Writes the worksheet of the open pack in one format. Refused without samples and notes. */
const saveWorksheet = (context: EngineContext, format: keyof typeof MAKERS, chosen: Chosen | undefined) =>
  saved(chosen, async (path) => {
    const input = await inputOf(context)
    return input.ok ? await context.ports.files.write(path, await MAKERS[format](context, input.value)) : input
  })

async function inputOf(context: EngineContext): Promise<Outcome<WorksheetInput>> {
  const { pack } = context.session
  const sheet = await readWorksheet(context)
  if (!sheet.ok) return sheet
  if (pack === null || pack.assessment === null || sheet.value === null)
    return fail('input.refused', 'there are no samples or notes yet')
  const { checks } = catalogFor(context.catalog, pack.assessment.scope)
  const expected = new Map(checks.map((check) => [check.id, check.expected]))
  const verdicts = new Map(
    pack.assessment.nodes.flatMap(({ node, results }) =>
      results.map(({ check, verdict }) => [`${node}\n${check}`, verdict] as const),
    ),
  )
  return ok({
    sheet: sheet.value,
    sha256: pack.sha256,
    demo: pack.review.report.demo,
    producer: PRODUCER,
    paper: paperOf(pack.assessment.scope),
    writtenAt: context.ports.clock.now(),
    verdictOf: (node, check) => verdicts.get(`${node}\n${check}`),
    expectedOf: (check) => expected.get(check) ?? '',
  })
}

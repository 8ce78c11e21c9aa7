import type { Input } from '../../../schemas/ipc.ts'
import { type Sample, WORK_STATES, type Worksheet, type WorksheetLine } from '../../../schemas/ipc-packs.ts'
import { VERDICTS, verdictWords } from '../../../schemas/words.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { worksheetPath } from '../../core/layout.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { drawSample, type SampledFinding } from '../../core/sample.ts'
import type { Table } from '../tables.ts'
import type { EngineContext } from './context.ts'
import { haveTexts, isObject, readKept, writeKept } from './kept-json.ts'
import type { PackState } from './session.ts'

/** An auditor's notes on one pack. Nothing is deleted: earlier samples and notes stay in the file. */
interface WorksheetFile {
  readonly schema: 'barewitness.worksheet/1'
  /** Digest of the pack that the notes concern. */
  readonly sha256: string
  readonly sample: Sample | null
  /** Every sample with its time, oldest first: repeated sampling stays visible. */
  readonly draws: readonly { readonly seed: string; readonly size: number; readonly at: string }[]
  /** The latest note of each result. */
  readonly lines: readonly WorksheetLine[]
  /** Earlier notes, oldest first. */
  readonly history: readonly WorksheetLine[]
}

/** The notes on the open pack, or null when there are none yet. */
export async function readWorksheet(context: EngineContext): Promise<Outcome<Worksheet | null>> {
  const { pack } = context.session
  if (pack === null) return fail('input.refused', 'no pack is open')
  const file = await worksheetFile(context, pack)
  if (!file.ok) return file
  return ok(file.value === null ? null : viewOf(pack, file.value))
}

/** Samples results of the open pack by a seed. */
export function drawFor(context: EngineContext, { size, seed }: Input<'review.sample'>): Promise<Outcome<Worksheet>> {
  return changed(context, (file, findings, at) =>
    ok({
      ...file,
      sample: drawSample(findings, size, seed),
      draws: [...file.draws, { seed, size, at }],
    }),
  )
}

/** Records an auditor's note on one result. */
export function noteOn(context: EngineContext, line: Input<'review.note'>): Promise<Outcome<Worksheet>> {
  const isSame = (one: { readonly node: string; readonly check: string }): boolean =>
    one.node === line.node && one.check === line.check
  return changed(context, (file, findings, at) =>
    findings.some(isSame)
      ? ok({
          ...file,
          lines: [...file.lines.filter((one) => !isSame(one)), { ...line, at }],
          history: [...file.history, ...file.lines.filter(isSame)],
        })
      : fail('input.refused', 'the pack contains no such result'),
  )
}

/** The notes as a table: sampled items in their order, then other notes. */
export async function worksheetTable(context: EngineContext): Promise<Outcome<Table>> {
  const { pack } = context.session
  const sheet = await readWorksheet(context)
  if (!sheet.ok) return sheet
  if (pack === null || sheet.value === null) return fail('input.refused', 'there are no samples or notes yet')
  const { sample, lines } = sheet.value
  const verdicts = new Map(findingsIn(pack).map((one) => [keyOf(one), one.verdict]))
  const drawn = sample?.sampled ?? []
  const isDrawn = new Set(drawn.map(keyOf))
  const others = lines.filter((line) => !isDrawn.has(keyOf(line)))
  const rows = [...drawn.map((one) => ({ ...one, place: String(one.place) })), ...others].map((one) => {
    const line = lines.find((noted) => keyOf(noted) === keyOf(one))
    const verdict = verdicts.get(keyOf(one))
    return [
      pack.review.file,
      pack.sha256,
      sample?.seed ?? '',
      sample === null ? '' : String(sample.population),
      'place' in one ? one.place : 'not sampled',
      one.node,
      one.check,
      verdict ?? '',
      verdict === undefined ? '' : verdictWords[verdict].label,
      line?.state ?? 'open',
      line?.note ?? '',
      line?.at ?? '',
    ]
  })
  return ok([HEAD, ...rows].map((row) => row.map((cell) => plain(cell, 30_000))))
}

const HEAD = [
  'pack',
  'pack SHA-256',
  'seed',
  'population',
  'position in population',
  'node',
  'check',
  'verdict',
  'verdict label',
  'state',
  'note',
  'noted at (UTC)',
]

type Change = (file: WorksheetFile, findings: readonly SampledFinding[], at: string) => Outcome<WorksheetFile>

async function changed(context: EngineContext, change: Change): Promise<Outcome<Worksheet>> {
  const { ports, session } = context
  const { pack } = session
  if (pack === null || pack.assessment === null) return fail('input.refused', 'no pack with readable results is open')
  const before = await worksheetFile(context, pack)
  if (!before.ok) return before
  const next = change(before.value ?? emptyFile(pack), findingsIn(pack), ports.clock.now())
  if (!next.ok) return next
  const written = await writeKept(ports, worksheetPath(context.folder, pack.sha256), next.value)
  return written.ok ? ok(viewOf(pack, next.value)) : written
}

const findingsIn = ({ assessment }: PackState): readonly SampledFinding[] =>
  (assessment?.nodes ?? []).flatMap(({ node, results }) =>
    results.map(({ check, verdict }) => ({ node, check, verdict })),
  )

const keyOf = ({ node, check }: { readonly node: string; readonly check: string }): string => `${node}\n${check}`

const viewOf = ({ review }: PackState, { sample, lines }: WorksheetFile): Worksheet => ({
  file: review.file,
  sample,
  lines,
})

const emptyFile = ({ sha256 }: PackState): WorksheetFile => ({
  schema: 'barewitness.worksheet/1',
  sha256,
  sample: null,
  draws: [],
  lines: [],
  history: [],
})

async function worksheetFile(context: EngineContext, pack: PackState): Promise<Outcome<WorksheetFile | null>> {
  const isOurs = (value: unknown): value is WorksheetFile => isWorksheet(value) && value.sha256 === pack.sha256
  return await readKept(context.ports, worksheetPath(context.folder, pack.sha256), isOurs)
}

const isWorksheet = (value: unknown): value is WorksheetFile =>
  isObject(value) &&
  value.schema === 'barewitness.worksheet/1' &&
  (value.sample === null || isSample(value.sample)) &&
  Array.isArray(value.draws) &&
  [value.lines, value.history].every((lines) => Array.isArray(lines) && lines.every(isLine))

const isLine = (value: unknown): value is WorksheetLine =>
  haveTexts(value, ['node', 'check', 'state', 'note', 'at']) && WORK_STATES.some((state) => state === value.state)

const isSample = (value: unknown): value is Sample =>
  isObject(value) &&
  typeof value.seed === 'string' &&
  typeof value.population === 'number' &&
  Array.isArray(value.sampled) &&
  value.sampled.every(
    (one: unknown) =>
      isObject(one) &&
      haveTexts(one, ['node', 'check', 'verdict']) &&
      VERDICTS.some((verdict) => verdict === one.verdict),
  )

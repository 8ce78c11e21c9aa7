import type { Input } from '../../../schemas/ipc.ts'
import type { Worksheet } from '../../../schemas/ipc-packs.ts'
import { SAMPLE_POPULATIONS, type SamplePopulation } from '../../../schemas/review-words.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { worksheetPath } from '../../core/layout.ts'
import { ok } from '../../core/result.ts'
import { drawSample, populationOfSample } from '../../core/sample.ts'
import type { EngineContext } from './context.ts'
import { readKept, writeKept } from './kept-json.ts'
import { resultsOfPack } from './review-results.ts'
import { type AnyWorksheetFile, isWorksheet, upToDate, type WorksheetFile } from './review-worksheet-file.ts'
import type { PackState } from './session.ts'

/** The notes on the open pack, or null when there are none yet. */
export async function readWorksheet(context: EngineContext): Promise<Outcome<Worksheet | null>> {
  const { pack } = context.session
  if (pack === null) return fail('input.refused', 'no pack is open')
  const file = await worksheetFile(context, pack)
  if (!file.ok) return file
  return ok(file.value === null ? null : viewOf(pack, file.value))
}

/** Samples results of the open pack by a seed. */
export async function drawFor(
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
export function populationsOf(context: EngineContext): Outcome<Readonly<Record<SamplePopulation, number>>> {
  const { pack } = context.session
  if (pack === null || pack.assessment === null) return fail('input.refused', NOT_READABLE)
  const results = resultsOfPack(context, pack)
  const [deciding = 0, tested = 0, all = 0] = SAMPLE_POPULATIONS.map((from) => populationOfSample(results, from).length)
  return ok({ deciding, tested, all })
}

/** Records an auditor's decision and note on one result. */
export async function noteOn(context: EngineContext, line: Input<'review.note'>): Promise<Outcome<Worksheet>> {
  const isSame = (one: { readonly node: string; readonly check: string }): boolean =>
    one.node === line.node && one.check === line.check
  return await changed(context, (file, at, { assessment }) =>
    assessment?.nodes.some(({ node, results }) => node === line.node && results.some(isChecked(line.check))) === true
      ? ok({
          ...file,
          lines: [...file.lines.filter((one) => !isSame(one)), { ...line, at }],
          history: [...file.history, ...file.lines.filter(isSame)],
        })
      : fail('input.refused', 'the pack contains no such result'),
  )
}

const isChecked =
  (wanted: string) =>
  ({ check }: { readonly check: string }): boolean =>
    check === wanted

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

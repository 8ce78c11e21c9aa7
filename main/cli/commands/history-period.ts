import type { Command } from 'commander'
import { ROW_STATES, rowStateWords } from '../../../schemas/conclusion-words.ts'
import { POPULATIONS } from '../../../schemas/period-words.ts'
import type { CalendarDay, Engagement } from '../../../schemas/types.ts'
import { writeExcerpts } from '../../app/export/excerpt.ts'
import { type ExportedPeriod, exportPeriod } from '../../app/export/period.ts'
import { fleetBelow, readCalendar } from '../../app/export/period-runs.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import type { CalendarReading } from '../../core/period/calendar.ts'
import type { SampleRequest } from '../../core/period/period.ts'
import { type Context, emit, endWith, printFailure, printLine, worstOf } from '../parts/options.ts'
import { openSigner, type SigningOptions, signingOptions, stampingOf } from '../parts/sealing.ts'

interface SpanOptions {
  readonly out: string
  readonly fleet?: string
  readonly from?: string
  readonly to?: string
  readonly chain?: string
}

type CalendarOptions = SpanOptions & { readonly json?: true }
type PeriodOptions = SigningOptions &
  SpanOptions & {
    readonly json?: true
    readonly toFolder: string
    readonly engagement?: string
    readonly sample: readonly string[]
  }

export const RUN_OUT = ['--out <folder>', 'Output folder of “run”'] as const
const FLEET = ['--fleet <name>', 'Fleet name; default the only fleet in the folder'] as const
const FROM = ['--from <date>', 'First day (UTC); default the day of the first run'] as const
const TO = ['--to <date>', 'Last day (UTC); default yesterday'] as const

interface Span {
  readonly root: string
  readonly fleet: string
  readonly chainFolder: string
  readonly from: string
  readonly to: string
}

/** The fleet and the days of the options, with their defaults. */
async function spanOf({ ports }: Context, { out: root, ...named }: SpanOptions, asOf: string): Promise<Outcome<Span>> {
  const found = await fleetBelow(ports, root, named)
  if (!found.ok) return found
  const { fleet, chainFolder, firstDay } = found.value
  const from = named.from ?? firstDay
  if (from === null) return fail('input.refused', 'the run chain contains no run; enter the first day with --from')
  const yesterday = new Date(Date.parse(asOf) - 86_400_000).toISOString().slice(0, 10)
  return ok({ root, fleet, chainFolder, from, to: named.to ?? yesterday })
}

/** `history calendar|period|sample`: daily coverage, period reports and sampled nodes. */
export function periodCommands(command: Command, context: Context): void {
  command
    .command('calendar')
    .description('Show daily coverage and missed runs')
    .requiredOption(...RUN_OUT)
    .option(...FLEET)
    .option(...FROM)
    .option(...TO)
    .option('--json', 'Print the calendar as JSON')
    .action((options: CalendarOptions) => calendar(context, options))
  signingOptions(
    command
      .command('period')
      .description('Create a signed period report (supports a Type 2 examination)')
      .requiredOption(...RUN_OUT)
      .option(...FLEET)
      .option(...FROM)
      .option(...TO)
      .requiredOption('--to-folder <folder>', 'Folder for the files')
      .option('--engagement <file>', 'Engagement file: entity, purpose and declared period of the cover page')
      .option('--sample <sample...>', `Select items as LIST:SIZE:SEED; lists are ${POPULATIONS.join(', ')}`, [])
      .option('--json', 'Print the period report as JSON'),
  ).action((options: PeriodOptions) => period(context, options))
  command
    .command('sample')
    .description('Export sampled nodes as pack excerpts')
    .argument('<pack>', 'Pack of the period report')
    .requiredOption('--to-folder <folder>', 'Folder for the excerpts')
    .action(async (pack: string, { toFolder: folder }: { readonly toFolder: string }) => {
      const made = await writeExcerpts(context.ports, { pack, folder })
      if (!made.ok) return endWith(context, made.error)
      for (const { path } of made.value) printLine(`  ${plain(path)}`)
      printLine(`${made.value.length} excerpts written.`)
    })
}

async function calendar(context: Context, options: CalendarOptions): Promise<void> {
  const { ports } = context
  const asOf = ports.clock.now()
  const span = await spanOf(context, options, asOf)
  if (!span.ok) return endWith(context, span.error)
  const { from, to } = span.value
  // Where the first run was today, yesterday precedes it.
  const chosen = options.from !== undefined || options.to !== undefined
  const read = await readCalendar(ports, { ...span.value, to: chosen || to > from ? to : from, asOf })
  if (!read.ok) return endWith(context, read.error)
  if (options.json === true) emit(read.value)
  else printCalendar(read.value)
  const { unrecorded, runs } = read.value
  context.exit(worstOf({ gaps: unrecorded.length > 0, incomplete: runs.some(({ rules }) => rules === null) }))
}

const MARK = ({ unrecorded, recorded, answered, declared }: CalendarDay): string =>
  unrecorded > 0 ? '!' : recorded > 0 ? 'g' : answered === 0 ? '-' : answered < declared ? '~' : '#'

function printCalendar({ calendar: found, unrecorded, awaited, missedRuns, notes }: CalendarReading): void {
  for (const { schedule, due } of unrecorded)
    printLine(`UNEXPLAINED: the run of ${plain(schedule)} due ${due} did not take place; no reason recorded.`)
  for (const { schedule, due, until } of awaited)
    printLine(`Overdue: the run of ${plain(schedule)} due ${due} can still take place until ${until}.`)
  for (const { due, why } of missedRuns) printLine(`Missed run, reason recorded: ${due}, ${quote(why, 300)}.`)
  for (const { from, to, days } of found.without) printLine(`No evidence: ${from} to ${to}, days: ${days}.`)
  printLine('')
  for (let at = 0; at < found.days.length; at += 7) {
    const week = found.days.slice(at, at + 7)
    printLine(`  ${week[0]?.day}  ${week.map(MARK).join(' ')}`)
  }
  printLine('  # all declared nodes collected  ~ some  - none  g missed, reason recorded  ! missed, no reason recorded')
  const { planned, completed, late, recorded, unrecorded: silent, unplanned, days, daysWith } = found.counts
  printLine(
    `Scheduled ${planned}: took place ${completed}, of these late ${late}; missed with a reason ${recorded}; missed without a reason ${silent}. Not scheduled ${unplanned}. Days with evidence ${daysWith} of ${days}.`,
  )
  for (const note of notes) printLine(plain(note, 2000))
}

async function period(context: Context, options: PeriodOptions): Promise<void> {
  const { ports } = context
  const samples = samplesOf(options.sample)
  if (!samples.ok) return endWith(context, samples.error)
  const span = await spanOf(context, options, ports.clock.now())
  if (!span.ok) return endWith(context, span.error)
  const engagement = await engagementOf(context, options)
  if (!engagement.ok) return endWith(context, engagement.error)
  const stamping = await stampingOf(context, options, undefined)
  if (!stamping.ok) return endWith(context, stamping.error)
  const signer = await openSigner(context, options)
  if (!signer.ok) return endWith(context, signer.error)
  const made = await exportPeriod(ports, catalog, {
    ...span.value,
    samples: samples.value,
    engagement: engagement.value,
    signer: signer.value,
    stamping: stamping.value,
    folder: options.toFolder,
  })
  if (!made.ok) return endWith(context, made.error)
  const { files, lost, unrecorded, period: account } = made.value
  const shortfalls = [...lost, ...made.value.shortfalls]
  if (options.json === true) emit({ files, period: account, unrecorded })
  printLine('Wrote')
  for (const { path, size } of files) printLine(`  ${plain(path)}  (${size} bytes)`)
  for (const failure of shortfalls) printFailure(failure)
  for (const line of conclusionLines(made.value)) printLine(line)
  const open = account.deviations.filter((one) => one.open).length
  printLine(`Deviations open at the end of the period: ${open}. Unexplained missed runs: ${unrecorded.length}.`)
  context.exit(worstOf({ gaps: open > 0 || unrecorded.length > 0, incomplete: shortfalls.length > 0 }))
}

/** The engagement that the period report states; null without the option. Fails as the reading of the file does. */
async function engagementOf(
  { ports }: Context,
  { engagement: file }: PeriodOptions,
): Promise<Outcome<Engagement | null>> {
  if (file === undefined) return ok(null)
  const read = await ports.declarations.engagement(file, null, [])
  return read.ok ? ok(read.value.engagement) : read
}

/** Controls of each framework by state, over the period. */
const conclusionLines = ({ period: { conclusions }, frameworks }: ExportedPeriod): readonly string[] =>
  frameworks.map(({ id, title }) => {
    const found = (conclusions?.controls ?? []).filter(({ conclusion }) => conclusion.framework === id)
    const counts = ROW_STATES.map((state) => {
      const count = found.filter(({ conclusion }) => conclusion.state === state).length
      return count === 0 ? [] : [`${count} ${rowStateWords[state].label}`]
    })
    return `${plain(title, 120)}, over the period: ${counts.flat().join(', ')} (${found.length} controls).`
  })

/** LIST:SIZE:SEED; the seed may contain colons. */
function samplesOf(texts: readonly string[]): Outcome<readonly SampleRequest[]> {
  const samples: SampleRequest[] = []
  for (const text of texts) {
    const [, name, size, seed = ''] = /^([a-z-]+):([1-9]\d{0,5}):(.{1,200})$/.exec(text) ?? []
    const population = POPULATIONS.find((one) => one === name)
    if (population === undefined)
      return fail(
        'input.refused',
        `--sample: “${plain(text)}” is not LIST:SIZE:SEED, with a list of ${POPULATIONS.join(', ')}`,
      )
    samples.push({ population, size: Number(size), seed })
  }
  return ok(samples)
}

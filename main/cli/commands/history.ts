import type { Command } from 'commander'
import { nameBaseline } from '../../app/history/append-signed.ts'
import { backUp, restore } from '../../app/history/backup.ts'
import { type Compared, driftBetween, flipsBetween, type TakenApart } from '../../app/history/drift.ts'
import {
  chainsBelow,
  type HistoryView,
  historyView,
  type Rebuilt,
  rebuildHistory,
} from '../../app/history/rebuild-history.ts'
import { retain, USUAL_YEARS } from '../../app/history/retention.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { chainFolderOf } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { KeptHead } from '../../core/history/history.ts'
import { compare } from '../../core/recording/recording.ts'
import { detailLines, differsAtAll, driftLines } from '../parts/drift-text.ts'
import { type Context, countedNumber, EXIT, emit, endWith, printLine } from '../parts/options.ts'
import { type KeyOptions, keyOptions, openSigner } from '../parts/sealing.ts'
import { periodCommands, RUN_OUT } from './history-period.ts'

/** `history …`: stored runs of one --out folder, comparisons between them, and period reports. */
export function historyCommand(context: Context): void {
  const command = context.program.command('history').description('Inspect and keep runs')
  for (const add of [keepingCommands, driftCommands, periodCommands]) add(command, context)
}

const OUT = [...RUN_OUT, 'out'] as const
const FLEET = ['--fleet <name>', 'Fleet, if the folder contains runs of several'] as const

interface Out {
  readonly out: string
  readonly json?: true
}

/** `history list|show|rebuild|backup|restore|prune`: stored runs, and how long they are kept. */
function keepingCommands(command: Command, context: Context): void {
  command
    .command('list')
    .description('List runs and missed runs')
    .option(...OUT)
    .option('--json', 'Print the list as JSON')
    .action((options: Out) => list(context, options))
  command
    .command('show')
    .argument('<run>', 'ID of the run')
    .description('Show one run')
    .option(...OUT)
    .option('--json', 'Print the run trace as JSON')
    .action((run: string, options: Out) => show(context, run, options))
  command
    .command('rebuild')
    .description('Rebuild run traces from sealed packs')
    .option(...OUT)
    .action(async ({ out }: Out) => {
      const rebuilt = await rebuildHistory(context.ports, out)
      if (!rebuilt.ok) return endWith(context, rebuilt.error)
      const lines = [...rebuiltLines(rebuilt.value)]
      for (const line of lines.length === 0 ? ['The history contains every sealed run of the run chains.'] : lines)
        printLine(line)
      context.exit(rebuilt.value.missing.length > 0 ? EXIT.incomplete : EXIT.done)
    })
  command
    .command('backup')
    .description('Write one archive of all evidence and history')
    .option(...OUT)
    .requiredOption('--to <file>', 'New archive')
    .action(async ({ out, to }: Out & { readonly to: string }) => {
      const made = await backUp(context.ports, out, to)
      if (!made.ok) return endWith(context, made.error)
      printLine(`${to} contains ${made.value.files} files, ${made.value.bytes} bytes.`)
      printLine('Signing identities are not included. Back up each with “barewitness identity backup”.')
      for (const text of made.value.notIncluded) printLine(`Not included: ${plain(text)}`)
      if (made.value.notOurs.length > 0)
        printLine(
          `Not created by Barewitness, not included: ${made.value.notOurs.map((name) => plain(name)).join(', ')}.`,
        )
      context.exit(made.value.notIncluded.length > 0 ? EXIT.incomplete : EXIT.done)
    })
  command
    .command('restore')
    .argument('<file>', 'Backup archive')
    .description('Restore a backup into an empty folder')
    .requiredOption('--to <folder>', 'New or empty folder')
    .action(async (file: string, { to }: { readonly to: string }) => {
      const done = await restore(context.ports, file, to)
      if (!done.ok) return endWith(context, done.error)
      printLine(
        `${to} contains ${done.value.files} files, each verified against its digest; ${done.value.runs} runs in the history.`,
      )
      for (const { fleet, entries } of done.value.chains)
        printLine(`The run chain of ${plain(fleet)} has ${entries} entries.`)
    })
  retainCommand(command, context)
}

async function list(context: Context, { out, json }: Out): Promise<void> {
  const view = await historyView(context.ports, out)
  if (!view.ok) return endWith(context, view.error)
  if (json === true) emit(view.value)
  const lines = [...listLines(view.value)]
  for (const line of lines.length === 0 ? [`No runs are stored in ${out}.`] : lines) printLine(line)
  if ((view.value.rebuilt?.missing.length ?? 0) > 0) context.exit(EXIT.incomplete)
}

async function show(context: Context, run: string, { out, json }: Out): Promise<void> {
  const view = await historyView(context.ports, out)
  if (!view.ok) return endWith(context, view.error)
  const heads = view.value.kept.filter((head) => head.run === run)
  const history = await context.ports.openHistory(out)
  if (!history.ok) return endWith(context, history.error)
  // Without one, load() fails with the folder that was searched.
  for (const tagManifest of heads.length === 0 ? [null] : heads.map(({ sealed }) => sealed?.tagManifest ?? null)) {
    const kept = await history.value.load(run, tagManifest)
    if (!kept.ok) return endWith(context, kept.error)
    if (json === true) emit(kept.value)
    const head = heads.find(({ sealed }) => (sealed?.tagManifest ?? null) === tagManifest)
    if (head !== undefined) printLine(`${head.asOf}  ${headText(head)}`)
    if (kept.value.sealed !== null) {
      printLine(`  pack ${plain(kept.value.sealed.pack)}, tag manifest ${kept.value.sealed.tagManifest}`)
      printLine(`  sealed with key ${kept.value.sealed.signer}`)
    }
    for (const { node, status, failure } of kept.value.trace.nodes)
      printLine(`  ${plain(node)}: ${status}${failure === null ? '' : ` (${failure})`}`)
  }
}

type RetainOptions = KeyOptions &
  Out & { readonly years: string; readonly reason: string; readonly includePeriodRuns?: true; readonly apply?: true }

function retainCommand(command: Command, context: Context): void {
  keyOptions(
    command
      .command('prune')
      .description('Delete runs older than the retention period (dry run without --apply)')
      .option(...OUT)
      .option('--years <number>', 'Retention period in years', String(USUAL_YEARS))
      .option('--reason <text>', `Reason; required for fewer than ${USUAL_YEARS} years`, '')
      .option('--include-period-runs', 'Also delete runs that a sealed period report relies on; requires --reason')
      .option('--apply', 'Record the deletion in the run chain, signed, then delete the runs'),
  ).action(async (options: RetainOptions) => {
    const years: Outcome<number> = countedNumber('--years', options.years)
    if (!years.ok) return endWith(context, years.error)
    const retained = await retain(context.ports, {
      root: options.out,
      years: years.value,
      why: options.reason,
      evenInPeriods: options.includePeriodRuns === true,
      openSigner: options.apply === true ? () => openSigner(context, options) : null,
    })
    if (!retained.ok) return endWith(context, retained.error)
    const { due, stays, freed, applied, inStore } = retained.value
    for (const { run, at } of due) {
      const stored = inStore.get(run)
      const done = applied ? 'Deleted' : 'Would be deleted'
      if (stored === undefined) printLine(`${done}: ${plain(run)}, as of ${at}`)
      else
        printLine(
          `${done} in this folder only: ${plain(run)}, as of ${at}; the object store ${stored.locked ? 'keeps it' : 'has a copy, to be kept'} until ${stored.until.slice(0, 10)} at least`,
        )
    }
    for (const { run, why } of stays) printLine(`Kept: ${plain(run)}: ${why}`)
    if (due.length === 0) printLine(`No run is older than ${years.value} years, except those kept.`)
    else if (!applied) printLine('Dry run: nothing was deleted. To delete, use --apply.')
    else printLine(`The run chain keeps an entry for each deleted run. ${freed} bytes were used by these runs only.`)
  })
}

/** The lines of `history list`: the entries of each run chain by time, then stored runs that are in no chain. */
export function* listLines({ fleets, outside, rebuilt }: HistoryView): Generator<string> {
  for (const { fleet, entries, reading, retired } of fleets) {
    yield `Fleet ${plain(fleet)}, run chain with ${entries} entries`
    const late = new Set(reading.late.map(({ run }) => run))
    const gone = new Set(retired.map(({ tagManifest }) => tagManifest))
    const rows = [
      ...reading.runs.map(({ run, at, planned, declared, answered, catalog, tagManifest }) => {
        const plan = planned === null ? 'not scheduled' : `scheduled for ${planned.due}${late.has(run) ? ', late' : ''}`
        const evidence = gone.has(tagManifest) ? '; evidence deleted under the retention policy' : ''
        // The entry is written before the pack: a run killed in between has an entry and no seal.
        const found =
          catalog === null
            ? `recorded in the run chain${evidence === '' ? '; run trace and pack are missing' : ''}; ${plan}`
            : `${answered} of ${declared} nodes collected; ${plan}; sealed`
        return [at, `${plain(run)}  ${found}${evidence}`] as const
      }),
      ...reading.missedRuns.map(
        ({ due, why, signed }) =>
          [due, `missed run, ${signed ? 'reason recorded' : 'reason noted but not signed'}: ${plain(why)}`] as const,
      ),
      ...reading.awaited.map(
        ({ due, schedule, until }) =>
          [due, `overdue: scheduled by ${plain(schedule)}, can still run until ${until}`] as const,
      ),
      ...reading.unrecorded.map(
        ({ due, schedule }) => [due, `MISSED RUN, no reason recorded: scheduled by ${plain(schedule)}`] as const,
      ),
    ]
    for (const [at, text] of rows.sort(([a], [b]) => compare(a, b))) yield `  ${at}  ${text}`
    const { counts } = reading.calendar
    yield `  scheduled ${counts.planned}: took place ${counts.completed} (late ${counts.late}), missed with a reason ${counts.recorded}, missed without a reason ${counts.unrecorded}; not scheduled ${counts.unplanned}`
    for (const note of reading.notes) yield `  ${note}`
  }
  if (outside.length > 0) yield 'Not in a run chain of this folder'
  for (const head of outside) yield `  ${head.asOf}  ${headText(head)}`
  if (rebuilt !== null) yield* rebuiltLines(rebuilt)
}

const headText = ({ run, answered, declared, sealed, demo }: KeptHead): string =>
  `${plain(run)}  ${answered} of ${declared} nodes collected; ${sealed === null ? 'NOT SEALED' : 'sealed'}${demo ? '; demo data' : ''}`

function* rebuiltLines({ taken, putAside, missing }: Rebuilt): Generator<string> {
  if (taken.length > 0) yield `Added to the history from sealed packs: ${taken.map((run) => plain(run)).join(', ')}.`
  if (putAside.length > 0) yield `Unreadable, moved aside: ${putAside.map((name) => plain(name)).join(', ')}.`
  for (const { run, why } of missing)
    yield `Run ${plain(run)} is in the run chain, but the history has no trace of it: ${why}.`
}

interface DriftOptions {
  readonly out: string
  readonly fleet?: string
  readonly node?: string
  readonly against?: string
  readonly details?: true
  readonly json?: true
}

type BaselineOptions = KeyOptions & { readonly out: string; readonly fleet?: string; readonly reason: string }

/** `history drift|baseline`: differences between runs. */
function driftCommands(command: Command, context: Context): void {
  command
    .command('drift')
    .description('Compare two runs')
    .argument('[before]', 'ID of the earlier run; default the second newest')
    .argument('[after]', 'ID of the later run; default the newest')
    .requiredOption(...RUN_OUT)
    .option(...FLEET)
    .option('--node <name>', 'Compare this node only')
    .option('--against <run>', 'Compare the newest run with this run ID, or with “baseline”')
    .option('--details', 'Determine the cause of each verdict change and print the changed lines of evidence')
    .option('--json', 'Print the comparison as JSON')
    .action((before: string | undefined, after: string | undefined, options: DriftOptions) =>
      drift(context, before, after, options),
    )
  keyOptions(
    command
      .command('baseline')
      .argument('<run>', 'ID of the run')
      .description('Set the run that later runs are compared with')
      .requiredOption(...RUN_OUT)
      .option(...FLEET)
      .requiredOption('--reason <text>', 'Reason for this baseline'),
  ).action((run: string, options: BaselineOptions) => baseline(context, run, options))
}

async function drift(
  context: Context,
  before: string | undefined,
  after: string | undefined,
  options: DriftOptions,
): Promise<void> {
  const { ports } = context
  const { out: root, fleet, node, against } = options
  if (against !== undefined && before !== undefined)
    return endWith(context, {
      code: 'input.refused',
      detail: 'enter either two runs or one run with --against, not both',
    })
  const compared = await driftBetween(ports, catalog, {
    root,
    ...(fleet === undefined ? {} : { fleet }),
    before: against ?? before ?? 'before',
    after: after ?? 'latest',
  })
  if (!compared.ok) return endWith(context, compared.error)
  const shown = node === undefined ? ok(compared.value) : onlyOf(compared.value, node)
  if (!shown.ok) return endWith(context, shown.error)
  const details =
    options.details === true ? await allDetails(context, root, shown.value) : ok({ flips: [], undeclared: [] })
  if (!details.ok) return endWith(context, details.error)
  const { drift: found, baseline: named, runs } = shown.value
  if (options.json === true)
    emit({
      ...found,
      baseline: named,
      from: runs.map(({ from }) => from),
      ...(options.details === true
        ? { details: details.value.flips, judgedAsNotDeclared: details.value.undeclared }
        : {}),
    })
  else for (const line of [...driftLines(shown.value), ...detailLines(details.value)]) printLine(line)
  context.exit(differsAtAll(found) ? EXIT.gaps : EXIT.done)
}

/** The same comparison, limited to one node. Fails with input.not-found if neither run has it. */
function onlyOf(compared: Compared, node: string): Outcome<Compared> {
  const { drift: all, runs } = compared
  if (!runs.some(({ trace }) => trace.nodes.some((one) => one.node === node)))
    return fail('input.not-found', `neither run has a node ${plain(node, 63)}`)
  const isOwn = (one: { readonly node: string | null }): boolean => one.node === null || one.node === node
  const read = runs.every(({ trace }) =>
    trace.nodes.some(({ node: name, status }) => name === node && (status === 'complete' || status === 'partial')),
  )
  const evidence = all.evidence.filter(isOwn)
  const isSame = !evidence.some(({ what }) => what.kind === 'reading')
  return ok({
    ...compared,
    drift: {
      ...all,
      evidence,
      scope: all.scope.filter(isOwn),
      moves: all.moves.filter(({ from, to }) => from === node || to === node),
      twice: all.twice.filter(({ nodes }) => nodes.includes(node)),
      flips: all.flips.filter(isOwn),
      uncollected: all.uncollected.filter(isOwn),
      compared: read ? 1 : 0,
      unchanged: read && isSame ? 1 : 0,
    },
  })
}

async function allDetails({ ports }: Context, root: string, compared: Compared): Promise<Outcome<TakenApart>> {
  const all: TakenApart[] = []
  for (const node of new Set(compared.drift.flips.map((flip) => flip.node))) {
    const own = await flipsBetween(ports, catalog, root, compared, node)
    if (!own.ok) return own
    const shown = new Set(compared.drift.flips.flatMap((flip) => (flip.node === node ? [flip.check] : [])))
    all.push({ ...own.value, flips: own.value.flips.filter(({ check }) => shown.has(check)) })
  }
  return ok({
    flips: all.flatMap(({ flips }) => flips),
    undeclared: [...new Set(all.flatMap(({ undeclared }) => undeclared))],
  })
}

async function baseline(context: Context, run: string, options: BaselineOptions): Promise<void> {
  const { ports } = context
  const chains = await chainsBelow(ports, options.out)
  if (!chains.ok) return endWith(context, chains.error)
  const fleets = chains.value.map(({ chain }) => chain.fleet)
  const fleet = options.fleet ?? (fleets.length === 1 ? fleets[0] : undefined)
  if (fleet === undefined)
    return endWith(context, {
      code: 'input.refused',
      detail:
        fleets.length === 0
          ? 'this folder contains no run chain; nothing was recorded'
          : 'this folder contains run chains of several fleets; select one with --fleet',
    })
  const named = await nameBaseline(ports, {
    fleet,
    run,
    why: options.reason,
    chainFolder: chains.value.find(({ chain }) => chain.fleet === fleet)?.folder ?? chainFolderOf(options.out, fleet),
    openSigner: () => openSigner(context, options),
  })
  if (!named.ok) return endWith(context, named.error)
  printLine(`Baseline set: ${plain(run, 100)}. The run chain has ${named.value.entries.length} entries.`)
}

import type { Command } from 'commander'
import { nameBaseline } from '../../app/append-signed.ts'
import { chainsBelow } from '../../app/chains.ts'
import { type Compared, driftBetween, flipsBetween, type TakenApart } from '../../app/drift.ts'
import { catalog } from '../../catalog/index.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { chainFolderOf } from '../../core/layout.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { detailLines, differsAtAll, driftLines } from '../drift-text.ts'
import { EXIT } from '../exit-codes.ts'
import { type KeyOptions, keyOptions, openSigner } from '../sealing.ts'
import { emit, printLine } from '../terminal.ts'

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
export function driftCommands(command: Command, context: Context): void {
  command
    .command('drift')
    .description('Compare two runs')
    .argument('[before]', 'ID of the earlier run; default the second newest')
    .argument('[after]', 'ID of the later run; default the newest')
    .requiredOption('--out <folder>', 'Output folder of “run”')
    .option('--fleet <name>', 'Fleet, if the folder contains runs of several')
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
      .requiredOption('--out <folder>', 'Output folder of “run”')
      .option('--fleet <name>', 'Fleet, if the folder contains runs of several')
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

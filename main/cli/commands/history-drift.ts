import type { Command } from 'commander'
import { nameBaseline } from '../../app/baseline.ts'
import { chainFolderOf } from '../../app/chain-folder.ts'
import { chainsBelow } from '../../app/chains.ts'
import { type Compared, driftBetween, flipsBetween, type TakenApart } from '../../app/drift.ts'
import { catalog } from '../../catalog/index.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { detailLines, differsAtAll, driftLines } from '../drift-text.ts'
import { EXIT } from '../exit-codes.ts'
import { type KeyOptions, keyOptions, openSigner } from '../sealing.ts'
import { emit, say } from '../terminal.ts'

interface DriftOptions {
  readonly out: string
  readonly fleet?: string
  readonly node?: string
  readonly against?: string
  readonly details?: true
  readonly json?: true
}

type BaselineOptions = KeyOptions & { readonly out: string; readonly fleet?: string; readonly why: string }

/** `history`: what differs between runs. */
export function driftCommands(command: Command, context: Context): void {
  command
    .command('drift [before] [after]')
    .description('what differs between two runs: evidence, rules and scope apart; the two newest without names')
    .requiredOption('--out <folder>', 'the folder that holds the runs')
    .option('--fleet <name>', 'the fleet, where the folder holds runs of several')
    .option('--node <name>', 'only this node')
    .option('--against <run>', 'compare the newest run with this one: its id, or “baseline”')
    .option('--details', 'take changed verdicts apart with the stored evidence, with the lines that changed')
    .option('--json', 'print the comparison')
    .action((before: string | undefined, after: string | undefined, options: DriftOptions) =>
      drift(context, before, after, options),
    )
  keyOptions(
    command
      .command('baseline <run>')
      .description('name the run that later ones are compared with, signed, in the chain of runs')
      .requiredOption('--out <folder>', 'the folder that holds the runs')
      .option('--fleet <name>', 'the fleet, where the folder holds runs of several')
      .requiredOption('--why <words>', 'why this run'),
  ).action((run: string, options: BaselineOptions) => baseline(context, run, options))
}

async function drift(
  context: Context,
  before: string | undefined,
  after: string | undefined,
  options: DriftOptions,
): Promise<void> {
  const { world } = context
  const { out: root, fleet, node, against } = options
  if (against !== undefined && before !== undefined)
    return endWith(context, { code: 'input.refused', detail: 'name either two runs or one with --against, not both' })
  const compared = await driftBetween(world, catalog, {
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
  else for (const line of [...driftLines(shown.value), ...detailLines(details.value)]) say(line)
  context.exit(differsAtAll(found) ? EXIT.gaps : EXIT.done)
}

/** The same comparison, of one node. */
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

async function allDetails({ world }: Context, root: string, compared: Compared): Promise<Outcome<TakenApart>> {
  const all: TakenApart[] = []
  for (const node of new Set(compared.drift.flips.map((flip) => flip.node))) {
    const own = await flipsBetween(world, catalog, root, compared, node)
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
  const { world } = context
  const chains = await chainsBelow(world, options.out)
  if (!chains.ok) return endWith(context, chains.error)
  const fleets = chains.value.map(({ chain }) => chain.fleet)
  const fleet = options.fleet ?? (fleets.length === 1 ? fleets[0] : undefined)
  if (fleet === undefined)
    return endWith(context, {
      code: 'input.refused',
      detail:
        fleets.length === 0
          ? 'there is no chain of runs in this folder; nothing was recorded'
          : 'chains of several fleets are kept here; name one with --fleet',
    })
  const named = await nameBaseline(world, {
    fleet,
    run,
    why: options.why,
    chainFolder: chains.value.find(({ chain }) => chain.fleet === fleet)?.folder ?? chainFolderOf(options.out, fleet),
    openSigner: () => openSigner(context, options),
  })
  if (!named.ok) return endWith(context, named.error)
  say(`Recorded: later runs are compared with ${plain(run, 100)}. The chain has ${named.value.entries.length} entries.`)
}

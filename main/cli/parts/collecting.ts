import type { Command } from 'commander'
import type { Fleet, Recording } from '../../../schemas/types.ts'
import { collectRun } from '../../app/collect/collect-run.ts'
import { latestRun, newRunId, type RunResult } from '../../app/collect/run.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { Ports } from '../../core/all-ports.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { chainFolderOf, evidenceFolder } from '../../core/base/layout.ts'
import { stated } from '../../core/base/optional.ts'
import { type Context, countedNumber, EXIT, LIVE_TESTS, printLine, progressTo } from './options.ts'
import { targetsNamed } from './scope.ts'
import { askSecret } from './secret-prompt.ts'

export interface CollectOptions {
  readonly fleet: string
  readonly node?: string[]
  readonly out: string
  readonly resume?: true
  /** Continues this run, whether or not it is the latest. */
  readonly goOnWith?: string
  readonly liveTests?: true
  /** Seconds that the collection of one node may take. */
  readonly deadline?: string
  /** The folder of the run chain that records the run, if it is not the one in `out`. */
  readonly chain?: string
}

export const DEADLINE = ['--deadline <seconds>', 'Time limit for collecting from one node; default 300'] as const

/** The options that `collect` and `run` share. */
export const collectOptions = (command: Command): Command =>
  command
    .option('--fleet <file>', 'Fleet file')
    .option('--node <name...>', 'Collect from these nodes only; the others count as not collected')
    .option('--out <folder>', 'Folder for evidence and exports', 'out')
    .option('--resume', 'Continue the latest run in --out: run only the missing probes')
    .option(...DEADLINE)
    .option(...LIVE_TESTS)

export interface Collected {
  readonly run: string
  readonly fleet: Fleet
  readonly population: string[]
  readonly result: RunResult
  readonly folder: string
}

/** What happens to a collection that the user stops: a scheduled run is sealed with its evidence so far; any other can be resumed. */
type WhenStopped = 'sealed' | 'left'

const STOPPING: Readonly<Record<WhenStopped, string>> = {
  sealed: 'Stopping: the evidence collected so far is kept and sealed as a stopped scheduled run.',
  left: 'Stopping: the evidence collected so far is kept but not sealed. Continue with --resume.',
}

/**
 * Collects from the nodes of a fleet file, with progress on stderr. The first Ctrl-C (or SIGTERM) stops cleanly and keeps the evidence so
 * far; the second ends the program at once. Fails with input.refused for an invalid option, and as reading the fleet file and storing do.
 */
export async function collectFleet(
  { ports }: Context,
  options: CollectOptions,
  whenStopped: WhenStopped = 'left',
): Promise<Outcome<Collected>> {
  if (options.fleet === undefined) return fail('input.refused', '--fleet FILE is required')
  const deadline = options.deadline === undefined ? ok(null) : deadlineSeconds(options.deadline)
  if (!deadline.ok) return deadline
  const read = await ports.fleets.read(options.fleet)
  if (!read.ok) return read
  const all = read.value.targets({ ask: askSecret })
  const targets = targetsNamed(options.fleet, all, options.node)
  if (!targets.ok) return targets
  const storeFolder = evidenceFolder(options.out)
  const resumed = options.resume === true ? await runToResume(ports, options, read.value.fleet.name) : ok(null)
  if (!resumed.ok) return resumed
  const done =
    resumed.value?.sealed === true ? await sealedRun(ports, options, resumed.value.run) : ok<RunResult | null>(null)
  if (!done.ok) return done
  const { fleet } = read.value
  const collected = (result: RunResult): Outcome<Collected> =>
    ok({ run: result.run, fleet, population: all.map(({ node }) => node.name), result, folder: options.out })
  if (done.value !== null) return collected(done.value)
  const stop = new AbortController()
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(EXIT.stopped)
    printLine(`${STOPPING[whenStopped]} Press Ctrl-C again to end at once.`)
    stop.abort()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    const run = options.goOnWith ?? resumed.value?.run ?? newRunId(ports.clock, ports.entropy)
    const { concurrency = 64, locationSpreadSeconds, askMetadata } = fleet
    const result = await collectRun(ports, catalog, {
      run,
      targets: targets.value,
      storeFolder,
      concurrency,
      marks: () => ({ demo: false, synthetic: null }),
      signal: stop.signal,
      onEvent: progressTo(process.stderr),
      liveTests: options.liveTests === true,
      metadata: askMetadata === true,
      ...stated({ deadlineSeconds: deadline.value ?? undefined, spreadSeconds: locationSpreadSeconds }),
    })
    if (!result.ok) return result
    for (const { recording } of result.value.recordings) printHowToTrust(options.fleet, recording)
    return collected(result.value)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** A capture in a recording can last one day at most; no node can be collected in less than ten seconds. */
const DEADLINES = { least: 10, most: 86_400 } as const

/** The seconds of `--deadline`. Fails with input.refused. */
export function deadlineSeconds(text: string): Outcome<number> {
  const seconds = countedNumber('--deadline', text)
  return !seconds.ok || (seconds.value >= DEADLINES.least && seconds.value <= DEADLINES.most)
    ? seconds
    : fail('input.refused', `--deadline must be from ${DEADLINES.least} to ${DEADLINES.most} seconds`)
}

/** The failure of a run that the user stopped during collection; names the folder of its evidence. */
export const stoppedRun = (run: string, { out }: Pick<CollectOptions, 'out'>): Failure => ({
  code: 'run.cancelled',
  detail: `run ${run} was not sealed; its evidence is in ${evidenceFolder(out)}/${run}`,
})

/** A clock of this computer that differs by less does not change which run is the latest. */
const DAY_MS = 86_400_000

/**
 * The latest run. A sealed run dated more than a day ahead was made under a wrong clock; the run before it can then be continued. Fails as
 * latestRun() and the chain do.
 */
async function runToResume(
  ports: Ports,
  options: CollectOptions,
  fleet: string,
): Promise<Outcome<{ readonly run: string; readonly sealed: boolean }>> {
  const store = evidenceFolder(options.out)
  const latest = await latestRun(ports, store)
  if (!latest.ok) return latest
  const sealed = await isRunSealed(ports, options, latest.value, fleet)
  if (!sealed.ok) return sealed
  const soon = new Date(Date.parse(ports.clock.now()) + DAY_MS).toISOString()
  const before = sealed.value ? await latestRun(ports, store, soon) : latest
  if (!before.ok || before.value === latest.value) return ok({ run: latest.value, sealed: sealed.value })
  printLine(`Run ${latest.value} is dated in the future and sealed; the latest run before it is ${before.value}.`)
  const earlier = await isRunSealed(ports, options, before.value, fleet)
  return earlier.ok ? ok({ run: before.value, sealed: earlier.value }) : earlier
}

async function isRunSealed(
  ports: Ports,
  { out, chain }: CollectOptions,
  run: string,
  fleet: string,
): Promise<Outcome<boolean>> {
  // Loaded when needed, with the code of exports, which only a resumed collection needs.
  const { isSealed } = await import('../../app/export/continued-export.ts')
  return await isSealed(ports, { folder: `${out}/${run}`, run, fleet, chain: chain ?? chainFolderOf(out, fleet) })
}

/** The evidence of a run that is already sealed, to which nothing is added. */
async function sealedRun(ports: Ports, { out }: CollectOptions, run: string): Promise<Outcome<RunResult>> {
  printLine(`Run ${run} is already sealed; no evidence can be added. Start a new run to collect again.`)
  const stored = await ports.readRecordings([`${evidenceFolder(out)}/${run}`])
  return stored.ok ? ok({ run, recordings: stored.value, cancelled: false }) : stored
}

/** For a node whose host key is not verified: the key it presented, and the command that records its verification. */
function printHowToTrust(fleet: string, { node, outcome }: Recording): void {
  const fingerprint = /SHA256:[A-Za-z0-9+/]{43}/.exec(
    outcome.failure?.code === 'ssh.host-key-unknown' ? outcome.failure.detail : '',
  )?.[0]
  if (fingerprint === undefined) return
  printLine(
    `${node.name}: the host key is not verified. Compare ${fingerprint} with the one from your provider or console. Then run:`,
  )
  printLine(
    `  barewitness fleet trust ${fleet} --node ${node.name} --fingerprint ${fingerprint} --verified-by "how you verified it"`,
  )
}

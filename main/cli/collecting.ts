import type { Command } from 'commander'
import type { Fleet, Recording } from '../../schemas/types.ts'
import { chainFolderOf } from '../app/chain-folder.ts'
import { collectRun } from '../app/collect-run.ts'
import { isSealed } from '../app/continued-export.ts'
import { latestRun } from '../app/resume.ts'
import type { RunResult } from '../app/run.ts'
import { newRunId } from '../app/run-id.ts'
import { catalog } from '../catalog/index.ts'
import { type Failure, fail, type Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import type { Context } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { countedNumber, LIVE_TESTS } from './options.ts'
import { askSecret, progressTo, say } from './terminal.ts'

export interface CollectOptions {
  readonly fleet: string
  readonly node?: string[]
  readonly out: string
  readonly resume?: true
  /** Goes on with this run, whether or not it is the latest. */
  readonly goOnWith?: string
  readonly liveTests?: true
  /** Seconds that the collection of one node may take. */
  readonly deadline?: string
  /** The folder of the chain that the run is entered into, where it is not the one in `out`. */
  readonly chain?: string
}

export const DEADLINE = ['--deadline <seconds>', 'how long the collection of one node may take; default 300'] as const

/** The options that `collect` and `run` share. */
export const collectOptions = (command: Command): Command =>
  command
    .option('--fleet <file>', 'the fleet file')
    .option('--node <name...>', 'only these nodes; the rest of the population counts as not collected')
    .option('--out <folder>', 'where evidence and exports go', 'out')
    .option('--resume', 'go on with the latest run in --out: ask only for what is missing')
    .option(...DEADLINE)
    .option(...LIVE_TESTS)

export interface Collected {
  readonly run: string
  readonly fleet: Fleet
  readonly population: string[]
  readonly result: RunResult
  readonly folder: string
}

/** Evidence of all runs into one folder lies in `<out>/evidence/<run>/<node>/`. */
export const evidenceFolder = (out: string): string => `${out}/evidence`

/** What becomes of a collection that somebody stops: a planned one is sealed with what it has, any other goes on with --resume. */
export type WhenStopped = 'sealed' | 'left'

const STOPPING: Readonly<Record<WhenStopped, string>> = {
  sealed: 'Stopping: what was collected is kept, and sealed as a planned run that was stopped.',
  left: 'Stopping: what was collected is kept and not sealed; “--resume” goes on with it.',
}

/**
 * Collects the nodes of a fleet file, with progress on stderr. The first Ctrl-C (or SIGTERM) says what it does, stops cleanly and keeps
 * what was collected; the second ends the program at once.
 */
export async function collectFleet(
  { world }: Context,
  options: CollectOptions,
  whenStopped: WhenStopped = 'left',
): Promise<Outcome<Collected>> {
  if (options.fleet === undefined) return fail('input.refused', '--fleet FILE is required')
  const deadline = options.deadline === undefined ? ok(null) : deadlineSeconds(options.deadline)
  if (!deadline.ok) return deadline
  const read = await world.fleets.read(options.fleet)
  if (!read.ok) return read
  const all = read.value.targets({ ask: askSecret })
  const unknown = options.node?.find((name) => !all.some(({ node }) => node.name === name))
  if (unknown !== undefined)
    return fail('input.refused', `--node ${unknown}: ${options.fleet} has no node of that name`)
  const targets = all.filter(({ node }) => options.node === undefined || options.node.includes(node.name))
  const storeFolder = evidenceFolder(options.out)
  const resumed = options.resume === true ? await latestRun(world, storeFolder) : ok(null)
  if (!resumed.ok) return resumed
  const done = resumed.value === null ? ok(null) : await sealedRun(world, options, resumed.value, read.value.fleet.name)
  if (!done.ok) return done
  if (done.value !== null)
    return ok({
      run: done.value.run,
      fleet: read.value.fleet,
      population: all.map(({ node }) => node.name),
      result: done.value,
      folder: options.out,
    })
  const stop = new AbortController()
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(EXIT.stopped)
    say(`${STOPPING[whenStopped]} Press Ctrl-C again to end at once.`)
    stop.abort()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    const run = options.goOnWith ?? resumed.value ?? newRunId(world.clock, world.entropy)
    const { concurrency = 64, locationSpreadSeconds, askMetadata } = read.value.fleet
    const marks = () => ({ demo: false, synthetic: null })
    const result = await collectRun(world, catalog, {
      run,
      targets,
      storeFolder,
      concurrency,
      marks,
      signal: stop.signal,
      onEvent: progressTo(process.stderr),
      liveTests: options.liveTests === true,
      metadata: askMetadata === true,
      ...(deadline.value === null ? {} : { deadlineSeconds: deadline.value }),
      ...(locationSpreadSeconds === undefined ? {} : { spreadSeconds: locationSpreadSeconds }),
    })
    if (!result.ok) return result
    for (const { recording } of result.value.recordings) sayHowToTrust(options.fleet, recording)
    return ok({
      run,
      fleet: read.value.fleet,
      population: all.map(({ node }) => node.name),
      result: result.value,
      folder: options.out,
    })
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** A day is the longest that an answer can last in a recording; in less than ten seconds no node is collected. */
const DEADLINES = { least: 10, most: 86_400 } as const

/** The seconds of `--deadline`. */
export function deadlineSeconds(text: string): Outcome<number> {
  const seconds = countedNumber('--deadline', text)
  return !seconds.ok || (seconds.value >= DEADLINES.least && seconds.value <= DEADLINES.most)
    ? seconds
    : fail('input.refused', `--deadline: from ${DEADLINES.least} to ${DEADLINES.most} seconds`)
}

/** A run that somebody stopped while it collected, and where what it has is kept. */
export const stoppedRun = (run: string, { out }: Pick<CollectOptions, 'out'>): Failure => ({
  code: 'run.cancelled',
  detail: `run ${run} was not sealed; what was collected is in ${evidenceFolder(out)}/${run}`,
})

/** What was collected in a run that is sealed already: nothing is added to it. Null for a run that is not. */
async function sealedRun(
  world: World,
  { out, chain }: CollectOptions,
  run: string,
  fleet: string,
): Promise<Outcome<RunResult | null>> {
  const folder = `${out}/${run}`
  const sealed = await isSealed(world, { folder, run, fleet, chain: chain ?? chainFolderOf(out, fleet) })
  if (!sealed.ok) return sealed
  if (!sealed.value) return ok(null)
  say(`Run ${run} is sealed. Nothing is collected into it; start a new run for new evidence.`)
  const stored = await world.readRecordings([`${evidenceFolder(out)}/${run}`])
  return stored.ok ? ok({ run, recordings: stored.value, cancelled: false }) : stored
}

/** For a node whose host key nobody vouched for: what it showed, and the command that records a decision about it. */
function sayHowToTrust(fleet: string, { node, outcome }: Recording): void {
  const fingerprint = /SHA256:[A-Za-z0-9+/]{43}/.exec(
    outcome.failure?.code === 'ssh.host-key-unknown' ? outcome.failure.detail : '',
  )?.[0]
  if (fingerprint === undefined) return
  say(
    `${node.name}: nobody vouches for its host key yet. Compare ${fingerprint} with one from your provider or console. Then:`,
  )
  say(`  barewitness fleet trust ${fleet} --node ${node.name} --fingerprint ${fingerprint} --how "how you verified it"`)
}

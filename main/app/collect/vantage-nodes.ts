import type { Place, VantageMeasurement, VantageRecord } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import type { DemoFleet, Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { keptBytes, type Plan } from '../../core/collector/plan.ts'
import { collectorScript } from '../../core/collector/script.ts'
import { type UnsignedVantage, vantageBytes, vantagePlaceProblem } from '../../core/fleet/vantage.ts'
import type { Connection, ConnectTarget, RunEvent, Signer } from '../../core/ports/ports.ts'
import { vantageIsSigned } from '../../verify/steps/location.ts'
import type { Aside } from '../common/concurrency.ts'
import { whileSigning } from '../common/seal-file.ts'
import { connect, converse, type Pace, startShell } from './converse.ts'
import { newRunId, type RunOptions, runFleet, type Watch, watchOver } from './run.ts'

type Deps = Pick<Ports, 'transport' | 'clock' | 'entropy' | 'pause'>
type Timing = Pick<VantageInput, 'spreadSeconds' | 'signal' | 'onEvent'> & { readonly aside: Aside }

/** The collector without probes: its greeting, its end, and the echo. */
const NO_QUESTIONS: Plan = { commands: [], sudo: false, echo: true }
/** Without the pauses between bursts: connecting, logging in, and bursts over a slow line. */
const DEADLINE_SECONDS = 240
const SILENCE_SECONDS = 60

/**
 * Times every target concurrently. Each has its measurement, in the order of the targets; nodes that were not timed
 * have the reason.
 */
async function timeNodes(
  deps: Deps,
  input: Omit<VantageInput, 'openSigner' | 'place'> & { readonly run: string },
): Promise<readonly VantageMeasurement[]> {
  const timed = new Map<string, VantageMeasurement>()
  const failures = new Map<string, NonNullable<VantageMeasurement['failure']>>()
  // Nodes that are skipped because several refused the login are reported by their event alone.
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'node-failed') failures.set(event.node, { code: event.code, detail: event.detail })
    input.onEvent(event)
  }
  const time = async (target: ConnectTarget, aside: Aside) => {
    const measurement = await timeNode(deps, target, { ...input, onEvent, aside })
    timed.set(target.node.name, measurement)
    return { recording: null, authRefused: measurement.failure?.code === 'ssh.auth-refused' }
  }
  await runFleet(input.targets, time, { ...input, onEvent })
  return input.targets.map((target) => {
    const stopped = { code: 'run.cancelled', detail: 'stopped before this node was timed' }
    const failure = failures.get(target.node.name) ?? stopped
    return timed.get(target.node.name) ?? { ...beginning(deps, target), failure }
  })
}

const beginning = ({ clock }: Deps, { node }: ConnectTarget): VantageMeasurement => ({
  node: node.name,
  address: node.address,
  port: node.port,
  hostKey: null,
  at: clock.now(),
  echo: null,
  path: null,
  failure: null,
})

type Times = Pick<VantageMeasurement, 'hostKey' | 'echo' | 'path'>
const NOT_TIMED: Times = { hostKey: null, echo: null, path: null }

/** One connection, one login, no probe. Never hangs. */
async function timeNode(deps: Deps, target: ConnectTarget, input: Timing): Promise<VantageMeasurement> {
  const node = target.node.name
  input.onEvent({ kind: 'node-connecting', node })
  const begun = beginning(deps, target)
  const watch = watchOver(deps, {
    deadlineSeconds: DEADLINE_SECONDS,
    silenceSeconds: SILENCE_SECONDS,
    signal: input.signal,
  })
  try {
    const connected = await connect(deps, target, watch)
    if (!connected.ok) watch.give(connected.error.code, connected.error.detail)
    const { spreadSeconds, aside, onEvent } = input
    const onWait = (secondsLeft: number): void => onEvent({ kind: 'node-timing', node, secondsLeft })
    const times = connected.ok
      ? await timesOf(deps, connected.value, { spreadSeconds, aside, onWait }, watch)
      : NOT_TIMED
    const given = watch.failure()
    const failure = given === null ? null : { code: given.code, detail: plain(given.detail, 1900) }
    const trips = (times.echo?.bursts ?? []).reduce((sum, { samples }) => sum + samples.length, 0)
    if (failure === null) input.onEvent({ kind: 'node-done', node, captures: trips, partial: false })
    else input.onEvent({ kind: 'node-failed', node, ...failure })
    return { ...begun, ...times, failure }
  } finally {
    watch.stop()
  }
}

/** Only a greeting, the echo, and the transport's measurements of the path. */
async function timesOf(deps: Deps, connection: Connection, pace: Pace, watch: Watch): Promise<Times> {
  const hostKey = connection.hostKey.fingerprint
  const nonce = Buffer.from(deps.entropy.bytes(12)).toString('hex')
  const asked = {
    session: startShell(connection),
    script: collectorScript(NO_QUESTIONS, nonce),
    nonce,
    commands: 0,
    keep: keptBytes(NO_QUESTIONS),
    echo: pace,
    onHeader: () => undefined,
    onFrame: async () => undefined,
  }
  try {
    const { echo: timed } = await converse(deps, connection, asked, watch)
    if (timed === null || timed.bursts.length === 0)
      watch.give('collector.no-answer', 'the session returned no echo that could be timed')
    else if (timed.mismatches > 0)
      watch.give('collector.garbled', `${timed.mismatches} of the nonces were returned altered`)
    if (timed === null) return { hostKey, echo: null, path: null }
    const { path, ...echo } = timed
    return { hostKey, echo, path }
  } finally {
    connection.close()
  }
}

interface VantageInput extends Pick<RunOptions, 'concurrency' | 'signal' | 'onEvent'> {
  /** The nodes that are timed. */
  readonly targets: readonly ConnectTarget[]
  /** Location of this machine, and who declared it. */
  readonly place: Place
  /** Period over which the round trips of a node are spread. */
  readonly spreadSeconds: number
  /** Only for the demo fleet. */
  readonly demo?: boolean
  /** Opened before any node is contacted: the times have no value without it. */
  readonly openSigner: () => Promise<Outcome<Signer>>
}

/**
 * Times the path to each node from this machine, and signs the result. No probe of the catalog is run. A node that
 * could not be timed is in the record with the reason. Fails with input.refused where the location is not usable;
 * otherwise as the key does.
 */
export async function recordVantage(ports: Ports, input: VantageInput): Promise<Outcome<VantageRecord>> {
  const problem = vantagePlaceProblem(input.place)
  if (problem !== null) return fail('input.refused', `the location ${problem}`)
  const opened = await input.openSigner()
  if (!opened.ok) return opened
  const startedAt = ports.clock.now()
  const id = `vantage-${newRunId(ports.clock, ports.entropy)}`
  const measurements: readonly VantageMeasurement[] = await timeNodes(ports, { ...input, run: id })
  const record: UnsignedVantage = {
    schema: 'barewitness.vantage/1',
    id,
    recorder: VERSION,
    vantage: input.place,
    startedAt,
    endedAt: ports.clock.now(),
    demo: input.demo === true,
    measurements,
  }
  return await signedVantage(ports, record, async () => opened)
}

/**
 * Signs all of a record. Fails with input.refused where it could not be read back, such as a record without the demo
 * mark under a demo key; otherwise as the key does.
 */
export async function signedVantage(
  { sealing, clock }: Pick<Ports, 'sealing' | 'clock'>,
  record: UnsignedVantage,
  openSigner: () => Promise<Outcome<Signer>>,
): Promise<Outcome<VantageRecord>> {
  const opened = await openSigner()
  if (!opened.ok) return opened
  const { certificate, chain, fingerprint } = opened.value
  const about = { fingerprint, at: clock.now(), chain: [certificate, ...chain].map(base64) }
  return await whileSigning(async () => {
    const cms = base64(await sealing.signDetached(opened.value, vantageBytes(record, about)))
    const signed: VantageRecord = { ...record, signature: { ...about, cms } }
    const [problem] = (await vantageIsSigned(sealing.reader, signed)).problems
    return problem === undefined ? ok(signed) : fail('input.refused', `the record cannot be used: ${problem}`)
  })
}

/** The record of the demo fleet's second machine, under a demo key. Fails as the key does. */
export async function demoVantageRecord(
  ports: Pick<Ports, 'sealing' | 'clock'>,
  demo: Pick<DemoFleet, 'vantage'>,
  asOf: string,
): Promise<Outcome<VantageRecord>> {
  return await signedVantage(ports, demo.vantage(asOf), async () => ok(await ports.sealing.demoSigner()))
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

import type { Operator, Recording, Session } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import type { Ports } from '../../core/all-ports.ts'
import { type Failure, fail, type Outcome } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  DEFAULT_TIMEOUT_SECONDS,
  keptBytes,
  type Plan,
  type PlannedCommand,
  planOf,
  slowSudo,
} from '../../core/collector/plan.ts'
import type { Masking } from '../../core/collector/redact.ts'
import { collectorScript } from '../../core/collector/script.ts'
import type {
  Connection,
  ConnectTarget,
  EmulatedTimes,
  EvidenceStore,
  FinishedRecording,
  RecordingWriter,
  RunEvent,
} from '../../core/ports/ports.ts'
import { argvOf, askedFor, captureKey, needsMeasure } from '../../core/recording/probe.ts'
import type { CapturedAnswer } from '../../core/recording/recording.ts'
import { type Catalog, catalogDigest } from '../../core/rules/catalog.ts'
import type { Aside } from '../common/concurrency.ts'
import { BOOT_KEY, bootIn, captureOfFrame, lostCapture, measuredCapture } from './captures.ts'
import { type Conversation, connect, converse, paceOf, startShell } from './converse.ts'
import {
  isAboutListeners,
  isDisturbed,
  listenerMeasures,
  measureListeners,
  withListeners,
} from './observe-listeners.ts'
import { type Watch, watchOver } from './run.ts'

interface CollectDeps extends Pick<Ports, 'transport' | 'clock' | 'entropy' | 'pause'> {
  readonly store: EvidenceStore
  readonly catalog: Catalog
  /** Absent: not recorded. */
  readonly operator?: Operator
  /** Absent: each capture is masked independently. */
  readonly mask?: Masking
}

export interface CollectOptions {
  readonly run: string
  readonly signal: AbortSignal
  readonly deadlineSeconds: number
  readonly onEvent: (event: RunEvent) => void
  readonly marks: Pick<Recording, 'demo' | 'synthetic'>
  /** "probe/command" of captures that an earlier attempt of this run already stored. */
  readonly skip: ReadonlySet<string>
  /**
   * The recording of the earlier attempt. Its captures stay in the recording, so the node must show the same host key.
   */
  readonly earlier?: Recording | null
  /** The boot during which those captures were collected, where known. */
  readonly earlierBoot?: string | null
  /** Runs live tests too: bounded measurements that keep one processor of the node busy for seconds. Off by default. */
  readonly liveTests?: boolean
  /**
   * Queries the provider’s metadata service too: requests that leave the node. Off unless the fleet file enables it.
   */
  readonly metadata?: boolean
  /** Period over which round trips are spread, where the location of this computer is declared. */
  readonly spreadSeconds?: number
  /** Lets other nodes start while only round trips of this node are timed. */
  readonly aside?: Aside
}

const LEAST_SILENCE_SECONDS = 60

/**
 * Collects one node: one connection, one login, one remote program. Each capture is stored as soon as it is complete.
 * Any failure is named in the stored recording; only a failure of the store itself is returned. Never hangs.
 */
export async function collectNode(
  deps: CollectDeps,
  target: ConnectTarget,
  options: CollectOptions,
): Promise<Outcome<FinishedRecording>> {
  const { node } = target
  options.onEvent({ kind: 'node-connecting', node: node.name })
  const plan = planFor(deps.catalog, target, options)
  const watch = watchOver(deps, {
    deadlineSeconds: options.deadlineSeconds,
    silenceSeconds: Math.max(LEAST_SILENCE_SECONDS, longestTimeout(plan) + 15),
    signal: options.signal,
  })
  const startedAt = deps.clock.now()
  try {
    const connected = await connectAgain(deps, target, watch, options.earlier ?? null)
    if (!connected.ok) {
      const recording = beginning(deps, target, options, startedAt, null)
      return await keep(deps, recording, options, async () => ({
        recording,
        failure: connected.error,
        answers: options.skip.size,
      }))
    }
    try {
      // The node starts its shell while the store is opened; no command is sent before that.
      const session = startShell(connected.value)
      const recording = beginning(deps, target, options, startedAt, connected.value)
      return await keep(deps, recording, options, (writer) =>
        ask({
          deps,
          connection: connected.value,
          session,
          plan,
          writer,
          options,
          watch,
          recording,
          emulated: target.roundTrips,
        }),
      )
    } finally {
      connected.value.close()
    }
  } finally {
    watch.stop()
  }
}

/** As connect(). Fails with ssh.host-key-changed for another host key than that of the earlier attempt. */
async function connectAgain(
  deps: CollectDeps,
  target: ConnectTarget,
  watch: Watch,
  earlier: Recording | null,
): Promise<Outcome<Connection>> {
  const connected = await connect(deps, target, watch)
  if (!connected.ok) return connected
  const [then, now] = [earlier?.hostKey?.fingerprint, connected.value.hostKey.fingerprint]
  if (then === undefined || then === now) return connected
  connected.value.close()
  return fail('ssh.host-key-changed', `earlier captures came from host key ${then}; the node now shows ${now}`)
}

/**
 * Whether a command runs first. The boot id does, because captures of an interrupted attempt cannot be kept without
 * it; then the commands from whose output queries to ports are planned. The earlier these end, the more of the other
 * commands run at the same time as the queries.
 */
export const isEarly = (question: Pick<PlannedCommand, 'probe' | 'command' | 'run'>): boolean =>
  captureKey(question.probe, question.command) === BOOT_KEY || isDisturbed(question)

const planFor = ({ probes }: Catalog, { node }: ConnectTarget, { skip, ...asked }: CollectOptions): Plan =>
  planOf(probes, {
    sudo: node.sudo,
    echo: node.vantage !== undefined && needsMeasure(probes, 'nonce-echo', skip),
    skip: withListeners(probes, skip),
    early: isEarly,
    ...askedFor(asked),
  })

const longestTimeout = ({ commands }: Plan): number =>
  Math.max(0, ...commands.map(({ run }) => run.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS))

interface Asking {
  readonly deps: CollectDeps
  readonly connection: Connection
  readonly session: ReturnType<typeof startShell>
  readonly plan: Plan
  readonly writer: RecordingWriter
  readonly options: CollectOptions
  readonly watch: Watch
  readonly recording: Recording
  readonly emulated: EmulatedTimes | undefined
}

async function ask(asking: Asking): Promise<Ended> {
  const { deps, connection, session, plan, writer, options, watch, recording, emulated } = asking
  const { node } = recording
  const listed = new Map<string, CapturedAnswer>()
  const sudo = slowSudo()
  const nonce = Buffer.from(deps.entropy.bytes(12)).toString('hex')
  const got = new Set<number>()
  let uid: number | null = null
  const privilege = (): Session['privilege'] => (uid === 0 ? 'root' : node.sudo ? 'sudo' : 'none')
  // Not async: a function that waits for the disk would keep the capture in memory, of which the store holds equal
  // ones once.
  const store = (answer: CapturedAnswer): Promise<void> =>
    writer.append(answer).then((stored) => {
      if (!stored.ok) watch.give(stored.error.code, stored.error.detail)
    })
  const startedAt = deps.clock.now()
  let boot: string | null = null
  const ports = listenerMeasures(deps, connection, { listed, node }, watch)
  // Ports are queried while the remaining commands run, after the last command whose output could show the queries. Live tests are timed, so nothing
  // else runs during them.
  const first = new Set(plan.commands.flatMap((one) => (isDisturbed(one) ? [one.index] : [])))
  const mayMeasure = first.size > 0 && plan.commands.every(({ live }) => !live)
  const { clock, echo } = await converse(
    deps,
    connection,
    {
      session,
      script: collectorScript(plan, nonce),
      nonce,
      commands: plan.commands.length,
      keep: keptBytes(plan),
      echo: plan.echo ? paceOf(node.name, options) : null,
      beforeEcho: async () => {
        await measureListeners(ports, deps.catalog.probes, options.skip)
      },
      onHeader: (header) => {
        uid = header.uid
      },
      onFrame: (frame, firstUptime) => {
        const { index } = frame
        const planned = plan.commands[index]
        if (planned === undefined) return Promise.resolve()
        const answer = captureOfFrame(planned, frame, { startedAt, firstUptime, privilege: privilege() }, deps.mask)
        if (isAboutListeners(planned.probe)) listed.set(captureKey(planned.probe, planned.command), answer)
        boot = bootIn(answer) ?? boot
        sudo.add(answer)
        return store(answer).then(() => {
          got.add(index)
          if (first.delete(index) && first.size === 0 && mayMeasure)
            // A problem comes out below, where the same measurements are awaited.
            void measureListeners(ports, deps.catalog.probes, options.skip).catch(() => undefined)
          options.onEvent({ kind: 'node-collecting', node: node.name, done: got.size, total: plan.commands.length })
        })
      },
    },
    watch,
  )
  for (const planned of plan.commands)
    if (!got.has(planned.index)) await store(lostCapture(planned, deps.clock.now(), privilege()))
  const measured = {
    'ssh-session': () => sessionFacts(connection),
    'host-key-list': () => connection.hostKeyList ?? null,
    'ssh-offers': () => connection.offer ?? null,
    'nonce-echo': () => (emulated === undefined || !recording.demo ? echo : withEmulated(echo, emulated)),
    ...ports,
  }
  for (const probe of deps.catalog.probes) {
    for (const [command, spec] of Object.entries(probe.commands)) {
      if (spec.kind !== 'measure' || options.skip.has(`${probe.id}/${command}`)) continue
      const value = await measured[spec.measure]()
      if (value !== null) await store(measuredCapture(probe.id, command, spec.measure, value, startedAt))
    }
  }
  const missing = plan.commands.length - got.size
  if (missing > 0)
    watch.give('collector.truncated', `${missing} of ${plan.commands.length} commands returned no output`)
  if (sudo.notAsked() > 0) watch.give('collector.sudo-slow', sudo.words() ?? '')
  return {
    recording: { ...recording, session: sessionOf(connection, privilege()), clock },
    failure:
      withCause(watch.failure(), { plan, got, slow: sudo.words() }) ?? restarted(options.earlierBoot ?? null, boot),
    answers: got.size + options.skip.size,
    // Commands that an earlier attempt completed are not repeated.
    sudoRefused: options.skip.size === 0 ? sudo.refused() : null,
  }
}

const RAN_OUT: readonly Failure['code'][] = ['collector.timed-out', 'ssh.timed-out']

/** The failure of a collection that timed out, with the command that had not finished and the delays of sudo. */
function withCause(
  failure: Failure | null,
  { plan, got, slow }: { readonly plan: Plan; readonly got: ReadonlySet<number>; readonly slow: string | null },
): Failure | null {
  if (failure === null || !RAN_OUT.includes(failure.code)) return failure
  const open = plan.commands.find(({ index }) => !got.has(index))
  const through = open !== undefined && plan.sudo && open.run.as === 'root' ? 'sudo -n ' : ''
  const asked = open === undefined || got.size === 0 ? '' : `; not finished: ${through}${argvOf(open.run).join(' ')}`
  return { ...failure, detail: `${failure.detail}${slow === null ? '' : `; ${slow}`}${asked}` }
}

/**
 * The failure after a restart: captures of two boots do not describe one state of a node. The next attempt repeats
 * the commands from before the restart.
 */
const restarted = (then: string | null, now: string | null): Failure | null =>
  then === null || now === null || then === now
    ? null
    : { code: 'collector.restarted', detail: `earlier captures are from boot ${then}; the node is now in boot ${now}` }

/** Samples that differ a little, so that they look as measured ones do; the nonces stay those that came back. */
function withEmulated(echo: Conversation['echo'], { echoMs, tcpMs }: EmulatedTimes): Conversation['echo'] {
  if (echo === null) return null
  const { bursts, path } = echo
  return {
    ...echo,
    bursts: bursts.map((burst) => ({
      ...burst,
      samples: burst.samples.map((_, index) => Math.round((echoMs + index / 50) * 1000) / 1000),
      wallDriftMs: 0,
    })),
    path: path === null ? null : { ...path, tcpMs, keepaliveMs: path.keepaliveMs.map(() => echoMs) },
  }
}

const sessionFacts = ({ hostKey, session }: Connection): unknown => ({
  hostKey,
  serverVersion: session.serverVersion ?? null,
  algorithms: session.algorithms ?? {},
  authMethod: session.authMethod,
  transport: session.transport,
})

/**
 * The recording at its beginning. Once connected it names the host key, so that even the captures of a killed
 * collection state their origin.
 */
function beginning(
  { clock, catalog, operator }: CollectDeps,
  { node }: ConnectTarget,
  { run, earlier, marks, liveTests, metadata }: CollectOptions,
  startedAt: string,
  connection: Connection | null,
): Recording {
  return {
    schema: 'barewitness.recording/1',
    id: node.name,
    run,
    node,
    hostKey: connection?.hostKey ?? earlier?.hostKey ?? null,
    session: connection === null ? (earlier?.session ?? null) : sessionOf(connection, node.sudo ? 'sudo' : 'none'),
    collector: {
      version: VERSION,
      catalogVersion: catalog.version,
      catalogDigest: digestOf(catalog),
      ...(operator === undefined ? {} : { operator }),
    },
    startedAt: earlier?.startedAt ?? startedAt,
    endedAt: clock.now(),
    clock: earlier?.clock ?? null,
    outcome: {
      status: 'partial',
      failure: { code: 'run.cancelled', detail: 'the collection was interrupted' },
    },
    ...marks,
    ...(liveTests === true ? { liveTests } : {}),
    ...(metadata === true ? { metadata } : {}),
  }
}

const sessionOf = ({ session }: Connection, privilege: Session['privilege']): Session => ({
  ...session,
  privilege,
})

// One catalog serves a whole run; its digest covers some hundred kilobytes.
const digests = new WeakMap<Catalog, string>()
/** The digest of a catalog, computed once. */
export function digestOf(catalog: Catalog): string {
  const digest = digests.get(catalog) ?? catalogDigest(catalog)
  digests.set(catalog, digest)
  return digest
}

/** How a collection ended. */
interface Ended {
  readonly recording: Recording
  readonly failure: Failure | null
  /** Number of captures, including those of earlier attempts. */
  readonly answers: number
  /** As slowSudo().refused(). */
  readonly sudoRefused?: string | null
}

/**
 * Opens the recording, runs `fill`, and closes the recording with the outcome. No capture is a failure; fewer than all
 * is partial.
 */
async function keep(
  { store, clock }: CollectDeps,
  begun: Recording,
  { onEvent }: CollectOptions,
  fill: (writer: RecordingWriter) => Promise<Ended>,
): Promise<Outcome<FinishedRecording>> {
  const node = begun.node.name
  const writer = await store.begin(begun)
  if (!writer.ok) {
    onEvent({ kind: 'node-failed', node, code: writer.error.code, detail: writer.error.detail })
    return writer
  }
  const { recording, failure, answers, sudoRefused = null } = await fill(writer.value)
  const shown = failure === null ? null : { code: failure.code, detail: plain(failure.detail, 1900) }
  const status = shown === null ? 'complete' : answers > 0 ? 'partial' : 'failed'
  const held = await writer.value.finish({ ...recording, endedAt: clock.now(), outcome: { status, failure: shown } })
  if (!held.ok) onEvent({ kind: 'node-failed', node, code: held.error.code, detail: held.error.detail })
  else if (status === 'failed' && shown !== null) onEvent({ kind: 'node-failed', node, ...shown })
  else {
    const refused = sudoRefused === null ? {} : { sudoRefused }
    onEvent({ kind: 'node-done', node, captures: held.value.answers, partial: shown !== null, ...refused })
  }
  return held
}

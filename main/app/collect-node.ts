import type { Recording, Session } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import type { Catalog } from '../core/catalog.ts'
import { catalogDigest } from '../core/catalog.ts'
import { DEFAULT_TIMEOUT_SECONDS, keptBytes, type Plan, planOf } from '../core/collector/plan.ts'
import { collectorScript } from '../core/collector/script.ts'
import { type Failure, fail, type Outcome } from '../core/failure.ts'
import { plain } from '../core/plain-text.ts'
import type {
  Clock,
  Connection,
  ConnectTarget,
  Entropy,
  EvidenceStore,
  RecordingWriter,
  RunEvent,
  Transport,
} from '../core/ports.ts'
import { captureKey } from '../core/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../core/recording.ts'
import { err, type Result } from '../core/result.ts'
import { captureOfFrame, lostCapture, measuredCapture } from './captures.ts'
import { converse } from './converse.ts'
import { isAboutListeners, observeListeners, withListeners } from './observe-listeners.ts'
import { type Watch, watchOver } from './watch.ts'

export interface CollectDeps {
  readonly transport: Transport
  readonly store: EvidenceStore
  readonly clock: Clock
  readonly entropy: Entropy
  readonly pause: (milliseconds: number) => Promise<void>
  readonly catalog: Catalog
}

export interface CollectOptions {
  readonly run: string
  readonly signal: AbortSignal
  readonly deadlineSeconds: number
  readonly onEvent: (event: RunEvent) => void
  readonly marks: Pick<Recording, 'demo' | 'synthetic'>
  /** "probe/command" of answers that an earlier attempt of this run already stored. */
  readonly skip: ReadonlySet<string>
  /** What that attempt recorded of the node. Its answers stay in the recording, so the same host key must answer again. */
  readonly earlier?: Recording | null
  /** Ask live tests too: bounded measurements that keep a processor of the node busy for seconds. Off unless somebody asked for it. */
  readonly liveTests?: boolean
}

const LEAST_SILENCE_SECONDS = 60

/**
 * Collects one node: one connection, one login, one remote program. Every answer is stored as soon as it is complete. Whatever goes
 * wrong ends as a stored recording that names the failure; the only failure returned is of the store itself. Never hangs.
 */
export async function collectNode(
  deps: CollectDeps,
  target: ConnectTarget,
  options: CollectOptions,
): Promise<Outcome<LoadedRecording>> {
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
    const connected = await connect(deps, target, watch, options.earlier ?? null)
    if (!connected.ok) {
      const recording = beginning(deps, target, options, startedAt, null)
      return await keep(deps, recording, options, async () => ({
        recording,
        failure: connected.error,
        answers: options.skip.size,
      }))
    }
    try {
      const recording = beginning(deps, target, options, startedAt, connected.value)
      return await keep(deps, recording, options, (writer) =>
        ask({ deps, connection: connected.value, plan, writer, options, watch, recording }),
      )
    } finally {
      connected.value.close()
    }
  } finally {
    watch.stop()
  }
}

/** An open connection, or the failure it ended with. One that comes too late is closed. */
async function connect(
  { transport }: CollectDeps,
  target: ConnectTarget,
  watch: Watch,
  earlier: Recording | null,
): Promise<Result<Connection, Failure>> {
  const connecting = transport.connect(target, watch.signal).catch((problem) => fail('bug', String(problem)))
  const waited = await watch.unless(connecting)
  if (!waited.ok) {
    void connecting.then((late) => (late.ok ? late.value.close() : undefined))
    return waited
  }
  const connected = waited.value
  if (!connected.ok) return connected
  const [then, now] = [earlier?.hostKey?.fingerprint, connected.value.hostKey.fingerprint]
  if (then === undefined || then === now) return connected
  connected.value.close()
  return err({
    code: 'ssh.host-key-changed',
    detail: `the answers so far came from a node with host key ${then}, this one has ${now}`,
  })
}

/** Once connected it names the host key, so that even the answers of a killed collection say whose they are. */
function beginning(
  { clock, catalog }: CollectDeps,
  { node }: ConnectTarget,
  { run, earlier, marks, liveTests }: CollectOptions,
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
    collector: { version: VERSION, catalogVersion: catalog.version, catalogDigest: digestOf(catalog) },
    startedAt: earlier?.startedAt ?? startedAt,
    endedAt: clock.now(),
    clock: earlier?.clock ?? null,
    outcome: {
      status: 'partial',
      failure: { code: 'run.cancelled', detail: 'the collection did not come to its end' },
    },
    ...marks,
    ...(liveTests === true ? { liveTests } : {}),
  }
}

const sessionOf = ({ session }: Connection, privilege: Session['privilege']): Session => ({ ...session, privilege })

// One catalog serves a whole run; its digest is over some hundred kilobytes.
const digests = new WeakMap<Catalog, string>()
function digestOf(catalog: Catalog): string {
  const digest = digests.get(catalog) ?? catalogDigest(catalog)
  digests.set(catalog, digest)
  return digest
}

const planFor = ({ probes }: Catalog, { node }: ConnectTarget, { skip, liveTests }: CollectOptions): Plan =>
  planOf(probes, {
    sudo: node.sudo,
    echo: node.location !== undefined && node.vantage !== undefined,
    skip: withListeners(probes, skip),
    liveTests: liveTests === true,
  })

const longestTimeout = ({ commands }: Plan): number =>
  Math.max(0, ...commands.map(({ run }) => run.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS))

interface Ended {
  readonly recording: Recording
  readonly failure: Failure | null
  /** How many answers there are now, those of earlier attempts included. */
  readonly answers: number
}

/** Opens the recording, lets `fill` fill it, and closes it with how that ended. Nothing answered is a failure; less than all is partial. */
async function keep(
  { store, clock }: CollectDeps,
  begun: Recording,
  { onEvent }: CollectOptions,
  fill: (writer: RecordingWriter) => Promise<Ended>,
): Promise<Outcome<LoadedRecording>> {
  const node = begun.node.name
  const writer = await store.begin(begun)
  if (!writer.ok) {
    onEvent({ kind: 'node-failed', node, code: writer.error.code, detail: writer.error.detail })
    return writer
  }
  const { recording, failure, answers } = await fill(writer.value)
  const told = failure === null ? null : { code: failure.code, detail: plain(failure.detail, 1900) }
  const status = told === null ? 'complete' : answers > 0 ? 'partial' : 'failed'
  const held = await writer.value.finish({ ...recording, endedAt: clock.now(), outcome: { status, failure: told } })
  if (!held.ok) onEvent({ kind: 'node-failed', node, code: held.error.code, detail: held.error.detail })
  else if (status === 'failed' && told !== null) onEvent({ kind: 'node-failed', node, ...told })
  else onEvent({ kind: 'node-done', node, captures: held.value.captures.length, partial: told !== null })
  return held
}

interface Asking {
  readonly deps: CollectDeps
  readonly connection: Connection
  readonly plan: Plan
  readonly writer: RecordingWriter
  readonly options: CollectOptions
  readonly watch: Watch
  readonly recording: Recording
}

async function ask({ deps, connection, plan, writer, options, watch, recording }: Asking): Promise<Ended> {
  const { node } = recording
  const listed = new Map<string, CapturedAnswer>()
  const nonce = Buffer.from(deps.entropy.bytes(12)).toString('hex')
  const got = new Set<number>()
  let uid: number | null = null
  const privilege = (): Session['privilege'] => (uid === 0 ? 'root' : node.sudo ? 'sudo' : 'none')
  const store = async (answer: CapturedAnswer): Promise<void> => {
    const stored = await writer.append(answer)
    if (!stored.ok) watch.give(stored.error.code, stored.error.detail)
  }
  const startedAt = deps.clock.now()
  const { clock, echo } = await converse(
    deps,
    connection,
    {
      script: collectorScript(plan, nonce),
      nonce,
      commands: plan.commands.length,
      keep: keptBytes(plan),
      echo: plan.echo,
      onHeader: (header) => {
        uid = header.uid
      },
      onFrame: async (frame, firstUptime) => {
        const planned = plan.commands[frame.index]
        if (planned === undefined) return
        const answer = captureOfFrame(planned, frame, { startedAt, firstUptime, privilege: privilege() })
        if (isAboutListeners(planned.probe)) listed.set(captureKey(planned.probe, planned.command), answer)
        await store(answer)
        got.add(frame.index)
        options.onEvent({ kind: 'node-collecting', node: node.name, done: got.size, total: plan.commands.length })
      },
    },
    watch,
  )
  for (const planned of plan.commands)
    if (!got.has(planned.index)) await store(lostCapture(planned, deps.clock.now(), privilege()))
  const measured = {
    'ssh-session': sessionFacts(connection),
    'ssh-offers': connection.offer ?? null,
    'nonce-echo': echo,
  }
  for (const probe of deps.catalog.probes) {
    for (const [command, spec] of Object.entries(probe.commands)) {
      if (spec.kind !== 'measure' || options.skip.has(`${probe.id}/${command}`)) continue
      const value =
        spec.measure === 'tls-listeners'
          ? await observeListeners(deps, connection, { listed, sshPort: node.port, address: node.address }, watch)
          : measured[spec.measure]
      if (value !== null) await store(measuredCapture(probe.id, command, spec.measure, value, startedAt))
    }
  }
  const missing = plan.commands.length - got.size
  if (missing > 0) watch.give('collector.truncated', `${missing} of ${plan.commands.length} commands were not answered`)
  return {
    recording: { ...recording, session: sessionOf(connection, privilege()), clock },
    failure: watch.failure(),
    answers: got.size + options.skip.size,
  }
}

const sessionFacts = ({ hostKey, session }: Connection): unknown => ({
  hostKey,
  serverVersion: session.serverVersion ?? null,
  algorithms: session.algorithms ?? {},
  authMethod: session.authMethod,
  transport: session.transport,
})

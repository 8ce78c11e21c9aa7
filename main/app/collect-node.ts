import type { Recording, Session } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import type { Catalog } from '../core/catalog.ts'
import { catalogDigest } from '../core/catalog.ts'
import { type Plan, planOf } from '../core/collector/plan.ts'
import { collectorScript } from '../core/collector/script.ts'
import type { Failure, Outcome } from '../core/failure.ts'
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
import type { CapturedAnswer, LoadedRecording } from '../core/recording.ts'
import { captureOfFrame, lostCapture, measuredCapture } from './captures.ts'
import { type Conversation, converse } from './converse.ts'

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
}

/**
 * Collects one node: one connection, one login, one remote program. Every answer is stored as soon as it is complete. Whatever goes
 * wrong ends as a stored recording that names the failure; the only failure returned is of the store itself.
 */
export async function collectNode(
  deps: CollectDeps,
  target: ConnectTarget,
  options: CollectOptions,
): Promise<Outcome<LoadedRecording>> {
  const { node } = target
  const begun = beginning(deps, target, options)
  const writer = await deps.store.begin(begun)
  if (!writer.ok) return writer
  options.onEvent({ kind: 'node-connecting', node: node.name })
  const connected = await deps.transport.connect(target, options.signal)
  if (!connected.ok)
    return await finish(deps, writer.value, { ...begun, ...ending(deps, 'failed', connected.error) }, options)
  const connection = connected.value
  try {
    const asked = await ask(deps, connection, target, writer.value, options)
    const session: Session = { ...connection.session, privilege: asked.privilege }
    const status = asked.failure === null ? 'complete' : asked.stored > 0 ? 'partial' : 'failed'
    const recording: Recording = {
      ...begun,
      hostKey: connection.hostKey,
      session,
      clock: asked.clock,
      ...ending(deps, status, asked.failure),
    }
    return await finish(deps, writer.value, recording, options)
  } finally {
    connection.close()
  }
}

function beginning({ clock, catalog }: CollectDeps, { node }: ConnectTarget, options: CollectOptions): Recording {
  const now = clock.now()
  return {
    schema: 'barewitness.recording/1',
    id: node.name,
    run: options.run,
    node,
    hostKey: null,
    session: null,
    collector: { version: VERSION, catalogVersion: catalog.version, catalogDigest: catalogDigest(catalog) },
    startedAt: now,
    endedAt: now,
    clock: null,
    outcome: {
      status: 'partial',
      failure: { code: 'run.cancelled', detail: 'the collection did not come to its end' },
    },
    ...options.marks,
  }
}

const ending = (
  { clock }: CollectDeps,
  status: Recording['outcome']['status'],
  failure: Failure | null,
): Pick<Recording, 'endedAt' | 'outcome'> => ({
  endedAt: clock.now(),
  outcome: { status, failure: failure === null ? null : { code: failure.code, detail: failure.detail.slice(0, 2000) } },
})

async function finish(
  _deps: CollectDeps,
  writer: RecordingWriter,
  recording: Recording,
  { onEvent }: CollectOptions,
): Promise<Outcome<LoadedRecording>> {
  const loaded = await writer.finish(recording)
  if (!loaded.ok) {
    onEvent({ kind: 'node-failed', node: recording.node.name, code: loaded.error.code, detail: loaded.error.detail })
    return loaded
  }
  const { status, failure } = recording.outcome
  if (status === 'failed' && failure !== null) onEvent({ kind: 'node-failed', node: recording.node.name, ...failure })
  else
    onEvent({
      kind: 'node-done',
      node: recording.node.name,
      captures: loaded.value.captures.length,
      partial: status !== 'complete',
    })
  return loaded
}

interface Asked {
  readonly failure: Failure | null
  readonly stored: number
  readonly privilege: Session['privilege']
  readonly clock: Recording['clock']
}

async function ask(
  deps: CollectDeps,
  connection: Connection,
  target: ConnectTarget,
  writer: RecordingWriter,
  options: CollectOptions,
): Promise<Asked> {
  const { node } = target
  const wantsEcho = node.location !== undefined && node.vantage !== undefined
  const plan: Plan = planOf(deps.catalog.probes, { sudo: node.sudo, echo: wantsEcho, skip: options.skip })
  const nonce = Buffer.from(deps.entropy.bytes(12)).toString('hex')
  const got = new Set<number>()
  let uid: number | null = null
  let failure: Failure | null = null
  const privilege = (): Session['privilege'] => (uid === 0 ? 'root' : node.sudo ? 'sudo' : 'none')
  const store = async (answer: CapturedAnswer): Promise<void> => {
    const stored = await writer.append(answer)
    if (!stored.ok) failure ??= stored.error
  }
  const startedAt = deps.clock.now()
  const conversation: Conversation = await converse(deps, connection, {
    script: collectorScript(plan, nonce),
    nonce,
    commands: plan.commands.length,
    echo: wantsEcho,
    deadlineSeconds: options.deadlineSeconds,
    signal: options.signal,
    onHeader: (header) => {
      uid = header.uid
    },
    onFrame: async (frame, firstUptime) => {
      const planned = plan.commands[frame.index]
      if (planned === undefined) return
      got.add(frame.index)
      await store(captureOfFrame(planned, frame, { startedAt, firstUptime, privilege: privilege() }))
      options.onEvent({ kind: 'node-collecting', node: node.name, done: got.size, total: plan.commands.length })
    },
  })
  failure ??= conversation.failure
  for (const planned of plan.commands)
    if (!got.has(planned.index)) await store(lostCapture(planned, deps.clock.now(), privilege()))
  for (const probe of deps.catalog.probes) {
    for (const [command, spec] of Object.entries(probe.commands)) {
      if (spec.kind !== 'measure' || options.skip.has(`${probe.id}/${command}`)) continue
      const value = spec.measure === 'ssh-session' ? sessionFacts(connection) : conversation.echo
      if (value !== null) await store(measuredCapture(probe.id, command, spec.measure, value, startedAt))
    }
  }
  const missing = plan.commands.length - got.size
  if (failure === null && missing > 0)
    failure = {
      code: 'collector.truncated',
      detail: `${missing} of ${plan.commands.length} commands were not answered`,
    }
  return { failure, stored: got.size, privilege: privilege(), clock: conversation.clock }
}

const sessionFacts = ({ hostKey, session }: Connection): unknown => ({
  hostKey,
  serverVersion: session.serverVersion ?? null,
  algorithms: session.algorithms ?? {},
  authMethod: session.authMethod,
  transport: session.transport,
})

import type { Recording, Session } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import type { Catalog } from '../core/catalog.ts'
import { catalogDigest } from '../core/catalog.ts'
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_TIMEOUT_SECONDS,
  MAX_ERROR_BYTES,
  type Plan,
  planOf,
} from '../core/collector/plan.ts'
import { collectorScript } from '../core/collector/script.ts'
import type { Failure, Outcome } from '../core/failure.ts'
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
import type { CapturedAnswer, LoadedRecording } from '../core/recording.ts'
import { err, type Result } from '../core/result.ts'
import { captureOfFrame, lostCapture, measuredCapture } from './captures.ts'
import { converse } from './converse.ts'
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
  const begun = beginning(deps, target, options)
  const writer = await deps.store.begin(begun)
  if (!writer.ok) {
    options.onEvent({ kind: 'node-failed', node: node.name, code: writer.error.code, detail: writer.error.detail })
    return writer
  }
  options.onEvent({ kind: 'node-connecting', node: node.name })
  const plan = planFor(deps.catalog, target, options.skip)
  const watch = watchOver(deps, {
    deadlineSeconds: options.deadlineSeconds,
    silenceSeconds: Math.max(LEAST_SILENCE_SECONDS, longestTimeout(plan) + 15),
    signal: options.signal,
  })
  try {
    const connected = await connect(deps, target, watch, options.earlier ?? null)
    if (!connected.ok) return await finish(deps, writer.value, begun, connected.error, options)
    const connection = connected.value
    try {
      const asked = await ask(deps, connection, target, plan, writer.value, options, watch)
      const session: Session = { ...connection.session, privilege: asked.privilege }
      const recording: Recording = { ...begun, hostKey: connection.hostKey, session, clock: asked.clock }
      return await finish(deps, writer.value, recording, asked.failure, options)
    } finally {
      connection.close()
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
  const connecting = transport.connect(target, watch.signal)
  const waited = await watch.unless(connecting)
  if (!waited.ok) {
    void connecting.then((late) => (late.ok ? late.value.close() : undefined)).catch(() => undefined)
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

function beginning({ clock, catalog }: CollectDeps, { node }: ConnectTarget, options: CollectOptions): Recording {
  const now = clock.now()
  const { earlier } = options
  return {
    schema: 'barewitness.recording/1',
    id: node.name,
    run: options.run,
    node,
    hostKey: earlier?.hostKey ?? null,
    session: earlier?.session ?? null,
    collector: { version: VERSION, catalogVersion: catalog.version, catalogDigest: digestOf(catalog) },
    startedAt: earlier?.startedAt ?? now,
    endedAt: now,
    clock: earlier?.clock ?? null,
    outcome: {
      status: 'partial',
      failure: { code: 'run.cancelled', detail: 'the collection did not come to its end' },
    },
    ...options.marks,
  }
}

// One catalog serves a whole run; its digest is over some hundred kilobytes.
const digests = new WeakMap<Catalog, string>()
function digestOf(catalog: Catalog): string {
  const digest = digests.get(catalog) ?? catalogDigest(catalog)
  digests.set(catalog, digest)
  return digest
}

const planFor = ({ probes }: Catalog, { node }: ConnectTarget, skip: ReadonlySet<string>): Plan =>
  planOf(probes, { sudo: node.sudo, echo: node.location !== undefined && node.vantage !== undefined, skip })

const longestTimeout = ({ commands }: Plan): number =>
  Math.max(0, ...commands.map(({ run }) => run.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS))

async function finish(
  { clock, store }: CollectDeps,
  writer: RecordingWriter,
  recording: Recording,
  failure: Failure | null,
  { onEvent, earlier }: CollectOptions,
): Promise<Outcome<LoadedRecording>> {
  const node = recording.node.name
  const told = failure === null ? null : { code: failure.code, detail: plain(failure.detail, 1900) }
  const held = await writer.finish({ ...recording, endedAt: clock.now(), outcome: statusOf(told, recording, earlier) })
  if (!held.ok) {
    onEvent({ kind: 'node-failed', node, code: held.error.code, detail: held.error.detail })
    return held
  }
  if (held.value.recording.outcome.status === 'failed' && told !== null) onEvent({ kind: 'node-failed', node, ...told })
  else onEvent({ kind: 'node-done', node, captures: held.value.captures.length, partial: told !== null })
  return held
}

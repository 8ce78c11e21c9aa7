import type { Recording, Session } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import type { Catalog } from '../core/catalog.ts'
import { catalogDigest } from '../core/catalog.ts'
import type { Failure, Outcome } from '../core/failure.ts'
import { plain } from '../core/plain-text.ts'
import type { Connection, ConnectTarget, FinishedRecording, RecordingWriter } from '../core/ports.ts'
import type { CollectDeps, CollectOptions } from './collect-node.ts'

/** Once connected it names the host key, so that even the captures of a killed collection state their origin. */
export function beginning(
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

export const sessionOf = ({ session }: Connection, privilege: Session['privilege']): Session => ({
  ...session,
  privilege,
})

// One catalog serves a whole run; its digest covers some hundred kilobytes.
const digests = new WeakMap<Catalog, string>()
function digestOf(catalog: Catalog): string {
  const digest = digests.get(catalog) ?? catalogDigest(catalog)
  digests.set(catalog, digest)
  return digest
}

/** How a collection ended. */
export interface Ended {
  readonly recording: Recording
  readonly failure: Failure | null
  /** Number of captures, those of earlier attempts included. */
  readonly answers: number
}

/**
 * Opens the recording, runs `fill`, and closes the recording with the outcome. No capture is a failure; fewer than all
 * is partial.
 */
export async function keep(
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
  const { recording, failure, answers } = await fill(writer.value)
  const told = failure === null ? null : { code: failure.code, detail: plain(failure.detail, 1900) }
  const status = told === null ? 'complete' : answers > 0 ? 'partial' : 'failed'
  const held = await writer.value.finish({ ...recording, endedAt: clock.now(), outcome: { status, failure: told } })
  if (!held.ok) onEvent({ kind: 'node-failed', node, code: held.error.code, detail: held.error.detail })
  else if (status === 'failed' && told !== null) onEvent({ kind: 'node-failed', node, ...told })
  else onEvent({ kind: 'node-done', node, captures: held.value.answers, partial: told !== null })
  return held
}

import type { CollectorJob, DeclaredNode, Fleet } from '../../../../schemas/types.ts'
import { type Failure, fail, type Outcome } from '../../../core/base/failure.ts'
import type { ConnectTarget, EvidenceStore, RunEvent } from '../../../core/ports/ports.ts'
import type { LoadedRecording } from '../../../core/recording/recording.ts'
import type { RunState } from './run-state.ts'

/** Collects nodes in networks that this computer does not reach. */
export interface RemoteCollection {
  /** Adds a job and resolves when its recording is stored. Fails as the job does, and with run.cancelled once `signal` is aborted. */
  readonly collect: (
    job: Omit<CollectorJob, 'id'>,
    watch: { readonly signal: AbortSignal; readonly onEvent: (event: RunEvent) => void },
  ) => Promise<Outcome<null>>
}

interface RemoteTarget {
  readonly target: ConnectTarget
  readonly zone: string
}

/**
 * The targets that this computer collects, and those of collectors: nodes with a zone, on a server that has
 * collectors.
 */
export function parted(
  targets: readonly ConnectTarget[],
  fleet: Fleet | null,
  remote: RemoteCollection | null,
): { readonly own: readonly ConnectTarget[]; readonly away: readonly RemoteTarget[] } {
  const zones = new Map(fleet?.nodes.flatMap(({ name, zone }) => (zone === undefined ? [] : [[name, zone] as const])))
  const zoneOf = ({ node }: ConnectTarget): string | undefined => (remote === null ? undefined : zones.get(node.name))
  return {
    own: targets.filter((target) => zoneOf(target) === undefined),
    away: targets.flatMap((target) => {
      const zone = zoneOf(target)
      return zone === undefined ? [] : [{ target, zone }]
    }),
  }
}

interface RemoteRun {
  readonly run: string
  readonly before: RunState | null
  readonly store: EvidenceStore
  readonly metadata: boolean
  readonly spreadSeconds: number | null
  readonly signal: AbortSignal
  readonly mayBegin: () => Promise<void>
  readonly onEvent: (event: RunEvent) => void
  readonly onRecorded: (loaded: LoadedRecording) => void
}

/** Collects one node and reads its recording from the store. Every failure is reported as one of the node. */
export async function collectAway(
  remote: RemoteCollection,
  { target, zone }: RemoteTarget,
  how: RemoteRun,
): Promise<void> {
  const { name } = target.node
  const failed = ({ code, detail }: Failure): void => how.onEvent({ kind: 'node-failed', node: name, code, detail })
  const begun = how.before?.recordings.some(
    ({ recording, captures }) => recording.node.name === name && captures.length > 0,
  )
  if (begun === true)
    return failed({
      code: 'input.refused',
      detail: 'this run holds a part of a recording of this node, which a collector cannot continue; start a new run',
    })
  await how.mayBegin()
  const job = {
    zone,
    run: how.run,
    node: declared(target.node),
    hostKey: target.trust.fingerprint ?? null,
    metadata: how.metadata,
    spreadSeconds: how.spreadSeconds,
  }
  const done = how.signal.aborted ? fail('run.cancelled', 'stopped before it began') : await remote.collect(job, how)
  if (!done.ok) return failed(done.error)
  const loaded = await how.store.load(how.run, name)
  if (!loaded.ok) return failed(loaded.error)
  how.onRecorded(loaded.value)
  const { failure, status } = loaded.value.recording.outcome
  if (status === 'failed' && failure !== null) return failed(failure as Failure)
  how.onEvent({ kind: 'node-done', node: name, captures: loaded.value.captures.length, partial: failure !== null })
}

/** Round trips are timed from the collector: where this computer is does not matter. */
const declared = ({ vantage: _, ...node }: DeclaredNode): DeclaredNode => node

import type { Recording } from '../../schemas/types.ts'
import { type Catalog, catalogDigest } from '../core/catalog.ts'
import type { Outcome } from '../core/failure.ts'
import type { ConnectTarget, EvidenceStore, RunEvent } from '../core/ports.ts'
import type { LoadedRecording } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { collectNode } from './collect-node.ts'
import { type NodeOutcome, type RunResult, runFleet } from './run.ts'

export interface CollectRunInput {
  readonly run: string
  readonly targets: readonly ConnectTarget[]
  readonly storeFolder: string
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onEvent: (event: RunEvent) => void
  /** What recordings of this run say of themselves: only the demo fleet's are marked. */
  readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
  readonly deadlineSeconds?: number
  /** Told of each node when it is done. */
  readonly onRecorded?: (loaded: LoadedRecording) => void
  /** Awaited before each node is begun. */
  readonly mayBegin?: () => Promise<void>
  /** Ask live tests too. A run keeps to what it was begun with. */
  readonly liveTests?: boolean
}

const DEADLINE_SECONDS = 300

/** Collects targets into a store. A run of the same name goes on where it stopped: complete nodes and stored answers are not asked again. */
export async function collectRun(world: World, catalog: Catalog, input: CollectRunInput): Promise<Outcome<RunResult>> {
  const store = await world.openStore(input.storeFolder)
  if (!store.ok) return store
  // One listener for the whole run: hundreds on one signal are taken for a leak, and warned of.
  const nodes = new Set<AbortController>()
  const stopAll = (): void => {
    for (const node of nodes) node.abort()
  }
  input.signal.addEventListener('abort', stopAll, { once: true })
  try {
    const deps = {
      transport: world.transport,
      store: store.value,
      clock: world.clock,
      entropy: world.entropy,
      pause: world.pause,
      catalog,
    }
    const digest = catalogDigest(catalog)
    const collect = async (target: ConnectTarget): Promise<NodeOutcome> => {
      const before = await stored(store.value, input.run, target.node.name)
      const detail = before === null ? null : whyNotResumed(before, digest, input.liveTests === true)
      if (before !== null && detail !== null) {
        input.onEvent({ kind: 'node-failed', node: target.node.name, code: 'input.refused', detail })
        return { recording: before.loaded, authRefused: false }
      }
      if (before?.complete === true) return { recording: before.loaded, authRefused: false }
      const stop = new AbortController()
      if (input.signal.aborted) stop.abort()
      nodes.add(stop)
      const collected = await collectNode(deps, target, {
        run: input.run,
        signal: stop.signal,
        deadlineSeconds: input.deadlineSeconds ?? DEADLINE_SECONDS,
        onEvent: input.onEvent,
        marks: input.marks(target.node.name),
        skip: before?.answered ?? new Set(),
        earlier: before?.loaded.recording ?? null,
        liveTests: input.liveTests === true,
      })
      nodes.delete(stop)
      if (!collected.ok) return { recording: null, authRefused: false }
      return {
        recording: collected.value,
        authRefused: collected.value.recording.outcome.failure?.code === 'ssh.auth-refused',
      }
    }
    return ok(await runFleet(input.targets, collect, input))
  } finally {
    input.signal.removeEventListener('abort', stopAll)
    store.value.close()
  }
}

interface Stored {
  readonly loaded: LoadedRecording
  readonly complete: boolean
  readonly answered: ReadonlySet<string>
}

/** Why a node cannot go on where it stopped, or null. Another catalog may ask another thing by the same name: such answers do not mix. */
function whyNotResumed({ loaded, complete }: Stored, digest: string, liveTests: boolean): string | null {
  const { collector, liveTests: begun = false } = loaded.recording
  if (liveTests && !begun) return 'this run was begun without live tests; start a new one to have them'
  if (complete) return null
  if (collector.catalogDigest !== digest) return 'this run was begun with another catalog; start a new one'
  return begun && !liveTests ? 'this run was begun with live tests; resume it with them, or start a new one' : null
}

/** What an earlier attempt of this run stored of a node: its recording, and the answers that need not be asked again. */
async function stored(store: EvidenceStore, run: string, id: string): Promise<Stored | null> {
  const loaded = await store.load(run, id)
  if (!loaded.ok) return null
  const { recording, captures } = loaded.value
  const answered = captures
    .filter(({ meta }) => meta.status === 'done')
    .map(({ meta }) => `${meta.probe}/${meta.command}`)
  return { loaded: loaded.value, complete: recording.outcome.status === 'complete', answered: new Set(answered) }
}

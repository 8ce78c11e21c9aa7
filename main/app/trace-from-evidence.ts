import type { NodeAssessment, Recording, RunTrace, TracedNode } from '../../schemas/types.ts'
import type { Ports } from '../core/all-ports.ts'
import { assessNode, compareNodes, latest } from '../core/assess.ts'
import type { Catalog } from '../core/catalog.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { evidenceFolder } from '../core/layout.ts'
import { plain } from '../core/plain-text.ts'
import type { EvidenceStore } from '../core/ports.ts'
import { compare, type LoadedRecording } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import { sharedAmong } from '../core/same-machine.ts'
import { traceNode, traceOf, withVerdicts } from '../core/trace.ts'

/**
 * The trace of a run that was never exported, from its stored evidence: with the given catalog, as of the end of its
 * last recording, with no declarations but its nodes. Fails with input.not-found where there is no such evidence;
 * otherwise as the store does.
 */
export const traceFromEvidence = (
  ports: Pick<Ports, 'files' | 'openStore'>,
  catalog: Catalog,
  root: string,
  run: string,
): Promise<Outcome<RunTrace>> =>
  withStore(ports, root, run, async (store) => {
    const listed = await store.list(run)
    if (!listed.ok) return listed
    const asOf = lastEnd(listed.value)
    if (asOf === undefined) return missing(run)
    const names = [...new Set(listed.value.map(({ node }) => node.name))].sort(compare)
    const alone: NodeAssessment[] = []
    const traced: TracedNode[] = []
    for (const name of names) {
      const loaded = await ofNode(store, run, name)
      if (!loaded.ok) return loaded
      const assessed = assessNode(catalog, name, loaded.value, { asOf, profile: undefined })
      alone.push(assessed)
      traced.push(traceNode(catalog, loaded.value, assessed))
    }
    const compared = new Map(compareNodes(catalog, alone, asOf).map((node) => [node.node, node]))
    const nodes = traced.map((one) => withVerdicts(catalog, one, compared.get(one.node)))
    const scope = { fleet: 'not exported', population: names, frameworks: [] }
    const demo = listed.value.some((recording) => recording.demo)
    return ok(
      traceOf(catalog, { run, planned: null, assessment: { asOf, scope, demo, shared: sharedAmong(alone) }, nodes }),
    )
  })

/** Every run with stored evidence, and when its last recording ended; unordered. Fails as the store does. */
export async function collectedRuns(
  ports: Pick<Ports, 'files' | 'openStore'>,
  root: string,
): Promise<Outcome<readonly { readonly run: string; readonly at: string }[]>> {
  const folder = evidenceFolder(root)
  if (!(await ports.files.isThere(folder))) return ok([])
  const store = await ports.openStore(folder)
  if (!store.ok) return store
  const names = await store.value.runs()
  if (!names.ok) return names
  const runs: { readonly run: string; readonly at: string }[] = []
  for (const run of names.value) {
    const listed = await store.value.list(run)
    if (!listed.ok) return listed
    const at = lastEnd(listed.value)
    if (at !== undefined) runs.push({ run, at })
  }
  return ok(runs)
}

const lastEnd = (recordings: readonly Pick<Recording, 'endedAt'>[]): string | undefined =>
  recordings
    .map(({ endedAt }) => endedAt)
    .sort(compare)
    .at(-1)

/** The recording of a node that a run’s stored evidence rests on; null where it has none. */
export const recordingIn = (
  ports: Pick<Ports, 'files' | 'openStore'>,
  root: string,
  run: string,
  node: string,
): Promise<Outcome<LoadedRecording | null>> => withStore(ports, root, run, (store) => ofNode(store, run, node))

async function ofNode(store: EvidenceStore, run: string, node: string): Promise<Outcome<LoadedRecording | null>> {
  const listed = await store.list(run)
  if (!listed.ok) return listed
  const loaded: LoadedRecording[] = []
  for (const { id, node: own } of listed.value) {
    if (own.name !== node) continue
    const one = await store.load(run, id)
    if (!one.ok) return one
    loaded.push(one.value)
  }
  return ok(latest(loaded, node))
}

const missing = (run: string): Outcome<never> =>
  fail('input.not-found', `${plain(run, 100)} is neither in the history of this folder nor in its stored evidence`)

async function withStore<T>(
  ports: Pick<Ports, 'files' | 'openStore'>,
  root: string,
  run: string,
  use: (store: EvidenceStore) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const folder = evidenceFolder(root)
  // A run’s id is one folder name; anything else could lead out of this folder.
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(run) || !(await ports.files.isThere(`${folder}/${run}`))) return missing(run)
  const store = await ports.openStore(folder)
  if (!store.ok) return store
  return await use(store.value)
}

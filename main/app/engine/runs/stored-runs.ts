import type { OpeningStep, RunListItem } from '../../../../schemas/ipc-views.ts'
import type { Fleet, NodeAssessment, Planned, Scope } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { type Failure, fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { evidenceFolder, recordingFolder } from '../../../core/base/layout.ts'
import { assessNode, compareNodes, conclude, latest, populationOf, termsOf } from '../../../core/conclusion/assess.ts'
import { profileOf } from '../../../core/fleet/fleet.ts'
import type { EvidenceStore } from '../../../core/ports/ports.ts'
import { compare, type LoadedRecording } from '../../../core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../../core/register/register.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { DEFAULT_FRAMEWORKS } from '../../collect/run.ts'
import { mapConcurrently } from '../../common/concurrency.ts'
import { shared } from '../../common/shared.ts'
import type { EngineContext } from '../context/context.ts'
import type { RunState } from '../context/run-state.ts'
import { sharing } from '../context/share-equal.ts'
import { declaredOrNone, withDeclared } from '../stored/engagement-store.ts'
import { askedOrNone, locationOrNone } from '../stored/location-store.ts'
import { type RunNote, readNote } from './run-notes.ts'

/** Where the runs of a fleet are stored. Those of the demo fleet are stored separately. */
export interface RunShelf {
  readonly ports: Ports
  readonly folder: string
  readonly fleet: Fleet
  readonly demo: boolean
}

/** Where the runs of the current fleet are stored; null without a fleet. */
export const shelfOf = ({ ports, folder, session: { fleet, demo } }: EngineContext): RunShelf | null =>
  fleet === null ? null : { ports, folder, fleet, demo }

/** Informed of each node that was read or evaluated. */
export type OnNode = (progress: { readonly step: OpeningStep; readonly done: number; readonly total: number }) => void

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/
const MOST_LISTED = 100
const LOADED_AT_A_TIME = 8

/** Names of a fleet's nodes that are collected. */
export const collectedNodes = ({ nodes }: Fleet): readonly string[] =>
  nodes.flatMap(({ name, jumpOnly }) => (jumpOnly === true ? [] : [name]))

/** The newest hundred runs on this computer that have at least one node of the fleet, newest first. */
export async function listRuns(shelf: RunShelf, open: string | null): Promise<Outcome<readonly RunListItem[]>> {
  return await withStore(shelf, async (store) => {
    const items: RunListItem[] = []
    for (const run of await newestFirst(store)) {
      const item = await listed(shelf, store, run, open)
      if (item !== null) items.push(item)
      if (items.length === MOST_LISTED) break
    }
    return ok(items)
  })
}

/** The scheduled runs that the stored runs are, of this fleet and others. Fails as the store does. */
export const scheduledRuns = (shelf: RunShelf): Promise<Outcome<readonly Planned[]>> =>
  withStore(shelf, async (store) => {
    const runs = await store.runs()
    if (!runs.ok) return runs
    const planned: Planned[] = []
    for (const run of runs.value.filter((one) => NAME.test(one))) {
      const note = await readNote(shelf.ports, shelf.folder, run)
      if (note?.planned !== undefined) planned.push(note.planned)
    }
    return ok(planned)
  })

/** The newest run of the fleet that is stored here, or null. */
export async function latestStored(shelf: RunShelf): Promise<string | null> {
  const found = await withStore(shelf, async (store) => {
    for (const run of await newestFirst(store)) if ((await listed(shelf, store, run, null)) !== null) return ok(run)
    return ok(null)
  })
  return found.ok ? found.value : null
}

async function newestFirst(store: EvidenceStore): Promise<readonly string[]> {
  const runs = await store.runs()
  return runs.ok ? runs.value.filter((run) => NAME.test(run)).sort((a, b) => compare(b, a)) : []
}

async function listed(
  { ports, folder, fleet, demo }: RunShelf,
  store: EvidenceStore,
  run: string,
  open: string | null,
): Promise<RunListItem | null> {
  const own = new Set(collectedNodes(fleet))
  const note = await readNote(ports, folder, run)
  if (note !== null && (note.demo !== demo || !note.population.some((node) => own.has(node)))) return null
  if (note !== null && note.complete !== null)
    return { run, at: note.at, nodes: note.population.length, complete: note.complete, open: run === open }
  const stored = await store.list(run)
  if (!stored.ok)
    return note === null ? null : { run, at: note.at, nodes: note.population.length, complete: 0, open: run === open }
  const mine = stored.value.filter((recording) => recording.demo === demo)
  if (note === null && !mine.some(({ node }) => own.has(node.name))) return null
  const at = mine.map(({ startedAt }) => startedAt).sort(compare)[0] ?? note?.at ?? ''
  return {
    run,
    at: note?.at ?? at,
    nodes: note?.population.length ?? mine.length,
    complete: mine.filter(({ outcome }) => outcome.status === 'complete').length,
    open: run === open,
  }
}

/** A stored run before it is evaluated. */
export type ReadRun = Omit<RunState, 'assessment'>

/** How a run is opened. */
interface Opening {
  readonly onNode?: OnNode | undefined
  /** Cancels it. */
  readonly signal?: AbortSignal
  /** The recordings of the run that is shown until this one is open; equal answers of both are held once. */
  readonly shown?: readonly LoadedRecording[] | undefined
}

/**
 * A stored run with its recordings. A recording that cannot be read, or differs from what was stored, counts as
 * missing and is named in `unreadable`. Fails with input.not-found where nothing of the run is stored, or where it
 * has other nodes; with run.not-opened once `signal` is aborted.
 */
export async function readRun(
  shelf: RunShelf,
  run: string,
  { onNode, signal, shown }: Opening = {},
): Promise<Outcome<ReadRun>> {
  if (!NAME.test(run)) return fail('input.refused', 'this is not the name of a run')
  const { ports, folder, fleet } = shelf
  return await withStore(shelf, async (store) => {
    if ((await listed(shelf, store, run, null)) === null)
      return fail('input.not-found', `no run ${run} of this fleet is stored here`)
    const note = await readNote(ports, folder, run)
    const stored = await store.list(run)
    const names = stored.ok ? stored.value.map(({ node }) => node.name) : []
    const population = [...new Set([...(note?.population ?? collectedNodes(fleet)), ...names])]
    const recordings: LoadedRecording[] = []
    const unreadable: Failure[] = []
    const share = sharing(ports.compression, shown)
    let read = 0
    await mapConcurrently(population, LOADED_AT_A_TIME, async (node) => {
      if (signal?.aborted === true) return
      const loaded = await store.load(run, node)
      if (loaded.ok) recordings.push(share.recording(loaded.value))
      else if (await isStored(ports, folder, run, node)) unreadable.push({ ...loaded.error, node })
      read += 1
      onNode?.({ step: 'reading', done: read, total: population.length })
    })
    if (signal?.aborted === true) return NOT_OPENED
    if (recordings.length + unreadable.length === 0)
      return fail('input.not-found', `nothing of run ${run} is stored here`)
    return ok({ run, scope: await scopeNow(shelf, note, population, recordings), recordings, unreadable })
  })
}

/** As readRun(), evaluated as of now. Other calls are answered between two nodes. */
export async function loadRun(
  shelf: RunShelf,
  catalog: Catalog,
  run: string,
  opening: Opening = {},
): Promise<Outcome<RunState>> {
  const read = await readRun(shelf, run, opening)
  if (!read.ok) return read
  const onEvaluated: OnEvaluated = (done, total) => opening.onNode?.({ step: 'evaluating', done, total })
  const state = await assessedInTurns(shelf.ports, catalog, read.value, onEvaluated, opening.signal ?? NEVER)
  return state === null ? NOT_OPENED : ok(state)
}

/** For callers that never stop. */
const NEVER = new AbortController().signal
const NOT_OPENED = fail('run.not-opened', 'cancelled before all nodes were evaluated')

/** The scope of a stored run: what it was started with, and the current declarations. */
async function scopeNow(
  shelf: RunShelf,
  note: RunNote | null,
  population: readonly string[],
  recordings: readonly LoadedRecording[],
): Promise<Scope> {
  const { fleet } = shelf
  const frameworks = note?.frameworks ?? fleet.frameworks ?? DEFAULT_FRAMEWORKS
  const chosen = note === null ? profileOf(fleet) : note.profile === undefined ? {} : { profile: note.profile }
  const collected: Scope = {
    fleet: note?.fleet ?? fleet.name,
    population: [...population],
    frameworks,
    ...chosen,
  }
  const keys = recordings.flatMap(({ recording }) => recording.hostKey?.fingerprint ?? [])
  const declared = withDeclared({ ...collected, ...(await locationOrNone(shelf, keys)) }, await declaredOrNone(shelf))
  return await askedOrNone(shelf, declared, recordings)
}

/**
 * One node of a stored run, without the others. Its recording is null where none is stored. Fails as the store does.
 */
export async function loadNodeOfRun(
  shelf: RunShelf,
  run: string,
  node: string,
): Promise<Outcome<{ readonly scope: Scope; readonly recording: LoadedRecording | null }>> {
  const { ports, folder } = shelf
  if (!NAME.test(run) || !NAME.test(node)) return fail('input.refused', 'this is not the name of a run and a node')
  return await withStore(shelf, async (store) => {
    const isThere = await isStored(ports, folder, run, node)
    const loaded = isThere ? await store.load(run, node) : ok(null)
    if (!loaded.ok) return loaded
    const recordings = loaded.value === null ? [] : [loaded.value]
    return ok({
      scope: await scopeNow(shelf, await readNote(ports, folder, run), [node], recordings),
      recording: loaded.value,
    })
  })
}

/** A run with its assessment as of now, equal to that of assess(); equal results of nodes are held once. */
export function assessedNow(ports: Pick<Ports, 'clock'>, catalog: Catalog, run: ReadRun): RunState {
  const evaluating = assessing(ports, catalog, run)
  for (;;) {
    const step = evaluating.next()
    if (step.done === true) return step.value
  }
}

/** Receives how many nodes are evaluated, after each. */
export type OnEvaluated = (done: number, total: number) => void

type InTurns = [ports: Pick<Ports, 'clock' | 'pause'>, catalog: Catalog, run: ReadRun, onNode: OnEvaluated]

/** As assessedNow(); other calls are answered between two nodes. Null once `signal` is aborted. */
export function assessedInTurns(...given: InTurns): Promise<RunState>
export function assessedInTurns(...given: [...InTurns, signal: AbortSignal]): Promise<RunState | null>
export async function assessedInTurns(
  ...[ports, catalog, run, onNode, signal]: [...InTurns, signal?: AbortSignal]
): Promise<RunState | null> {
  const evaluating = assessing(ports, catalog, run)
  const total = populationOf(run.scope).length
  for (;;) {
    if (signal?.aborted === true) return null
    const step = evaluating.next()
    if (step.done === true) return step.value
    onNode(step.value, total)
    await ports.pause(0)
  }
}

/** As assessedNow(), with the number of nodes evaluated after each. */
function* assessing(ports: Pick<Ports, 'clock'>, catalog: Catalog, run: ReadRun): Generator<number, RunState> {
  const { scope, recordings } = run
  const asOf = ports.clock.now()
  const terms = termsOf({ ...scope, asOf })
  const share = shared()
  const rested = populationOf(scope).map((node) => ({ node, loaded: latest(recordings, node) }))
  const alone: NodeAssessment[] = []
  for (const { node, loaded } of rested) {
    alone.push(share(assessNode(catalog, node, loaded, terms)))
    yield alone.length
  }
  const nodes = compareNodes(catalog, alone, asOf).map(share)
  const demo = rested.some(({ loaded }) => loaded?.recording.demo === true)
  const concluded = conclude(catalog, { scope, asOf, demo, register: EMPTY_REGISTER }, nodes)
  return { ...run, assessment: { schema: 'barewitness.assessment/1', ...concluded, nodes } }
}

/** One node's recordings of the newest stored runs, newest first; those that cannot be read are excluded. */
export async function recordingsOfNode(
  shelf: RunShelf,
  node: string,
  { most, without }: { readonly most: number; readonly without: string | null },
): Promise<readonly LoadedRecording[]> {
  const found = await withStore(shelf, async (store) => {
    const recordings: LoadedRecording[] = []
    for (const run of (await newestFirst(store)).slice(0, MOST_LISTED)) {
      if (run === without) continue
      const loaded = await store.load(run, node)
      if (loaded.ok && loaded.value.recording.demo === shelf.demo) recordings.push(loaded.value)
      if (recordings.length === most) break
    }
    return ok(recordings)
  })
  return found.ok ? found.value : []
}

/** An unreadable recording is not the same as no recording. */
const isStored = async (ports: Pick<Ports, 'files'>, folder: string, run: string, node: string): Promise<boolean> =>
  NAME.test(node) && (await ports.files.isThere(recordingFolder(folder, run, node)))

async function withStore<T>(
  { ports, folder }: Pick<RunShelf, 'ports' | 'folder'>,
  work: (store: EvidenceStore) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const store = await ports.openStore(evidenceFolder(folder))
  if (!store.ok) return store
  return await work(store.value)
}

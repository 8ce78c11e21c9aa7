import type { Fleet, Mapping, Recording, Scope } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { quote } from '../../core/base/plain-text.ts'
import { rememberingMasking } from '../../core/collector/redact.ts'
import { populationWith } from '../../core/engagement/coverage.ts'
import { profileOf } from '../../core/fleet/fleet.ts'
import type { ConnectTarget, EvidenceStore } from '../../core/ports/ports.ts'
import { type AskedFor, askedFor } from '../../core/recording/probe.ts'
import type { LoadedRecording } from '../../core/recording/recording.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { tooLarge } from '../../core/rules/mapping.ts'
import type { Aside } from '../common/concurrency.ts'
import { tidyAfter } from '../common/memory-pressure.ts'
import { declaredLocation, type LocationMatter } from '../location/ask-databases.ts'
import { type Answered, answeredInOneBoot } from './captures.ts'
import { type CollectOptions, collectNode, digestOf } from './collect-node.ts'
import { DEFAULT_FRAMEWORKS, type NodeOutcome, type RunOptions, type RunResult, runFleet } from './run.ts'

/** A resumed run keeps the choices of live tests and of the metadata service that it was started with. */
export interface CollectRunInput extends RunOptions, Pick<CollectOptions, 'liveTests' | 'metadata' | 'spreadSeconds'> {
  readonly targets: readonly ConnectTarget[]
  readonly storeFolder: string
  /** The marking of recordings of this run; only those of the demo fleet are marked. */
  readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
  readonly deadlineSeconds?: number
  /** Receives each recording when its node is done; it is not kept in memory otherwise. */
  readonly onRecorded?: (loaded: LoadedRecording) => void
}

const DEADLINE_SECONDS = 300

/**
 * Collects targets into a store. A run of the same name is resumed: complete nodes and stored captures are not
 * collected again.
 */
export async function collectRun(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openStore' | 'operator' | 'pause' | 'tidyMemory' | 'transport'>,
  catalog: Catalog,
  input: CollectRunInput,
): Promise<Outcome<RunResult>> {
  const store = await ports.openStore(input.storeFolder)
  if (!store.ok) return store
  // Two processes that collect one run would each treat the other's half-written files as leftovers.
  const held = await ports.files.hold(`${input.storeFolder}/${input.run}`)
  if (!held.ok) return held
  // One listener for the whole run: Node.js warns of a leak when hundreds are added to one signal.
  const nodes = new Set<AbortController>()
  const stopAll = (): void => {
    for (const node of nodes) node.abort()
  }
  input.signal.addEventListener('abort', stopAll, { once: true })
  try {
    const { transport, clock, entropy, pause } = ports
    const about = { operator: await ports.operator(), catalog, mask: rememberingMasking() }
    const deps = { transport, clock, entropy, pause, store: store.value, ...about }
    let ended = 0
    const recorded = ({ loaded }: Stored): NodeOutcome => {
      input.onRecorded?.(loaded)
      return { recording: store.value.source(loaded.recording), authRefused: false }
    }
    const collect = async (target: ConnectTarget, aside: Aside): Promise<NodeOutcome> => {
      const before = await stored(store.value, catalog, input.run, target.node.name)
      const detail = before === null ? null : whyNotResumed(before, catalog, askedFor(input))
      if (before !== null && detail !== null) {
        input.onEvent({ kind: 'node-failed', node: target.node.name, code: 'input.refused', detail })
        return recorded(before)
      }
      if (before?.complete === true) return recorded(before)
      const stop = new AbortController()
      if (input.signal.aborted) stop.abort()
      nodes.add(stop)
      const collected = await collectNode(deps, target, {
        run: input.run,
        signal: stop.signal,
        deadlineSeconds: input.deadlineSeconds ?? DEADLINE_SECONDS,
        onEvent: input.onEvent,
        marks: input.marks(target.node.name),
        skip: before?.answered.keys ?? new Set(),
        earlierBoot: before?.answered.boot ?? null,
        earlier: before?.loaded.recording ?? null,
        ...askedFor(input),
        ...(input.spreadSeconds === undefined ? {} : { spreadSeconds: input.spreadSeconds }),
        aside,
      })
      nodes.delete(stop)
      ended += 1
      tidyAfter(ports, ended)
      if (!collected.ok) return { recording: null, authRefused: false }
      const recording = collected.value
      const loaded = input.onRecorded === undefined ? null : await recording.load()
      if (loaded?.ok === true) input.onRecorded?.(loaded.value)
      else if (loaded !== null) input.onEvent({ kind: 'node-failed', node: target.node.name, ...loaded.error })
      return { recording, authRefused: recording.recording.outcome.failure?.code === 'ssh.auth-refused' }
    }
    return ok(await runFleet(input.targets, collect, input))
  } finally {
    input.signal.removeEventListener('abort', stopAll)
    await held.value.release()
  }
}

interface Stored {
  readonly loaded: LoadedRecording
  readonly complete: boolean
  readonly answered: Answered
}

/**
 * The reason why a node cannot be resumed, or null. Another catalog may use the same name for another command: such
 * captures must not be mixed.
 */
function whyNotResumed({ loaded, complete }: Stored, catalog: Catalog, asked: AskedFor): string | null {
  const begun = askedFor(loaded.recording)
  const [added, dropped] = [[asked, begun] as const, [begun, asked] as const].map(([here, there]) =>
    CHOICES.find(({ choice }) => here[choice] === true && there[choice] !== true),
  )
  if (added !== undefined) return `this run was started without ${added.words}; start a new run to include them`
  if (complete) return null
  if (loaded.recording.collector.catalogDigest !== digestOf(catalog))
    return 'this run was started with another catalog; start a new run'
  return dropped === undefined
    ? null
    : `this run was started with ${dropped.words}; resume it with them, or start a new run`
}

const CHOICES = [
  { choice: 'liveTests', words: 'live tests' },
  { choice: 'metadata', words: 'queries to the metadata service' },
] as const

/**
 * The stored result of an earlier attempt of this run for a node: its recording, and the captures that need not be
 * collected again.
 */
async function stored(store: EvidenceStore, catalog: Catalog, run: string, id: string): Promise<Stored | null> {
  const loaded = await store.load(run, id)
  if (!loaded.ok) return null
  const { recording, captures } = loaded.value
  const complete = recording.outcome.status === 'complete'
  return { loaded: loaded.value, complete, answered: answeredInOneBoot(catalog, captures) }
}

/** The declarations of a fleet file, and its location. */
interface DeclaredFleet {
  readonly fleet: Fleet
  /** Base folder of its paths; null where they are relative to the working folder. */
  readonly path: string | null
  /** Names of the nodes that are collected. */
  readonly nodes: readonly string[]
  /** Requested frameworks; undefined: those of the fleet file, otherwise the defaults and the fleet's own mappings. */
  readonly frameworks: readonly string[] | undefined
}

export interface Declared extends Pick<LocationMatter, 'sites' | 'databases'> {
  readonly scope: Scope
  /** The bytes of the provider inventory; null where the engagement names none. */
  readonly inventory: Uint8Array | null
}

/**
 * The scope that a fleet file declares, with the engagement, provider profile and mappings that it names. Fails as
 * their readers do.
 */
export async function declaredScope(
  { declarations }: Pick<Ports, 'declarations'>,
  catalog: Pick<Catalog, 'frameworks'>,
  { fleet, path, nodes, frameworks: asked }: DeclaredFleet,
): Promise<Outcome<Declared>> {
  const mappings: Mapping[] = []
  for (const file of fleet.mappings ?? []) {
    const mapping = await declarations.mapping(file, path)
    if (!mapping.ok) return mapping
    if (mappings.some(({ id }) => id === mapping.value.id))
      return fail('input.refused', `two mappings have the id ${quote(mapping.value.id)}`)
    mappings.push(mapping.value)
  }
  const large = tooLarge(mappings)
  if (large !== null) return fail('input.refused', `the mappings ${large}`)
  const engaged =
    fleet.engagement === undefined ? null : await declarations.engagement(fleet.engagement, path, mappings)
  if (engaged?.ok === false) return engaged
  const provider = fleet.provider === undefined ? null : await declarations.provider(fleet.provider, path)
  if (provider?.ok === false) return provider
  const located = await declaredLocation({ declarations }, fleet, path)
  if (!located.ok) return located
  const own = mappings.map(({ id }) => id)
  const frameworks = chosenFrameworks(catalog, own, asked ?? fleet.frameworks)
  if (!frameworks.ok) return frameworks
  const engagement = engaged?.value.engagement
  return ok({
    scope: {
      fleet: fleet.name,
      population: populationWith(nodes, engagement),
      frameworks: frameworks.value,
      ...profileOf(fleet),
      ...(engagement === undefined ? {} : { engagement, inFleet: [...nodes] }),
      ...(provider === null ? {} : { provider: provider.value }),
      ...(mappings.length === 0 ? {} : { mappings }),
      ...(located.value.location === undefined ? {} : { location: located.value.location }),
    },
    inventory: engaged?.value.inventory ?? null,
    sites: located.value.sites,
    databases: located.value.databases,
  })
}

/**
 * The frameworks in scope, each once. Fails with input.refused for one that is in neither the catalog nor a mapping.
 */
export function chosenFrameworks(
  { frameworks }: Pick<Catalog, 'frameworks'>,
  own: readonly string[],
  asked: readonly string[] | undefined,
): Outcome<Scope['frameworks']> {
  const known = [...frameworks.map(({ id }) => id), ...own]
  const wanted = asked ?? [...DEFAULT_FRAMEWORKS, ...own]
  const unknown = wanted.find((name) => !known.includes(name))
  return unknown === undefined
    ? ok(known.filter((name) => wanted.includes(name)))
    : fail('input.refused', `frameworks: ${quote(unknown)} is not one of ${known.join(', ')}`)
}

import type { RunTrace } from '../../../schemas/types.ts'
import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { MOST_DAYS } from '../../core/base/days.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { CHAIN, chainsFolder, PACK_EXTENSION, packNameOf } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { KeptHead, KeptRun } from '../../core/history/history.ts'
import { traceBytes } from '../../core/history/trace.ts'
import { PATHS } from '../../core/pack/pack.ts'
import { type CalendarReading, calendarOf } from '../../core/period/calendar.ts'
import type { RunFacts } from '../../core/period/seen.ts'
import { parsedJson, type RetiredEntry, type RunChain, type RunEntry } from '../../core/run-chain/entry.ts'
import { readChain } from './run-chain.ts'

export interface Rebuilt {
  /** Runs that were added to the history. */
  readonly taken: readonly string[]
  /** Files that could not be read and were moved aside. */
  readonly putAside: readonly string[]
  /** Sealed runs in the chain whose trace is not available, with the reason. */
  readonly missing: readonly { readonly run: string; readonly why: string }[]
}

/**
 * Restores traces that are missing in the history from sealed packs at `<root>/<folder>/*.barewitness.zip`: those of
 * runs that were killed between sealing and storing. A pack counts where the chain names its tag manifest, and its
 * trace where the manifests list it. Existing traces are not changed; files of the history that cannot be read are
 * moved aside.
 */
export async function rebuildHistory(
  ports: Pick<Ports, 'files' | 'openHistory' | 'openRunChain' | 'packs' | 'validator'>,
  root: string,
): Promise<Outcome<Rebuilt>> {
  const chains = await chainsBelow(ports, root)
  if (!chains.ok) return chains
  const history = await ports.openHistory(root)
  if (!history.ok) return history
  const putAside = await history.value.putAside()
  if (!putAside.ok) return putAside
  const heads = await history.value.list()
  if (!heads.ok) return heads
  const wanted = new Map(lackingIn(chains.value, heads.value).map((entry) => [entry.tagManifest, entry]))
  const problems = new Map<string, string>()
  const taken: string[] = []
  const packs = await packsBelow(ports, root)
  if (!packs.ok) return packs
  const named = new Set([...wanted.values()].map(({ run }) => packNameOf(run)))
  for (const pack of packs.value.filter((path) => named.has(path.split('/')[1] ?? ''))) {
    const found = await traceIn(ports, `${root}/${pack}`, wanted)
    if (!found.ok) problems.set(pack.split('/')[0] ?? '', found.error.detail)
    if (!found.ok || found.value === null) continue
    const { trace, entry } = found.value
    const sealed = { tagManifest: entry.tagManifest, signer: entry.signer, pack, at: entry.at }
    const kept = await history.value.keep({ trace, sealed })
    if (!kept.ok) return kept
    taken.push(trace.run)
    wanted.delete(entry.tagManifest)
  }
  const missing = [...wanted.values()].map(({ run }) => ({
    run,
    why: problems.get(run) ?? 'no pack with this seal is in this folder',
  }))
  return ok({ taken, putAside: putAside.value, missing })
}

/** Sealed runs in a chain that are missing in the history, except those whose evidence was deleted. */
function lackingIn(chains: readonly ChainBelow[], heads: readonly KeptHead[]): readonly RunEntry[] {
  const kept = new Set(heads.flatMap(({ sealed }) => sealed?.tagManifest ?? []))
  const entries = chains.flatMap(({ chain }) => chain.entries.map(({ entry }) => entry))
  const retired = new Set(entries.flatMap((entry) => (entry.kind === 'retired' ? [entry.tagManifest] : [])))
  return entries.flatMap((entry) =>
    entry.kind === 'run' && !kept.has(entry.tagManifest) && !retired.has(entry.tagManifest) ? [entry] : [],
  )
}

/** Packs in folders of this folder, as paths relative to it. */
export async function packsBelow(ports: Pick<Ports, 'files'>, root: string): Promise<Outcome<readonly string[]>> {
  const below = await ports.files.below(root, 2)
  return below.ok ? ok(below.value.files.filter((path) => path.includes('/') && path.endsWith(PACK_EXTENSION))) : below
}

/** The trace in a pack with one of the wanted seals; null for another pack. */
async function traceIn(
  ports: Pick<Ports, 'packs' | 'validator'>,
  path: string,
  wanted: ReadonlyMap<string, RunEntry>,
): Promise<Outcome<{ readonly trace: RunTrace; readonly entry: RunEntry } | null>> {
  const opened = await ports.packs.open(path)
  if (!opened.ok) return opened
  const pack = opened.value
  try {
    if (!pack.paths.includes(PATHS.tagManifest)) return ok(null)
    const entry = wanted.get(await pack.sha256(PATHS.tagManifest))
    if (entry === undefined) return ok(null)
    const bytes = (await listed(pack, PATHS.tagManifest, PATHS.manifest)) ? await sealedTrace(pack) : null
    const trace = bytes === null ? null : (parsedJson(new TextDecoder().decode(bytes)) as RunTrace)
    if (bytes === null || trace === null || ports.validator.problems('trace', trace).length > 0)
      return fail('pack.altered', plain(`${path}: its trace is missing, or differs from the sealed one`, 600))
    if (trace.run !== entry.run || trace.fleet !== entry.fleet || sha256(traceBytes(trace)) !== sha256(bytes))
      return fail('pack.altered', plain(`${path}: its trace is not of the run that the chain names`, 600))
    return ok({ trace, entry })
  } catch (problem) {
    return fail('pack.unreadable', plain(problem instanceof Error ? problem.message : String(problem), 600))
  } finally {
    await pack.close()
  }
}

const sealedTrace = async (pack: OpenPack): Promise<Uint8Array | null> =>
  (await listed(pack, PATHS.manifest, PATHS.trace)) ? await pack.read(PATHS.trace) : null

/** Whether a list in a pack names this file with its actual digest. */
export async function listed(pack: OpenPack, list: string, path: string): Promise<boolean> {
  if (!pack.paths.includes(list) || !pack.paths.includes(path)) return false
  const text = new TextDecoder().decode(await pack.read(list))
  return text.split('\n').includes(`${await pack.sha256(path)}  ${path}`)
}

/** Stores a run in the history below a folder. Fails with store.failed or input.refused: see HistoryStore. */
export async function keepRun(
  ports: Pick<Ports, 'openHistory'>,
  folder: string,
  kept: KeptRun,
): Promise<Outcome<null>> {
  const history = await ports.openHistory(folder)
  if (!history.ok) return history
  return await history.value.keep(kept)
}

export interface ChainBelow {
  readonly folder: string
  readonly chain: RunChain
}

/** Every run chain below a folder, ordered by the names of their folders. Fails as a chain does. */
export async function chainsBelow(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  root: string,
): Promise<Outcome<readonly ChainBelow[]>> {
  const folders = await chainFoldersBelow(ports, root)
  if (!folders.ok) return folders
  const chains: ChainBelow[] = []
  for (const folder of folders.value) {
    const read = await readChain(ports, folder)
    if (!read.ok) return read
    chains.push({ folder, chain: read.value })
  }
  return ok(chains)
}

/** The folders of chains below a folder. */
export async function chainFoldersBelow(
  ports: Pick<Ports, 'files'>,
  root: string,
): Promise<Outcome<readonly string[]>> {
  const below = await ports.files.below(chainsFolder(root), 2)
  if (!below.ok) return below
  const named = below.value.files.flatMap((path) => {
    const [name = '', ...rest] = path.split('/')
    return rest.join('/') === CHAIN.chain ? [name] : []
  })
  return ok(named.map((name) => `${chainsFolder(root)}/${name}`))
}

interface FleetHistory {
  readonly fleet: string
  readonly chainFolder: string
  readonly entries: number
  /** Runs: scheduled and completed, late, recorded as missed, and unrecorded. */
  readonly reading: CalendarReading
  readonly retired: readonly RetiredEntry[]
}

export interface HistoryView {
  readonly fleets: readonly FleetHistory[]
  /** Every stored run, oldest first. */
  readonly kept: readonly KeptHead[]
  /** Stored runs in none of these chains: not sealed, or sealed into a chain elsewhere. */
  readonly outside: readonly KeptHead[]
  /** Traces restored from packs; null where none was missing. */
  readonly rebuilt: Rebuilt | null
}

/**
 * The events in the chains below a root, and the stored runs of the history. Missing traces of sealed runs are
 * restored from their packs first. Fails as chains, history and calendar do.
 */
export async function historyView(
  ports: Pick<Ports, 'clock' | 'files' | 'openHistory' | 'openRunChain' | 'packs' | 'validator' | 'zones'>,
  root: string,
): Promise<Outcome<HistoryView>> {
  const chains = await chainsBelow(ports, root)
  if (!chains.ok) return chains
  const before = await listedRuns(ports, root)
  if (!before.ok) return before
  const lacks = lackingIn(chains.value, before.value).length > 0
  const rebuilt = lacks ? await rebuildHistory(ports, root) : null
  if (rebuilt?.ok === false) return rebuilt
  const after = rebuilt !== null && rebuilt.value.taken.length > 0 ? await listedRuns(ports, root) : before
  if (!after.ok) return after
  const heads = after.value
  const fleets: FleetHistory[] = []
  for (const one of chains.value) {
    const reading = readingOf(ports, one, heads)
    if (!reading.ok) return reading
    const retired = one.chain.entries.flatMap(({ entry }) => (entry.kind === 'retired' ? [entry] : []))
    const { fleet, entries } = one.chain
    fleets.push({ fleet, chainFolder: one.folder, entries: entries.length, reading: reading.value, retired })
  }
  const entered = new Set(fleets.flatMap(({ reading }) => reading.runs.map(({ tagManifest }) => tagManifest)))
  const outside = heads.filter(({ sealed }) => sealed === null || !entered.has(sealed.tagManifest))
  return ok({ fleets, kept: heads, outside, rebuilt: rebuilt?.value ?? null })
}

/** The stored runs of the history below a folder, oldest first. Fails as opening and listing it do. */
export async function listedRuns(
  ports: Pick<Ports, 'openHistory'>,
  root: string,
): Promise<Outcome<readonly KeptHead[]>> {
  const history = await ports.openHistory(root)
  return history.ok ? await history.value.list() : history
}

/** From the first day in the chain until today, up to the maximum of a calendar. */
function readingOf(
  ports: Pick<Ports, 'clock' | 'zones'>,
  { chain }: ChainBelow,
  heads: readonly KeptHead[],
): Outcome<CalendarReading> {
  const asOf = ports.clock.now()
  const days = chain.entries.map(({ entry }) => entry.at.slice(0, 10)).sort()
  // If a clock was set back, there are runs after “now”.
  const to = [asOf.slice(0, 10), ...days].sort().at(-1) ?? ''
  const earliest = new Date(Date.parse(to) - (MOST_DAYS - 1) * 86_400_000).toISOString().slice(0, 10)
  const from = [days[0] ?? to, earliest].sort().at(-1) ?? to
  return calendarOf({ entries: chain.entries, facts: factsOf(heads), zones: ports.zones, from, to, asOf })
}

/** Facts about sealed runs, by their tag manifest. */
export const factsOf = (heads: readonly KeptHead[]): ReadonlyMap<string, RunFacts> =>
  new Map(heads.flatMap((head) => (head.sealed === null ? [] : [[head.sealed.tagManifest, head] as const])))

import type { RunTrace } from '../../schemas/types.ts'
import type { OpenPack, Ports } from '../core/all-ports.ts'
import { sha256 } from '../core/digest.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'
import type { KeptHead, KeptRun } from '../core/history.ts'
import { CHAIN, chainStart, chainsFolder, PACK_EXTENSION, packNameOf } from '../core/layout.ts'
import { PATHS } from '../core/pack.ts'
import { plain } from '../core/plain-text.ts'
import { hasExactly, isName, parsedJson, type RunChain, type RunEntry } from '../core/run-chain/entry.ts'
import { traceBytes } from '../core/trace.ts'

export interface Rebuilt {
  /** Runs that were added to the history. */
  readonly taken: readonly string[]
  /** Files that could not be read and were moved aside. */
  readonly putAside: readonly string[]
  /** Sealed runs in the chain whose trace is not available, with the reason. */
  readonly missing: readonly { readonly run: string; readonly why: string }[]
}

/**
 * Restores traces that the history lacks from sealed packs at `<root>/<folder>/*.barewitness.zip`: those of runs that
 * were killed between sealing and storing. A pack counts where the chain names its tag manifest, and its trace where
 * the manifests lead to it. Existing traces are not changed; files of the history that cannot be read are moved aside.
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

/** Sealed runs that a chain contains and the history lacks; not those whose evidence was deleted. */
export function lackingIn(chains: readonly ChainBelow[], heads: readonly KeptHead[]): readonly RunEntry[] {
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

/** Every run chain below a folder, by the name of its own folder. Fails as a chain does. */
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

/** The current state of a chain. Fails with chain.broken where there is none; otherwise as opening it does. */
export async function readChain(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  folder: string,
): Promise<Outcome<RunChain>> {
  const bytes = await ports.files.read(chainStart(folder), 64 * 1024)
  const about = bytes.ok ? parsedJson(new TextDecoder().decode(bytes.value)) : null
  if (!hasExactly(about, ['schema', 'id', 'fleet']) || !isName(about.fleet) || typeof about.id !== 'string')
    return fail('chain.broken', plain(`${folder}: ${CHAIN.chain} is missing or is not the start of a run chain`, 600))
  const opened = await ports.openRunChain(folder, { id: about.id, fleet: about.fleet })
  if (!opened.ok) return opened
  const chain = opened.value.chain()
  await opened.value.close()
  return ok(chain)
}

import { type BackedUpFile, backupFiles, FILES_PATH, parseBackup } from '../core/backup.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { BAG_DECLARATION, manifestLines, PATHS } from '../core/pack.ts'
import { plain } from '../core/plain-text.ts'
import type { StoredBytes } from '../core/ports.ts'
import { compare } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import type { OpenPack, World } from '../core/world.ts'
import { chainFoldersBelow, chainsBelow } from './chains.ts'
import { packsBelow } from './rebuild-history.ts'

export interface BackedUp {
  readonly files: number
  readonly bytes: number
  /** What was left out, with the reason: runs that are being collected, links. */
  readonly leftOut: readonly string[]
  /** Names in the root that are none of ours, and are not in it either. */
  readonly notOurs: readonly string[]
}

/** What of a root is ours, besides the folders that hold packs. */
const OURS =
  /^(evidence|chains|history|periods|exports|schedules|attachments|runs|trust|host-keys|worksheets|settings\.json|(register|engagement|fleet|schedules)[a-z-]*(\.json)?)$/
/** Made anew from the rest, held by a process, or half written; the pool is only a second name of what recordings hold. */
const NOT_KEPT = /(^|\/)(heads\.jsonl|index\.db[^/]*|lock\.[0-9a-f]{8}\.[^/]*|[^/]*\.part-\d+)$|^evidence\/sha256\//

/**
 * One archive of what a root holds: evidence, packs, chains, history, schedules and register. Bytes that several files hold are in it
 * once. The chains are held meanwhile, so that nothing is sealed half way through; runs that are being collected are left out and
 * named. Signing identities lie elsewhere and are not in it. Fails with input.refused where the archive exists already.
 */
export async function backUp(world: World, root: string, to: string): Promise<Outcome<BackedUp>> {
  if (await world.files.isThere(to)) return fail('input.refused', `${to} exists already; nothing was written`)
  const chains = await chainFoldersBelow(world, root)
  if (!chains.ok) return chains
  const held: (() => Promise<void>)[] = []
  try {
    for (const folder of chains.value) {
      const lock = await world.files.hold(folder)
      if (!lock.ok) return lock
      held.push(lock.value.release)
    }
    const files = await filesOf(world, root, held)
    if (!files.ok) return files
    if (files.value.kept.length === 0) return fail('input.not-found', `there is nothing of ours in ${root}`)
    const contents = backupFiles(files.value.kept)
    const declared = new Map([[PATHS.bag, new TextEncoder().encode(BAG_DECLARATION)]])
    const manifest = new TextEncoder().encode(manifestLines(contents))
    const written = await world.packs.write(to, new Map([...contents, ...declared, [PATHS.manifest, manifest]]))
    if (!written.ok) return written
    const bytes = files.value.kept.reduce((sum, [, { size }]) => sum + size, 0)
    return ok({ files: files.value.kept.length, bytes, leftOut: files.value.leftOut, notOurs: files.value.notOurs })
  } finally {
    for (const release of held) await release()
  }
}

async function filesOf(
  world: World,
  root: string,
  held: (() => Promise<void>)[],
): Promise<Outcome<{ readonly kept: readonly BackedUpFile[] } & Pick<BackedUp, 'leftOut' | 'notOurs'>>> {
  const below = await world.files.below(root)
  const packs = await packsBelow(world, root)
  if (!below.ok || !packs.ok) return below.ok ? (packs as Outcome<never>) : below
  const folders = new Set(packs.value.map((path) => path.split('/')[0] ?? ''))
  const topOf = (path: string): string => path.split('/')[0] ?? ''
  const isOurTop = (top: string): boolean => OURS.test(top) || folders.has(top)
  const isOurs = (path: string): boolean => isOurTop(topOf(path)) && !NOT_KEPT.test(path)
  const tops = new Set([...below.value.files, ...below.value.others].map(topOf))
  const notOurs = [...tops].filter((top) => !isOurTop(top)).sort(compare)
  const leftOut = below.value.others.filter(isOurs).map((path) => `${path}: it is not an ordinary file`)
  const going = await runsGoingOn(world, root, below.value.files, held)
  const kept: BackedUpFile[] = []
  for (const run of going) leftOut.push(`evidence/${run}: it is being collected`)
  for (const path of below.value.files.filter(isOurs)) {
    const [top, run = ''] = path.split('/')
    if (top === 'evidence' && going.has(run)) continue
    const stored = await world.files.stored(`${root}/${path}`)
    if (!stored.ok) return stored
    kept.push([path, stored.value])
  }
  return ok({ kept, leftOut, notOurs })
}

/** Runs that somebody is collecting. The others are held as the chains are, so that nobody begins meanwhile. */
async function runsGoingOn(
  world: World,
  root: string,
  files: readonly string[],
  held: (() => Promise<void>)[],
): Promise<ReadonlySet<string>> {
  const runs = new Set(files.flatMap((path) => /^evidence\/([^/]+)\/[^/]+\//.exec(path)?.[1] ?? []))
  const going = new Set<string>()
  for (const run of runs) {
    if (run === 'sha256') continue
    const lock = await world.files.hold(`${root}/evidence/${run}`, 0)
    if (lock.ok) held.push(lock.value.release)
    else going.add(run)
  }
  return going
}

export interface Restored {
  readonly files: number
  /** Fleets whose chain opened afterwards, with the count of its entries. */
  readonly chains: readonly { readonly fleet: string; readonly entries: number }[]
  /** Kept runs that the history lists. */
  readonly runs: number
}

/**
 * Puts a backup into a new or empty folder. Every list and digest in the archive is checked before anything is written, and each file
 * again while it is; afterwards the chains and the history are opened. Fails with input.refused, pack.unsafe, pack.unreadable,
 * pack.altered or store.failed.
 */
export async function restore(world: World, archive: string, to: string): Promise<Outcome<Restored>> {
  const there = await world.files.below(to)
  if (!there.ok) return there
  if (there.value.files.length > 0 || there.value.others.length > 0)
    return fail('input.refused', `${to} is not empty; a backup is only put into a new folder`)
  const opened = await world.packs.open(archive)
  if (!opened.ok) return opened
  try {
    const listed = await checked(opened.value)
    if (!listed.ok) return listed
    const written = await unpacked(world, listed.value, to)
    if (!written.ok) return written
    const chains = await chainsBelow(world, to)
    if (!chains.ok) return chains
    const history = await world.openHistory(to)
    if (!history.ok) return history
    const heads = await history.value.list()
    if (!heads.ok) return heads
    return ok({
      files: listed.value.length,
      chains: chains.value.map(({ chain: { fleet, entries } }) => ({ fleet, entries: entries.length })),
      runs: heads.value.length,
    })
  } finally {
    await opened.value.close()
  }
}

/** The files that a backup holds, once all of it is what its list says. */
async function checked(pack: OpenPack): Promise<Outcome<readonly BackedUpFile[]>> {
  const altered = (why: string): Outcome<never> => fail('pack.altered', plain(why, 600))
  try {
    const there = new Set(pack.paths)
    const payload = pack.paths.filter((path) => path.startsWith('data/'))
    const manifest = manifestLines(new Map(payload.map((path) => [path, pack.stored(path)])))
    if (new TextDecoder().decode(await pack.read(PATHS.manifest)) !== manifest)
      return altered(`${PATHS.manifest} does not list what is in the archive`)
    const files = parseBackup(new TextDecoder().decode(await pack.read(FILES_PATH)), (path): StoredBytes | null =>
      there.has(path) ? pack.stored(path) : null,
    )
    return typeof files === 'string' ? altered(files) : ok(files)
  } catch (problem) {
    return fail('pack.unreadable', plain(problem instanceof Error ? problem.message : String(problem), 600))
  }
}

const BLOB = /^evidence\/.*\/sha256\/[0-9a-f]{64}$/

/**
 * Files of evidence with the same bytes share them, as they did, with the pool of evidence as well, so that later recordings do too. Where
 * the file system gives no second names, each has its own, and there is no pool.
 */
async function unpacked(world: World, files: readonly BackedUpFile[], to: string): Promise<Outcome<null>> {
  const first = new Map<string, string>()
  for (const [path, content] of files) {
    const { sha256 } = content
    const same = path.startsWith('evidence/') ? first.get(sha256) : undefined
    const shared = same === undefined ? ok(false) : await world.files.linkNew(`${to}/${same}`, `${to}/${path}`)
    if (!shared.ok) return shared
    if (shared.value) continue
    const written = await world.files.putNew(`${to}/${path}`, content)
    if (!written.ok) return written
    if (!BLOB.test(path)) continue
    const pool = `${to}/evidence/sha256/${sha256.slice(0, 2)}/${sha256}`
    const pooled = same === undefined ? await world.files.linkNew(`${to}/${path}`, pool) : shared
    if (!pooled.ok) return pooled
    // A file that can have no further name is followed by the copy that was made because of it.
    first.set(sha256, path)
  }
  return ok(null)
}

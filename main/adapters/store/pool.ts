import { link, lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isSha256, type Sha256 } from '../../core/digest.ts'
import { RECORDING } from '../../core/layout.ts'
import { isCode, makeFolder, orRemoved, readPlain, writeAside } from './durable.ts'

/**
 * Bytes shared by several recordings of one store are on the disk once: `sha256/<2 hex>/<hex>` next to the runs,
 * hard-linked (link(2)) into each recording's own folder. Every recording is complete by itself; without the pool only
 * later ones take more space.
 */
export const POOL = RECORDING.blobs

/** Stores bytes under a new path, on the disk when it resolves; the name needs a sync of its folder. */
export type PutBlob = (path: string, digest: Sha256, bytes: Uint8Array) => Promise<void>

/** Without a pool: each recording has bytes of its own. */
export const putAlone: PutBlob = (path, _, bytes) => writeAside(path, bytes)

/**
 * Never relies on a digest in the pool: a file is linked only after a comparison with the bytes to be written, or with
 * the same bytes a moment ago in this process, if the file is unchanged since.
 */
export function poolIn(root: string): PutBlob {
  const pool = join(root, POOL)
  const made = new Map<string, Promise<unknown>>()
  const known = new Map<Sha256, string>()
  const know = async (digest: Sha256, pooled: string): Promise<void> => {
    const first = known.size < MOST_KNOWN ? undefined : known.keys().next().value
    if (first !== undefined) known.delete(first)
    known.set(digest, await markOf(pooled))
  }
  const isKnown = async (digest: Sha256, pooled: string): Promise<boolean> =>
    known.has(digest) && known.get(digest) === (await markOf(pooled).catch(() => ''))
  const put: PutBlob = async (path, digest, bytes) => {
    const folder = join(pool, digest.slice(0, 2))
    const pooled = join(folder, digest)
    if ((await isKnown(digest, pooled)) && (await linked(pooled, path))) return
    const before = await readPlain(pooled, bytes.length).catch((problem) =>
      isCode(problem, 'ENOENT') ? null : 'other',
    )
    if (before instanceof Uint8Array && before.equals(bytes)) {
      await know(digest, pooled).catch(() => undefined)
      if (await linked(pooled, path)) return
    }
    await writeAside(path, bytes)
    // The recording is complete. A later failure costs space, not evidence.
    const folderMade = made.get(folder) ?? makeFolder(folder, 0o700)
    made.set(folder, folderMade)
    await folderMade.then(() => pooledFrom(path, pooled, before === null)).catch(() => undefined)
  }
  return inTurn(put)
}

/** Files written concurrently, over all recordings: the disk is no faster with more, and each has its own buffers. */
const WIDTH = 16
/** Bytes that are the same on many nodes recur soon. */
const MOST_KNOWN = 20_000

/** These identify a file as the same and not written to: making links of it changes none of them. */
async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await lstat(path, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

function inTurn(put: PutBlob): PutBlob {
  let free = WIDTH
  const waiting: (() => void)[] = []
  return async (...one) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      await put(...one)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch {
    // Deleted meanwhile, too many links, another disk, a file system without links: it is written instead.
    return false
  }
}

/** A file that is damaged, or at its link limit, is replaced and never edited: earlier recordings link to it. */
async function pooledFrom(path: string, pooled: string, isNew: boolean): Promise<void> {
  if (isNew) return await link(path, pooled)
  const temporary = `${pooled}.part-${process.pid}`
  await link(path, temporary)
  await orRemoved(temporary, () => rename(temporary, pooled))
}

/** Deletes what no recording refers to any more; returns the number of bytes freed. */
export async function sweepPool(root: string): Promise<number> {
  const pool = join(root, POOL)
  let freed = 0
  for (const part of await namesIn(pool)) {
    for (const name of await namesIn(join(pool, part))) {
      const path = join(pool, part, name)
      const stat = await lstat(path)
      const isOurs = stat.isFile() && (isSha256(name) || /\.part-\d+$/.test(name))
      if (!isOurs || stat.nlink > 1) continue
      await unlink(path)
      freed += stat.size
    }
    await rmdir(join(pool, part)).catch(() => undefined)
  }
  return freed
}

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((problem) => {
    if (isCode(problem, 'ENOENT') || isCode(problem, 'ENOTDIR')) return []
    throw problem
  })

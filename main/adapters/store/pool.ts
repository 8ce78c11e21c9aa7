import { link, lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isSha256, type Sha256 } from '../../core/digest.ts'
import { isCode, makeFolder, orRemoved, readPlain, writeAside } from './durable.ts'

/**
 * Bytes that several recordings of one store hold lie on the disk once: `sha256/<2 hex>/<hex>` beside the runs, linked (link(2)) into
 * each recording's own folder. Every recording stays whole by itself; without the pool only the next one takes more room.
 */
export const POOL = 'sha256'

/** Puts bytes under a path that is not there yet, on the disk when it resolves; the name needs a sync of its folder. */
export type PutBlob = (path: string, digest: Sha256, bytes: Uint8Array) => Promise<void>

/** Without a pool: each recording has bytes of its own. */
export const putAlone: PutBlob = (path, _, bytes) => writeAside(path, bytes)

/**
 * Never relies on a digest in the pool: what is linked was compared with what is to be written, or with the same bytes a moment ago in this
 * process and is since the same file, not written to.
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
    // The recording is whole. What fails from here on costs room, no evidence.
    const folderMade = made.get(folder) ?? makeFolder(folder, 0o700)
    made.set(folder, folderMade)
    await folderMade.then(() => pooledFrom(path, pooled, before === null)).catch(() => undefined)
  }
  return inTurn(put)
}

/** Files that are written at a time, over all recordings: more wait no less for the disk, and each has buffers of its own. */
const WIDTH = 16
/** What is the same on many nodes comes soon again. */
const MOST_KNOWN = 20_000

/** By which a file is known not to be another and not to be written to: making links of it changes none of these. */
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
    // Taken away meanwhile, too many links, another disk, a file system without links: it is written instead.
    return false
  }
}

/** What is damaged, or has as many links as it can have, is replaced and never edited: earlier recordings hold on to it. */
async function pooledFrom(path: string, pooled: string, isNew: boolean): Promise<void> {
  if (isNew) return await link(path, pooled)
  const temporary = `${pooled}.part-${process.pid}`
  await link(path, temporary)
  await orRemoved(temporary, () => rename(temporary, pooled))
}

/** Takes away what no recording holds any more; gives how many bytes that were. */
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

import { createHash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { lstat, opendir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { OpenPack } from '../../core/all-ports.ts'
import { quote } from '../../core/plain-text.ts'
import { storedFile } from '../stored-file.ts'
import { digestAt, emptyContents, packOf, putDigest } from './contents.ts'
import { type Limits, unreadable, unsafe } from './limits.ts'
import { checkDistinct, checkName } from './names.ts'

const BLOCK = 1024 ** 2

/**
 * Opens an unpacked pack: the folder itself, or the one that contains `pack/`. Every file is hashed once as a stream.
 * Links and special files are refused. Throws a Refusal.
 */
export async function openFolder(path: string, limits: Limits): Promise<OpenPack> {
  const names = await readdir(path)
  const root = !names.includes('bagit.txt') && names.includes('pack') ? join(path, 'pack') : path
  if (!(await lstat(root)).isDirectory()) throw unsafe(`${quote(root)} is not a folder`)
  const paths = (await listFiles(root, limits)).sort()
  const contents = emptyContents(paths)
  const block = Buffer.allocUnsafeSlow(BLOCK)
  let total = 0
  for (const [index, name] of paths.entries()) {
    const { sha256, size } = await hashFile(join(root, name), name, block, limits.totalBytes - total)
    total += size
    putDigest(contents, index, sha256)
    contents.sizes[index] = size
    // Reading is synchronous, since 200,000 round trips through a pool of threads take far longer; this yields to
    // others.
    if (index % 100 === 0) await setImmediate()
  }
  return packOf(contents, limits, {
    folder: root,
    departures: [],
    // The reader compares the result.
    open: (index) =>
      storedFile(join(root, paths[index] ?? ''), contents.sizes[index] ?? 0, digestAt(contents, index)).open(),
    close: async () => {},
  })
}

async function listFiles(root: string, limits: Limits): Promise<string[]> {
  const paths: string[] = []
  const folders = ['']
  let seen = 0
  for (let below = folders.pop(); below !== undefined; below = folders.pop())
    for await (const entry of await opendir(join(root, below), { bufferSize: 500 })) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      seen += 1
      if (seen > limits.entries) throw unsafe(`the folder has more than ${limits.entries} files`)
      if (entry.isSymbolicLink()) throw unsafe(`${quote(name)} is a symbolic link`)
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile()) {
        checkName(name)
        paths.push(name)
      } else throw unsafe(`${quote(name)} is not a regular file`)
    }
  checkDistinct(paths)
  return paths
}

// NONBLOCK: if a pipe replaced the file meanwhile, opening it would wait for a writer. Windows has neither flag.
const PLAINLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function hashFile(
  path: string,
  name: string,
  block: Buffer,
  most: number,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const file = openSync(path, PLAINLY)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw unsafe(`${quote(name)} is not a regular file`)
    if (stat.size > most) throw unsafe(`the folder exceeds the size limit at ${quote(name)}`)
    const first = block.subarray(0, readSync(file, block, 0, BLOCK, null))
    if (first.length === stat.size) return { sha256: hash('sha256', first), size: stat.size }
    const digest = createHash('sha256').update(first)
    let size = first.length
    for (let count = -1; count !== 0 && size <= stat.size; size += count) {
      count = readSync(file, block, 0, BLOCK, null)
      digest.update(block.subarray(0, count))
      await setImmediate()
    }
    if (size !== stat.size) throw unreadable(`${quote(name)} changed while it was read`)
    return { sha256: digest.digest('hex'), size }
  } finally {
    closeSync(file)
  }
}

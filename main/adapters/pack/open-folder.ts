import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { quote } from '../../core/plain-text.ts'
import type { OpenPack } from '../../core/world.ts'
import { type Limits, unreadable, unsafe } from './limits.ts'
import { checkNames } from './names.ts'

/** Opens an unpacked pack: the folder itself, or the one that holds `pack/`. Links and special files are refused. Throws a Refusal. */
export async function openFolder(path: string, limits: Limits): Promise<OpenPack> {
  const names = await readdir(path)
  const root = !names.includes('bagit.txt') && names.includes('pack') ? join(path, 'pack') : path
  if (!(await lstat(root)).isDirectory()) throw unsafe(`${quote(root)} is not a folder`)
  const files = new Map<string, number>()
  await walk(root, '', files, limits)
  checkNames([...files.keys()])
  const total = [...files.values()].reduce((sum, size) => sum + size, 0)
  if (total > limits.totalBytes) throw unsafe(`the folder holds ${total} bytes; at most ${limits.totalBytes} are read`)
  const digests = new Map<string, string>()
  for (const name of files.keys()) digests.set(name, digestOf(await readOrdinary(join(root, name))))
  return {
    paths: [...files.keys()].sort(),
    sha256: async (wanted) => {
      const found = digests.get(wanted)
      if (found === undefined) throw unreadable(`there is no ${quote(wanted)}`)
      return found
    },
    read: async (wanted) => {
      if (!digests.has(wanted)) throw unreadable(`there is no ${quote(wanted)}`)
      const bytes = await readOrdinary(join(root, wanted))
      if (digestOf(bytes) !== digests.get(wanted)) throw unreadable(`${quote(wanted)} changed while it was read`)
      return bytes
    },
    close: async () => {},
  }
}

async function walk(root: string, below: string, files: Map<string, number>, limits: Limits): Promise<void> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isSymbolicLink()) throw unsafe(`${quote(name)} is a symbolic link`)
    if (entry.isDirectory()) await walk(root, name, files, limits)
    else if (entry.isFile()) files.set(name, (await lstat(join(root, name))).size)
    else throw unsafe(`${quote(name)} is not an ordinary file`)
    if (files.size > limits.entries) throw unsafe(`the folder has more than ${limits.entries} files`)
  }
}

async function readOrdinary(path: string): Promise<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return new Uint8Array(await handle.readFile())
  } finally {
    await handle.close()
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { Files } from '../core/world.ts'
import { isCode, orRemoved, readPlain, syncFolder, writeWhole } from './store/durable.ts'
import { digestOfFile } from './stored-file.ts'

const LARGEST = 512 * 1024 * 1024

/** Files of this computer. A file is written whole or not at all. */
export const createFiles = (): Files => ({
  read: async (path, largest) => {
    try {
      if (largest !== undefined) return ok(new Uint8Array(await readPlain(path, largest)))
      if ((await lstat(path)).size > LARGEST) return fail('input.refused', `${path} is larger than ${LARGEST} bytes`)
      return ok(new Uint8Array(await readFile(path)))
    } catch (problem) {
      const refused = problem instanceof Error && !('code' in problem)
      return refused ? fail('input.refused', problem.message) : fail('input.not-found', `${path} could not be read`)
    }
  },
  digest: async (path) => {
    try {
      return ok(await digestOfFile(path))
    } catch {
      return fail('input.not-found', `${path} could not be read`)
    }
  },
  write: async (path, bytes) => {
    try {
      await mkdir(dirname(path), { recursive: true })
      await writeWhole(path, bytes)
      return ok(null)
    } catch (problem) {
      return fail('store.failed', told(problem))
    }
  },
  isThere: async (path) =>
    await lstat(path).then(
      () => true,
      () => false,
    ),
  copyNew: async (from, to) => {
    try {
      await mkdir(dirname(to), { recursive: true })
      await copyFile(from, to, constants.COPYFILE_EXCL)
    } catch (problem) {
      return fail('store.failed', isCode(problem, 'EEXIST') ? `${to} exists already` : told(problem))
    }
    try {
      // From here on the file is one that we made.
      await orRemoved(to, () => synced(to))
      return ok(await digestOfFile(to))
    } catch (problem) {
      return fail('store.failed', told(problem))
    }
  },
  lock: async (path) => {
    try {
      await chmod(path, 0o400)
      return ok(null)
    } catch (problem) {
      return fail('store.failed', told(problem))
    }
  },
  remove: async (path) => {
    try {
      await rm(path, { recursive: true, force: true })
      return ok(null)
    } catch (problem) {
      return fail('store.failed', told(problem))
    }
  },
})

async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncFolder(dirname(path))
}

const told = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem))

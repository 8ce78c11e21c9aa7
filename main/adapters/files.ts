import { lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { Files } from '../core/world.ts'
import { writeWhole } from './store/durable.ts'
import { digestOfFile } from './stored-file.ts'

const LARGEST = 512 * 1024 * 1024

/** Files of this computer. A file is written whole or not at all. */
export const createFiles = (): Files => ({
  read: async (path) => {
    try {
      if ((await lstat(path)).size > LARGEST) return fail('input.refused', `${path} is larger than ${LARGEST} bytes`)
      return ok(new Uint8Array(await readFile(path)))
    } catch {
      return fail('input.not-found', `${path} could not be read`)
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
      return fail('store.failed', problem instanceof Error ? problem.message : String(problem))
    }
  },
})

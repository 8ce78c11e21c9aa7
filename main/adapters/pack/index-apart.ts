import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** The part of a pack kept in memory after all its files were hashed. All members are in the order of the paths. */
export interface Contents {
  /** Inside `pack/`, sorted. */
  readonly paths: readonly string[]
  /** SHA-256, one after the other. */
  readonly digests: Buffer
  readonly sizes: Float64Array
}

/** Start, number and packing method of the packed bytes of each file of an archive, in the order of the paths. */
export interface Places {
  readonly starts: Float64Array
  readonly packed: Float64Array
  readonly methods: Uint16Array
}

/** An archive whose files were hashed, as plain data for another thread. A file descriptor is valid in every thread of a process. */
export interface HashedArchive {
  readonly fd: number
  readonly contents: Contents
  readonly places: Places
}

/** Location of the thread's program: next to the built program, or to a chunk of it. None in the source tree. */
const PROGRAMS = ['./index-thread.js', '../index-thread.js']

export const ownProgram = (): string | null =>
  PROGRAMS.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((place) => existsSync(place)) ?? null

/** Memory for new objects, in MiB; 48 by default, whereas each file that the thread reads is garbage once the next one is read. */
const YOUNG_MEMORY = 8

/**
 * Runs indexProblems() of an archive in a separate thread, which `problems` starts; the result depends only on the files. `problems` returns
 * null where the program of the thread is missing, and rejects where the thread ends without an answer. `end` ends the thread, and resolves
 * once it reads nothing more: after its answer, even if the thread is still running, because a thread may never end (see index-thread.ts).
 */
export function indexApart(
  archive: HashedArchive,
  program: string | null,
): { readonly problems: () => Promise<readonly string[]> | null; readonly end: () => Promise<unknown> } {
  let worker: Worker | null = null
  let answered: Promise<unknown> | null = null
  return {
    problems: () => {
      if (program === null) return null
      const thread = new Worker(program, {
        workerData: archive,
        env: {},
        execArgv: [],
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEMORY },
      })
      worker = thread
      const answer = new Promise<readonly string[]>((resolve, reject) => {
        thread.once('message', (problems: readonly string[]) => {
          resolve(problems)
          void thread.terminate()
        })
        thread.once('error', reject)
        thread.once('exit', () => reject(new Error('the thread of the index ended')))
      })
      answered = answer.catch(() => undefined)
      return answer
    },
    end: async () => {
      void worker?.terminate()
      await answered
    },
  }
}

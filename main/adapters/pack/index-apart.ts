import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** What stays in memory of a pack after every file in it was hashed. All three are in the order of the paths. */
export interface Contents {
  /** Inside `pack/`, sorted. */
  readonly paths: readonly string[]
  /** SHA-256, one after the other. */
  readonly digests: Buffer
  readonly sizes: Float64Array
}

/** Of each file of an archive, in the order of the paths: where its packed bytes begin, how many they are, and how they are packed. */
export interface Places {
  readonly starts: Float64Array
  readonly packed: Float64Array
  readonly methods: Uint16Array
}

/** An archive whose files were hashed, as plain data for another thread. An open file is the same in every thread of a process. */
export interface HashedArchive {
  readonly fd: number
  readonly contents: Contents
  readonly places: Places
}

/** Location of the thread's program: next to the built program, or to a chunk of it. None in the source tree. */
const PROGRAMS = ['./index-thread.js', '../index-thread.js']

export const ownProgram = (): string | null =>
  PROGRAMS.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((place) => existsSync(place)) ?? null

/** MiB that it may fill before it collects garbage: by default 48, while a file that it reads is garbage as soon as the next one is read. */
const YOUNG_MEMORY = 8

/**
 * indexProblems() of an archive in a thread of its own, once it is asked for, since it depends on nothing but the files. Null where the program of the
 * thread is not at hand. Rejects where the thread ends without an answer. `end` ends the thread, and resolves once it reads nothing more: after its
 * answer, whether or not it has ended then, since a thread may never end (see index-thread.ts).
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

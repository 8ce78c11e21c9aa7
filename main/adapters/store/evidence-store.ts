import { join } from 'node:path'
import type { Recording } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { EvidenceStore, SchemaValidator } from '../../core/ports/ports.ts'
import { foldersIn, readRecordingFolder, readRecordingHeader, recordingSource } from '../recording-folder.ts'
import { guarded, makeFolder, POOL, poolIn, storeFailure, sweepPool } from './durable.ts'
import { openRecordingFiles, waitingBytes } from './recording-files.ts'

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/

/**
 * Evidence of many runs: `<root>/<run>/<recording>/`. The folders are the only data. A run exists when at least one of
 * its recordings can be read.
 */
export async function openEvidenceStore(root: string, validator: SchemaValidator): Promise<Outcome<EvidenceStore>> {
  try {
    await makeFolder(root, 0o700)
    const [put, waiting] = [poolIn(root), waitingBytes()]
    const load: EvidenceStore['load'] = async (run, id) => {
      const folder = folderOf(root, run, id)
      return folder.ok ? await readRecordingFolder(folder.value, validator) : folder
    }
    const source: EvidenceStore['source'] = (recording) =>
      recordingSource(join(root, recording.run, recording.id), recording, validator)
    const begin: EvidenceStore['begin'] = async (recording) => {
      const folder = folderOf(root, recording.run, recording.id)
      if (!folder.ok) return folder
      const before = await readRecordingHeader(folder.value, validator)
      if (before.ok && before.value.outcome.status === 'complete')
        return fail('input.refused', `${recording.run}/${recording.id} is complete; evidence is never overwritten`)
      const files = await openRecordingFiles(folder.value, recording, put, waiting)
      if (!files.ok) return files
      return ok({
        append: files.value.append,
        finish: async (finished) => {
          const written = await files.value.finish(finished)
          if (!written.ok) return written
          // Bytes written by this process were digested and compared while writing; earlier ones were not.
          const checked = files.value.before === 0 ? null : await load(finished.run, finished.id)
          if (checked?.ok === false) return checked
          return ok({ ...source(finished), answers: files.value.answers() })
        },
      })
    }
    const list: EvidenceStore['list'] = async (run) => {
      const recordings: Recording[] = []
      for (const id of isRun(run) ? await foldersIn(join(root, run)) : []) {
        const header = await readRecordingHeader(join(root, run, id), validator)
        if (!header.ok) return header
        recordings.push(header.value)
      }
      return ok(recordings)
    }
    const hasRecording = async (run: string): Promise<boolean> => {
      for (const id of await foldersIn(join(root, run))) {
        const header = await readRecordingHeader(join(root, run, id), validator)
        if (header.ok && header.value.run === run && header.value.id === id) return true
      }
      return false
    }
    return ok({
      begin: (recording) => guarded(() => begin(recording)),
      load,
      source,
      list: (run) => guarded(() => list(run)),
      runs: () =>
        guarded(async () => {
          const runs: string[] = []
          for (const run of await foldersIn(root)) if (isRun(run) && (await hasRecording(run))) runs.push(run)
          return ok(runs)
        }),
      sweep: () => guarded(async () => ok(await sweepPool(root))),
    })
  } catch (problem) {
    return storeFailure(problem)
  }
}

/** The pool is next to the runs and is not one. */
const isRun = (run: string): boolean => NAME.test(run) && run !== POOL

const folderOf = (root: string, run: string, id: string): Outcome<string> =>
  isRun(run) && NAME.test(id)
    ? ok(join(root, run, id))
    : fail('input.refused', plain(`${run}/${id} is not the name of a recording`))

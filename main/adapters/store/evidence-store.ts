import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Recording } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import type { EvidenceStore, SchemaValidator } from '../../core/ports.ts'
import { recordingDigest } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { foldersIn, readRecordingFolder, readRecordingHeader } from '../recording-folder.ts'
import { openRecordingFiles } from './recording-files.ts'
import { openRunIndex } from './run-index.ts'

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/

const failed = (problem: unknown): Outcome<never> =>
  fail('store.failed', plain(problem instanceof Error ? problem.message : String(problem), 600))

/**
 * Evidence of many runs: `<root>/<run>/<recording>/`. The folders are the evidence; the index beside them only makes finding fast, and
 * is made anew from the folders when it is missing or damaged.
 */
export async function openEvidenceStore(root: string, validator: SchemaValidator): Promise<Outcome<EvidenceStore>> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    const index = await openRunIndex(root, validator)
    const load: EvidenceStore['load'] = async (run, id) => {
      const folder = folderOf(root, run, id)
      return folder.ok ? await readRecordingFolder(folder.value, validator) : folder
    }
    const begin: EvidenceStore['begin'] = async (recording) => {
      const folder = folderOf(root, recording.run, recording.id)
      if (!folder.ok) return folder
      const before = await readRecordingHeader(folder.value, validator)
      if (before.ok && before.value.outcome.status === 'complete')
        return fail('input.refused', `${recording.run}/${recording.id} is complete; evidence is never written over`)
      const files = await openRecordingFiles(folder.value, recording)
      if (!files.ok) return files
      index.put(recording, null)
      return ok({
        append: files.value.append,
        finish: async (finished) => {
          const written = await files.value.finish(finished)
          if (!written.ok) return written
          const loaded = await load(finished.run, finished.id)
          if (loaded.ok) index.put(finished, recordingDigest(loaded.value))
          return loaded
        },
      })
    }
    const list: EvidenceStore['list'] = async (run) => {
      const recordings: Recording[] = []
      for (const id of NAME.test(run) ? await foldersIn(join(root, run)) : []) {
        const header = await readRecordingHeader(join(root, run, id), validator)
        if (!header.ok) return header
        recordings.push(header.value)
      }
      return ok(recordings)
    }
    return ok({
      begin: (recording) => begin(recording).catch(failed),
      load,
      list: (run) => list(run).catch(failed),
      runs: async () => {
        try {
          return ok(index.runs())
        } catch (problem) {
          return failed(problem)
        }
      },
      close: () => index.close(),
    })
  } catch (problem) {
    return failed(problem)
  }
}

const folderOf = (root: string, run: string, id: string): Outcome<string> =>
  NAME.test(run) && NAME.test(id)
    ? ok(join(root, run, id))
    : fail('input.refused', plain(`${run}/${id} is not the name of a recording`))

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Recording } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { EvidenceStore, SchemaValidator } from '../../core/ports.ts'
import { recordingDigest } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { openRecordingFiles, readHeader, readRecordingFolder, recordingFolders } from './recording-files.ts'
import { openRunIndex } from './run-index.ts'

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/

/**
 * Evidence of many runs: `<root>/<run>/<recording>/`. The folders are the evidence; the index beside them only makes finding fast, and
 * is made anew from the folders when it is missing or damaged.
 */
export async function openEvidenceStore(root: string, validator: SchemaValidator): Promise<Outcome<EvidenceStore>> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    const index = await openRunIndex(root)
    const folderOf = (run: string, id: string): string | null =>
      NAME.test(run) && NAME.test(id) ? join(root, run, id) : null
    const load: EvidenceStore['load'] = async (run, id) => {
      const folder = folderOf(run, id)
      return folder === null
        ? fail('input.refused', `${run}/${id} is not the name of a recording`)
        : await readRecordingFolder(folder, validator)
    }
    return ok({
      begin: async (recording) => {
        const folder = folderOf(recording.run, recording.id)
        if (folder === null)
          return fail('input.refused', `${recording.run}/${recording.id} is not the name of a recording`)
        const files = await openRecordingFiles(folder, recording)
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
      },
      load,
      list: async (run) => {
        const recordings: Recording[] = []
        for (const id of NAME.test(run) ? await recordingFolders(join(root, run)) : [])
          recordings.push((await readHeader(join(root, run, id))) as Recording)
        return ok(recordings)
      },
      runs: async () => ok(index.runs()),
      close: () => index.close(),
    })
  } catch (problem) {
    return fail('store.failed', problem instanceof Error ? problem.message : String(problem))
  }
}

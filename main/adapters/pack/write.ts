import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { fail, type Outcome } from '../../core/failure.ts'
import { isSafePath, type PackFiles } from '../../core/pack-files.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'

// From local date parts: the archive's date field has no time zone, and yazl fills it from local time.
const noDate = (): Date => new Date(1980, 0, 1)
const ORDINARY_FILE = 0o100644

/**
 * Writes files (paths inside `pack/`) as one archive, all of it or nothing. The same files give the same bytes, in any time zone and on
 * any platform: sorted names, no dates, stored rather than compressed, since compressors differ.
 */
export async function writePack(path: string, files: PackFiles): Promise<Outcome<null>> {
  const unfit = [...files.keys()].find((name) => !isSafePath(name))
  if (unfit !== undefined) throw new Error(`a pack cannot hold the name ${JSON.stringify(unfit)}`)
  const temporary = `${path}.part-${process.pid}`
  try {
    await mkdir(dirname(path), { recursive: true })
    const zip = new ZipFile()
    for (const [name, bytes] of [...files].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
      zip.addBuffer(Buffer.from(bytes), `pack/${name}`, {
        mtime: noDate(),
        mode: ORDINARY_FILE,
        compress: false,
        forceDosTimestamp: true,
      })
    zip.end()
    await pipeline(zip.outputStream, createWriteStream(temporary, { mode: 0o644 }))
    const handle = await open(temporary, 'r+')
    await handle.sync()
    await handle.close()
    await rename(temporary, path)
    return ok(null)
  } catch (problem) {
    await rm(temporary, { force: true })
    return fail('store.failed', plain(problem instanceof Error ? problem.message : String(problem), 500))
  }
}

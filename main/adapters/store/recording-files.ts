import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Capture, Recording } from '../../../schemas/types.ts'
import { isSha256, sha256 } from '../../core/digest.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { SchemaValidator } from '../../core/ports.ts'
import { type CapturedAnswer, captureLine, type LoadedRecording, recordingJson } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'

/**
 * A recording as a folder: recording.json, captures.jsonl, sha256/<hex>. Bytes are written before the line that names them, lines are
 * only appended, and a blob is never written over: whatever kills the process, what was acknowledged is there. Loading trusts nothing.
 */
const LARGEST_TEXT = 64 * 1024 * 1024
const LARGEST_BLOB = 16 * 1024 * 1024
const MOST_CAPTURES = 20_000

const isCode = (problem: unknown, code: string): boolean => (problem as NodeJS.ErrnoException | null)?.code === code
const told = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem))

/** Writes a whole file beside its place, then puts it there in one step. */
export async function writeWhole(path: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = `${path}.part-${process.pid}`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
}

/** Stores bytes under their digest. Bytes that are there already stay as they are. */
async function writeBlob(folder: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, 'sha256', sha256(bytes))
  const temporary = `${path}.part-${process.pid}`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
  } finally {
    await handle.close()
  }
  try {
    await link(temporary, path)
  } catch (problem) {
    if (!isCode(problem, 'EEXIST')) throw problem
  } finally {
    await unlink(temporary)
  }
}

export interface RecordingFiles {
  readonly append: (answer: CapturedAnswer) => Promise<Outcome<null>>
  readonly finish: (recording: Recording) => Promise<Outcome<null>>
}

/** Opens a folder for appending; a torn last line of an earlier, killed attempt is closed off so that new lines stand alone. */
export async function openRecordingFiles(folder: string, recording: Recording): Promise<Outcome<RecordingFiles>> {
  try {
    await mkdir(join(folder, 'sha256'), { recursive: true, mode: 0o700 })
    const lines = join(folder, 'captures.jsonl')
    const handle = await open(lines, 'a+', 0o600)
    await endTornLine(handle)
    await writeWhole(join(folder, 'recording.json'), recordingJson(recording))
    return ok({
      append: async ({ meta, stdout, stderr }) => {
        try {
          await writeBlob(folder, stdout)
          await writeBlob(folder, stderr)
          await handle.appendFile(captureLine(meta))
          return ok(null)
        } catch (problem) {
          return fail('store.failed', told(problem))
        }
      },
      finish: async (finished) => {
        try {
          await handle.sync()
          await handle.close()
          await writeWhole(join(folder, 'recording.json'), recordingJson(finished))
          return ok(null)
        } catch (problem) {
          return fail('store.failed', told(problem))
        }
      },
    })
  } catch (problem) {
    return fail('store.failed', told(problem))
  }
}

/** Writes a whole recording as a folder. */
export async function writeRecordingFolder(
  folder: string,
  { recording, captures }: LoadedRecording,
): Promise<Outcome<null>> {
  const files = await openRecordingFiles(folder, recording)
  if (!files.ok) return files
  for (const capture of captures) {
    const appended = await files.value.append(capture)
    if (!appended.ok) return appended
  }
  return await files.value.finish(recording)
}

async function endTornLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat()
  if (size === 0) return
  const last = Buffer.alloc(1)
  await handle.read(last, 0, 1, size - 1)
  if (last[0] !== 0x0a) await handle.appendFile('\n')
}

/** Reads a recording folder. Every blob is hashed again; links are not followed; sizes are capped. */
export async function readRecordingFolder(
  folder: string,
  validator: SchemaValidator,
): Promise<Outcome<LoadedRecording>> {
  try {
    const header = parseJson(await readPlain(join(folder, 'recording.json'), LARGEST_TEXT))
    const wrong = validator.problems('recording', header)
    if (wrong.length > 0) return fail('recording.invalid', `${folder}/recording.json: ${wrong[0]}`)
    const lines = (await readPlain(join(folder, 'captures.jsonl'), LARGEST_TEXT)).toString('utf8').split('\n')
    if (lines.length > MOST_CAPTURES)
      return fail('recording.invalid', `${folder}/captures.jsonl has more than ${MOST_CAPTURES} lines`)
    const captures: CapturedAnswer[] = []
    for (const [index, text] of lines.entries()) {
      if (text === '') continue
      const meta = parseJson(Buffer.from(text))
      // A process killed while appending leaves half a line, which names nothing: the answer was never acknowledged.
      if (meta === undefined) continue
      const problems = validator.problems('capture', meta)
      if (problems.length > 0) return fail('recording.invalid', `${folder}/captures.jsonl:${index + 1}: ${problems[0]}`)
      const capture = meta as Capture
      const [stdout, stderr] = [await readBlob(folder, capture.stdout), await readBlob(folder, capture.stderr)]
      if (stdout === null || stderr === null)
        return fail(
          'recording.altered',
          `${folder}: the bytes of ${capture.probe}/${capture.command} do not match their digest`,
        )
      captures.push({ meta: capture, stdout, stderr })
    }
    return ok({ recording: header as Recording, captures })
  } catch (problem) {
    if (isCode(problem, 'ENOENT') || isCode(problem, 'ENOTDIR'))
      return fail('recording.invalid', `${folder}: ${told(problem)}`)
    return fail('recording.invalid', told(problem))
  }
}

async function readBlob(folder: string, stream: Capture['stdout']): Promise<Uint8Array | null> {
  if (!isSha256(stream.sha256)) return null
  try {
    const bytes = await readPlain(join(folder, 'sha256', stream.sha256), LARGEST_BLOB)
    return bytes.length === stream.size && sha256(bytes) === stream.sha256 ? new Uint8Array(bytes) : null
  } catch (problem) {
    if (isCode(problem, 'ENOENT')) return null
    throw problem
  }
}

async function readPlain(path: string, largest: number): Promise<Buffer> {
  const { size } = await lstat(path)
  if (size > largest) throw new Error(`${path} is larger than ${largest} bytes`)
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Recording folders below a run's folder, by name. */
export async function recordingFolders(runFolder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(runFolder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch (problem) {
    if (isCode(problem, 'ENOENT')) return []
    throw problem
  }
}

export const readHeader = async (folder: string): Promise<unknown> =>
  parseJson(await readFile(join(folder, 'recording.json')))

import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Capture, Recording } from '../../schemas/types.ts'
import { isSha256, sha256 } from '../core/base/digest.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { RECORDING } from '../core/base/layout.ts'
import { plain } from '../core/base/plain-text.ts'
import type { SchemaValidator } from '../core/ports/ports.ts'
import type { CapturedAnswer, LoadedRecording, RecordingSource } from '../core/recording/recording.ts'
import { isCode, messageOf, readPlain } from './store/durable.ts'
import { openRecordingFiles } from './store/recording-files.ts'
import { storedBlob } from './stored-file.ts'

const LARGEST_TEXT = 64 * 1024 * 1024
const LARGEST_BLOB = 16 * 1024 * 1024
/** Size limit of one node's recording, including captures of resumed attempts. */
const LARGEST_RECORDING = 256 * 1024 * 1024
const MOST_CAPTURES = 20_000

const invalid = (where: string, problem: unknown): Outcome<never> =>
  fail('recording.invalid', plain(`${where}: ${messageOf(problem)}`, 600))

/**
 * Reads a recording folder without trusting its content: schemas are checked, every blob is hashed again, links are not
 * followed, sizes are bounded. A last line without its end is an interrupted write, and names nothing. Fails with
 * recording.invalid, or with recording.altered where bytes differ from the digest in their line.
 */
export async function readRecordingFolder(
  folder: string,
  validator: SchemaValidator,
): Promise<Outcome<LoadedRecording>> {
  try {
    const header = await readRecordingHeader(folder, validator)
    if (!header.ok) return header
    if (!(await lstat(join(folder, RECORDING.blobs))).isDirectory())
      return invalid(folder, `${RECORDING.blobs} is not a folder`)
    const metas = readLines(folder, await readPlain(join(folder, RECORDING.captures), LARGEST_TEXT), validator)
    if (!metas.ok) return metas
    const streams = metas.value.flatMap(({ stdout, stderr }) => [stdout, stderr])
    const blobs = new Map<string, Uint8Array | null>()
    let total = 0
    for (const { sha256: digest } of streams) {
      if (blobs.has(digest)) continue
      const bytes = await readBlob(folder, digest)
      total += bytes?.length ?? 0
      if (total > LARGEST_RECORDING) return invalid(folder, `captures exceed ${LARGEST_RECORDING} bytes in total`)
      blobs.set(digest, bytes)
    }
    // Small files are read synchronously; other work gets its turn between recordings.
    await setImmediate()
    const captures: CapturedAnswer[] = []
    for (const meta of metas.value) {
      const [stdout, stderr] = [meta.stdout, meta.stderr].map((stream) => {
        const bytes = blobs.get(stream.sha256)
        return bytes?.length === stream.size ? bytes : null
      })
      if (stdout == null || stderr == null)
        return fail(
          'recording.altered',
          plain(`${folder}: the bytes of ${meta.probe}/${meta.command} differ from the recorded digest`, 600),
        )
      captures.push({ meta, stdout, stderr })
    }
    return ok({ recording: header.value, captures })
  } catch (problem) {
    return invalid(folder, problem)
  }
}

/** recording.json alone. */
export async function readRecordingHeader(folder: string, validator: SchemaValidator): Promise<Outcome<Recording>> {
  try {
    const header = parseJson((await readPlain(join(folder, RECORDING.header), LARGEST_TEXT)).toString('utf8'))
    const [problem] = validator.problems('recording', header)
    return problem === undefined ? ok(header as Recording) : invalid(`${folder}/${RECORDING.header}`, problem)
  } catch (problem) {
    return invalid(folder, problem)
  }
}

function readLines(folder: string, bytes: Buffer, validator: SchemaValidator): Outcome<readonly Capture[]> {
  const lines = bytes.toString('utf8').split('\n')
  // The text after the last newline: empty, or an interrupted write.
  lines.pop()
  if (lines.length > MOST_CAPTURES) return invalid(folder, `captures.jsonl has more than ${MOST_CAPTURES} lines`)
  const captures: Capture[] = []
  for (const [index, line] of lines.entries()) {
    const meta = parseJson(line)
    const [problem] = validator.problems('capture', meta)
    if (problem !== undefined) return invalid(`${folder}/captures.jsonl:${index + 1}`, problem)
    captures.push(meta as Capture)
  }
  return ok(captures)
}

/** The bytes under a digest, or null when they are missing or differ. */
async function readBlob(folder: string, digest: string): Promise<Uint8Array | null> {
  if (!isSha256(digest)) return null
  try {
    const bytes = await readPlain(join(folder, RECORDING.blobs, digest), LARGEST_BLOB)
    return sha256(bytes) === digest ? new Uint8Array(bytes) : null
  } catch (problem) {
    if (isCode(problem, 'ENOENT')) return null
    throw problem
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes a recording as a new folder, which must not contain one yet. */
export async function writeRecordingFolder(folder: string, loaded: LoadedRecording): Promise<Outcome<null>> {
  if (await isThere(join(folder, RECORDING.header)))
    return fail('input.refused', plain(`${folder} already contains a recording; evidence is never overwritten`, 600))
  const files = await openRecordingFiles(folder, loaded.recording)
  if (!files.ok) return files
  const appended = await Promise.all(loaded.captures.map(files.value.append))
  const finished = await files.value.finish(loaded.recording)
  return appended.find(({ ok: isStored }) => !isStored) ?? finished
}

/**
 * Recordings from named folders: each is a recording, or contains recordings at most three levels down (a run, an
 * evidence folder, the folder of `--out`). A folder without any is refused.
 */
export async function readRecordingFolders(
  folders: readonly string[],
  validator: SchemaValidator,
): Promise<Outcome<readonly RecordingSource[]>> {
  const recordings: RecordingSource[] = []
  for (const named of folders) {
    try {
      if (!(await isThere(named))) return fail('input.not-found', plain(`there is no folder ${named}`, 600))
      const found = await recordingsBelow(named, DEEPEST)
      if (found.length === 0) return fail('input.refused', plain(`${named} is not a recording and contains none`, 600))
      for (const folder of found) {
        const header = await readRecordingHeader(folder, validator)
        if (!header.ok) return header
        recordings.push(recordingSource(folder, header.value, validator))
      }
    } catch (problem) {
      return invalid(named, problem)
    }
  }
  return ok(recordings)
}

/** The recording in a folder, whose recording.json was read. It is checked in full whenever it is loaded. */
export function recordingSource(folder: string, recording: Recording, validator: SchemaValidator): RecordingSource {
  const blobs = join(folder, RECORDING.blobs)
  return {
    recording,
    load: () => readRecordingFolder(folder, validator),
    blob: ({ sha256: digest, size }) => storedBlob(blobs, size, digest),
  }
}

const DEEPEST = 3

async function recordingsBelow(folder: string, depth: number): Promise<readonly string[]> {
  if (await isThere(join(folder, RECORDING.header))) return [folder]
  if (depth === 0) return []
  const found = await Promise.all(
    (await foldersIn(folder)).map((name) => recordingsBelow(join(folder, name), depth - 1)),
  )
  return found.flat()
}

/** Names of the folders in a folder, sorted; none when there is no such folder. Links are not folders. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch (problem) {
    if (isCode(problem, 'ENOENT') || isCode(problem, 'ENOTDIR')) return []
    throw problem
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (problem) {
    if (isCode(problem, 'ENOENT') || isCode(problem, 'ENOTDIR')) return false
    throw problem
  }
}

import { copyFile, link, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isSha256, sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { JOBS, RECORDING } from '../../core/base/layout.ts'
import type { SchemaValidator } from '../../core/ports/ports.ts'
import { captureLine, type LoadedRecording, recordingDigest, recordingJson } from '../../core/recording/recording.ts'
import { type Delivery, type Incoming, LARGEST_DELIVERY, LARGEST_PART } from '../../core/team/jobs.ts'
import { readRecordingFolder } from '../recording-folder.ts'
import { guarded, isCode, isThere, makeFolder, poolIn, readPlain, syncFolder, writeAside } from '../store/durable.ts'

const MOST_PARTS = 10_002
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/
const DELIVERY = /^([0-9a-f]{32})\.([a-z0-9][a-z0-9-]{0,60})$/

/** The part of one delivery that was received. */
interface Held {
  readonly parts: Set<string>
  bytes: number
}

/**
 * Recordings that collectors deliver: `incoming/<job>.<collector>/` contains each file under its digest, and the recording built from the
 * files. Files that the evidence already contains are linked and not stored again; a collector is not informed of them.
 */
export function openIncoming(folder: string, evidence: string, validator: SchemaValidator): Incoming {
  const put = poolIn(evidence)
  const known = new Map<string, Promise<Held>>()
  const deliveryOf = (job: string, by: string): string => join(folder, JOBS.incoming, `${job}.${by}`)
  const partsOf = (job: string, by: string): string => join(deliveryOf(job, by), JOBS.parts)
  const wholeOf = (job: string, by: string): string => join(deliveryOf(job, by), JOBS.whole)
  const heldOf = (job: string, by: string): Promise<Held> => {
    const key = `${job}.${by}`
    const held = known.get(key) ?? heldIn(partsOf(job, by))
    known.set(key, held)
    held.catch(() => known.delete(key))
    return held
  }
  const build = async (job: string, by: string, delivery: Delivery): Promise<Outcome<LoadedRecording>> => {
    const [parts, whole] = [partsOf(job, by), wholeOf(job, by)]
    const [header, captures] = await Promise.all(
      [delivery.header, delivery.captures].map((digest) => readPlain(join(parts, digest), LARGEST_PART)),
    )
    if (header === undefined || captures === undefined) return NOT_WHOLE
    await rm(whole, { recursive: true, force: true })
    const blobs = join(whole, RECORDING.blobs)
    await makeFolder(blobs, 0o700)
    await writeAside(join(whole, RECORDING.header), header)
    await writeAside(join(whole, RECORDING.captures), captures)
    for (const digest of digestsIn(captures.toString('utf8'))) {
      const [from, to] = [join(parts, digest), join(blobs, digest)]
      // Some file systems have no links.
      await link(from, to).catch(() => copyFile(from, to))
    }
    for (const one of [blobs, whole, deliveryOf(job, by)]) await syncFolder(one)
    const loaded = await readRecordingFolder(whole, validator)
    if (!loaded.ok) return loaded
    const { value } = loaded
    // A recording has only one encoding: the stored bytes must be those that were digested.
    if (
      !header.equals(Buffer.from(recordingJson(value.recording))) ||
      !captures.equals(Buffer.from(value.captures.map(({ meta }) => captureLine(meta)).join('')))
    )
      return fail('recording.invalid', 'the recording is not in the form that collectors write')
    return recordingDigest(value) === delivery.recording
      ? loaded
      : fail('recording.altered', 'the recording has another digest than stated')
  }
  const stored = async (run: string, node: string): Promise<Outcome<LoadedRecording | null>> => {
    if (!NAME.test(run) || !NAME.test(node)) return fail('input.refused', 'this is not the name of a recording')
    const there = join(evidence, run, node)
    return (await isThere(there)) ? await readRecordingFolder(there, validator) : ok(null)
  }
  const register: Incoming['register'] = async (job, by, run, node) => {
    const [before, built] = [await stored(run, node), await readRecordingFolder(wholeOf(job, by), validator)]
    if (!before.ok) return before
    if (before.value !== null && built.ok && recordingDigest(before.value) === recordingDigest(built.value))
      return ok(null)
    if (before.value !== null && before.value.captures.length > 0)
      return fail('job.completed', 'the run holds another recording of this node')
    if (!built.ok) return built
    const to = join(evidence, run, node)
    await makeFolder(join(evidence, run), 0o700)
    // Removes only what was read above: where another process has put a recording there since then, the move fails.
    if (before.value !== null) await rm(to, { recursive: true, force: true })
    await rename(wholeOf(job, by), to)
    await syncFolder(join(evidence, run))
    return ok(null)
  }
  return {
    missing: (job, by, digests) =>
      guarded(async () => {
        const { parts } = await heldOf(job, by)
        return ok([...new Set(digests)].filter((digest) => !parts.has(digest)))
      }),
    put: (job, by, digest, bytes) =>
      guarded(async () => {
        if (sha256(bytes) !== digest) return fail('recording.altered', 'the bytes have another digest than stated')
        const held = await heldOf(job, by)
        if (held.parts.has(digest)) return ok(null)
        if (held.parts.size >= MOST_PARTS) return fail('input.refused', 'the recording has too many files')
        if (bytes.length > LARGEST_PART || held.bytes + bytes.length > LARGEST_DELIVERY)
          return fail('input.refused', 'the recording is too large')
        // Counted before writing, because many arrive at the same time.
        held.bytes += bytes.length
        await makeFolder(partsOf(job, by), 0o700)
        await put(join(partsOf(job, by), digest), digest, bytes)
        held.parts.add(digest)
        return ok(null)
      }),
    build: (job, by, delivery) =>
      guarded(async () => {
        try {
          return await build(job, by, delivery)
        } catch (problem) {
          if (isCode(problem, 'ENOENT')) return NOT_WHOLE
          throw problem
        }
      }),
    stored: (run, node) =>
      guarded(async () => {
        const there = await stored(run, node)
        if (!there.ok) return there
        return ok(there.value === null || there.value.captures.length === 0 ? null : recordingDigest(there.value))
      }),
    register: (...input) => guarded(() => register(...input)),
    pending: async () => {
      const names = await readdir(join(folder, JOBS.incoming)).catch(() => [])
      return await Promise.all(
        names.flatMap((name) => {
          const [, job, by] = DELIVERY.exec(name) ?? []
          if (job === undefined || by === undefined) return []
          return readRecordingFolder(wholeOf(job, by), validator).then((built) => ({
            job,
            by,
            recording: built.ok ? recordingDigest(built.value) : null,
          }))
        }),
      )
    },
    discard: async (job, by) => {
      known.delete(`${job}.${by}`)
      await rm(deliveryOf(job, by), { recursive: true, force: true })
    },
  }
}

const NOT_WHOLE = fail('recording.invalid', 'a file of the recording was not delivered')

/** The files that an earlier process received. A file that it was still writing has another name, and is received again. */
async function heldIn(parts: string): Promise<Held> {
  const names = await readdir(parts).catch((problem) => {
    if (isCode(problem, 'ENOENT')) return []
    throw problem
  })
  const digests = names.filter(isSha256)
  const sizes = await Promise.all(digests.map(async (digest) => (await stat(join(parts, digest))).size))
  return { parts: new Set(digests), bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The digests in lines of captures. The reader of recordings checks everything else. */
function digestsIn(lines: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const line of lines.split('\n'))
    for (const [, digest = ''] of line.matchAll(/"sha256":"([0-9a-f]{64})"/g)) found.add(digest)
  return found
}

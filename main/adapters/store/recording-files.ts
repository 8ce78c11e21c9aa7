import { type FileHandle, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Recording } from '../../../schemas/types.ts'
import { type Sha256, sha256 } from '../../core/base/digest.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import { RECORDING } from '../../core/base/layout.ts'
import { type CapturedAnswer, captureLine, recordingJson } from '../../core/recording/recording.ts'
import { makeFolder, type PutBlob, putAlone, storeFailure, syncFolder, WIDTH, writeWhole } from './durable.ts'

/**
 * A recording as a folder: recording.json, captures.jsonl, sha256/<hex>. Bytes are on the disk before the line that
 * names them, lines are only appended, and a blob is never overwritten: whatever kills the process, acknowledged
 * captures are stored.
 */
interface RecordingFiles {
  /** Resolves when the capture is on the disk. Captures that arrive during a write share the next round of syncs. */
  readonly append: (answer: CapturedAnswer) => Promise<Outcome<null>>
  readonly finish: (recording: Recording) => Promise<Outcome<null>>
  /** Captures at the time of opening, and captures now. */
  readonly before: number
  readonly answers: () => number
}

/**
 * Opens a folder for appending. Incomplete data of an earlier, killed attempt (never acknowledged) is removed first.
 */
export async function openRecordingFiles(
  folder: string,
  recording: Recording,
  put: PutBlob = putAlone,
  waiting: WaitingBytes = waitingBytes(),
): Promise<Outcome<RecordingFiles>> {
  try {
    const blobs = join(folder, RECORDING.blobs)
    await makeFolder(blobs, 0o700)
    const present = await withoutLeftovers(blobs)
    await withoutLeftovers(folder)
    const handle = await open(join(folder, RECORDING.captures), 'a+', 0o600)
    await cutTornLine(handle)
    const before = await linesOf(handle)
    let answers = before
    await writeWhole(join(folder, RECORDING.header), recordingJson(recording))
    const written = inRounds<WaitingAnswer>(async (round) => {
      await writeAnswers(round, { blobs, present, put, lines: handle })
      answers += round.length
    })
    const append: RecordingFiles['append'] = ({ meta, stdout, stderr }) => {
      const streams = [stdout, stderr].map(waiting.hold)
      const stored = written({ line: captureLine(meta), streams })
      void stored.then(() => streams.forEach(waiting.release))
      return stored
    }
    return ok({
      append,
      before,
      answers: () => answers,
      finish: async (finished) => {
        try {
          await handle.close()
          await writeWhole(join(folder, RECORDING.header), recordingJson(finished))
          return ok(null)
        } catch (problem) {
          return storeFailure(problem)
        }
      },
    })
  } catch (problem) {
    return storeFailure(problem)
  }
}

/** An answer until it is on the disk. */
interface WaitingAnswer {
  readonly line: string
  readonly streams: readonly HeldBytes[]
}

interface HeldBytes {
  readonly digest: Sha256
  readonly bytes: Uint8Array
}

/** Bytes until they are on the disk. Their owner must not change them. */
interface WaitingBytes {
  /** Returns equal bytes, possibly those of another recording. */
  readonly hold: (bytes: Uint8Array) => HeldBytes
  /** To be called once for each hold. */
  readonly release: (held: HeldBytes) => void
}

/** Many nodes give equal answers at the same time. Equal bytes are in memory once, however many recordings wait for the disk. */
export function waitingBytes(): WaitingBytes {
  const all = new Map<Sha256, { readonly held: HeldBytes; holders: number }>()
  return {
    hold: (bytes) => {
      const digest = sha256(bytes)
      const one = all.get(digest) ?? { held: { digest, bytes }, holders: 0 }
      one.holders += 1
      all.set(digest, one)
      return one.held
    },
    release: ({ digest }) => {
      const one = all.get(digest)
      if (one === undefined) return
      one.holders -= 1
      if (one.holders === 0) all.delete(digest)
    },
  }
}

/**
 * Group commit: what is appended while a round is written waits for the next one, and all of a round are acknowledged
 * together. After a failed round nothing is written any more, since the file may end with half a line.
 */
function inRounds<Answer>(
  write: (answers: readonly Answer[]) => Promise<void>,
): (answer: Answer) => Promise<Outcome<null>> {
  let waiting: Answer[] = []
  let last: Promise<unknown> = Promise.resolve()
  let round: Promise<Outcome<null>> | null = null
  let failed: Outcome<null> | null = null
  return (answer) => {
    waiting.push(answer)
    round ??= last.then(async () => {
      const answers = waiting
      waiting = []
      round = null
      if (failed !== null) return failed
      try {
        await write(answers)
        return ok(null)
      } catch (problem) {
        failed = storeFailure(problem)
        return failed
      }
    })
    last = round
    return round
  }
}

interface Target {
  readonly blobs: string
  /** Digests of the stored bytes. */
  readonly present: Set<Sha256>
  readonly put: PutBlob
  readonly lines: FileHandle
}

async function writeAnswers(answers: readonly WaitingAnswer[], { blobs, present, put, lines }: Target): Promise<void> {
  const fresh = new Map<Sha256, Uint8Array>()
  for (const { digest, bytes } of answers.flatMap(({ streams }) => streams))
    if (!present.has(digest)) fresh.set(digest, bytes)
  await eachOf(fresh, ([digest, bytes]) => put(join(blobs, digest), digest, bytes))
  if (fresh.size > 0) await syncFolder(blobs)
  for (const digest of fresh.keys()) present.add(digest)
  await lines.appendFile(answers.map(({ line }) => line).join(''))
  await lines.datasync()
}

/**
 * Works on at most WIDTH files of one recording at a time: a promise for each file of a large round would fill the memory with those of many
 * recordings. After a failure, no further file is begun.
 */
async function eachOf<One>(all: Iterable<One>, work: (one: One) => Promise<void>): Promise<void> {
  // Leaving a loop over a generator ends it for the other loops too.
  const rest = (function* (): Generator<One> {
    yield* all
  })()
  const inTurn = async (): Promise<void> => {
    for (const one of rest) await work(one)
  }
  await Promise.all(Array.from({ length: WIDTH }, inTurn))
}

/** Removes half-written files; returns the names of the others. */
async function withoutLeftovers(folder: string): Promise<Set<string>> {
  const names = await readdir(folder)
  const leftovers = names.filter((name) => /\.part-\d+$/.test(name))
  for (const name of leftovers) await unlink(join(folder, name))
  return new Set(names.filter((name) => !leftovers.includes(name)))
}

async function linesOf(handle: FileHandle): Promise<number> {
  const part = Buffer.alloc(64 * 1024)
  let lines = 0
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(part, 0, part.length, at)
    if (bytesRead === 0) return lines
    for (const byte of part.subarray(0, bytesRead)) if (byte === 0x0a) lines += 1
    at += bytesRead
  }
}

/** A line without its end was being written when the process was killed: it names nothing that was acknowledged. */
async function cutTornLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat()
  const step = 64 * 1024
  for (let end = size; end > 0; end -= step) {
    const start = Math.max(0, end - step)
    const part = Buffer.alloc(end - start)
    await handle.read(part, 0, part.length, start)
    const newline = part.lastIndexOf(0x0a)
    if (newline < 0 && start > 0) continue
    const whole = newline < 0 ? 0 : start + newline + 1
    if (whole < size) await handle.truncate(whole)
    return
  }
}

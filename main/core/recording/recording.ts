import type { Capture, Recording } from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { type Sha256, sha256 } from '../base/digest.ts'
import { type Outcome, ok } from '../base/failure.ts'

/**
 * One capture with its bytes, as read by a probe. The bytes are as stored, after redaction; their digests are in
 * `meta`.
 */
export interface CapturedAnswer {
  readonly meta: Capture
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

/**
 * A recording in memory: recording.json, and its captures in the order in which they were taken. The order has no
 * influence on verdicts.
 */
export interface LoadedRecording {
  readonly recording: Recording
  readonly captures: readonly CapturedAnswer[]
}

/** A recording without the bytes of its outputs. Every LoadedRecording is one. */
export interface RecordingOutline {
  readonly recording: Recording
  readonly captures: readonly { readonly meta: Capture }[]
}

/**
 * The date of the evidence in a recording: its end; or the start of its oldest capture that can support a verdict, where
 * that is more than a day earlier, as in a run that was resumed days later. A capture without a valid time gives none.
 */
export function observedAtOf({ recording: { endedAt }, captures }: RecordingOutline): string {
  let [oldest, at] = [endedAt, Date.parse(endedAt) - LONGEST_COLLECTION_MS]
  for (const { meta } of captures) {
    if (meta.status !== 'done' && meta.status !== 'no-path') continue
    const startedAt = Date.parse(meta.startedAt)
    if (Number.isNaN(startedAt)) return meta.startedAt
    if (startedAt < at) [oldest, at] = [meta.startedAt, startedAt]
  }
  return oldest
}

const LONGEST_COLLECTION_MS = 86_400_000

/** A recording that is read on request, so that many fit in memory. */
export interface RecordingSource {
  readonly recording: Recording
  readonly load: () => Promise<Outcome<LoadedRecording>>
  /** Where the bytes of an output are stored, by digest and size; null where they are only in memory. */
  readonly blob: ((stream: Capture['stdout']) => StoredBytes) | null
}

export const inMemory = (loaded: LoadedRecording): RecordingSource => ({
  recording: loaded.recording,
  load: async () => ok(loaded),
  blob: null,
})

/** Loads all of them at once, for callers that cannot process one at a time. Fails with the first failure. */
export async function loadAll(sources: readonly RecordingSource[]): Promise<Outcome<readonly LoadedRecording[]>> {
  const loaded: LoadedRecording[] = []
  for (const source of sources) {
    const one = await source.load()
    if (!one.ok) return one
    loaded.push(one.value)
  }
  return ok(loaded)
}

/** The bytes of recording.json and captures.jsonl: canonical JSON (RFC 8785), one line each, ending in a newline. */
export const recordingJson = (recording: Recording): string => `${canonicalJson(recording)}\n`
export const captureLine = (capture: Capture): string => `${canonicalJson(capture)}\n`

/**
 * The identity of a recording: SHA-256 over recording.json followed by captures.jsonl, with captures sorted by probe
 * and command.
 */
export function recordingDigest(loaded: RecordingOutline): Sha256 {
  const known = DIGESTS.get(loaded)
  if (known !== undefined) return known
  const lines = loaded.captures.map(({ meta }) => meta).sort(byProbeAndCommand)
  const digest = sha256(recordingJson(loaded.recording) + lines.map(captureLine).join(''))
  DIGESTS.set(loaded, digest)
  return digest
}

/**
 * A recording without the bytes of its outputs. A known digest is carried over. `share` returns equal copies of plain
 * data, so that many outlines can reference the same one.
 */
export function outlineOf(loaded: RecordingOutline, share: <T>(value: T) => T = (value) => value): RecordingOutline {
  const outline = {
    recording: share(loaded.recording),
    captures: loaded.captures.map(({ meta }) => ({ meta: share(meta) })),
  }
  return withDigestOf(loaded, outline)
}

/** The same recording with its captures in the order of a pack; a store returns them in the order of arrival. */
export function inPackOrder(loaded: RecordingOutline): RecordingOutline {
  const { recording, captures } = loaded
  return isInPackOrder(loaded)
    ? loaded
    : withDigestOf(loaded, { recording, captures: [...captures].sort((a, b) => byProbeAndCommand(a.meta, b.meta)) })
}

/**
 * Computes and keeps the digest of a recording from the text of its two files, which is canonical and complete, so
 * that nothing is serialized again. Keeps nothing where the captures are in another order.
 */
export function keepDigest(loaded: RecordingOutline, text: string): void {
  if (isInPackOrder(loaded)) DIGESTS.set(loaded, sha256(text))
}

/** Keeps the digest of a recording that came from another thread, which computed it. */
export function keepKnownDigest(loaded: RecordingOutline, digest: Sha256): void {
  DIGESTS.set(loaded, digest)
}

const isInPackOrder = ({ captures }: RecordingOutline): boolean =>
  captures.every(({ meta }, at) => {
    const before = captures[at - 1]
    return before === undefined || byProbeAndCommand(before.meta, meta) <= 0
  })

function withDigestOf(loaded: RecordingOutline, same: RecordingOutline): RecordingOutline {
  const known = DIGESTS.get(loaded)
  if (known !== undefined) DIGESTS.set(same, known)
  return same
}

/**
 * Replacements in the outputs by class, most frequent first: “command-arguments 12, token 1”. Recordings of earlier
 * versions have only the total, shown as “unnamed”. Empty where nothing was replaced.
 */
export function replacedByClass(captures: readonly Capture[]): string {
  const counts = new Map<string, number>()
  for (const { maskedCount = 0, masked } of captures)
    for (const [kind, count] of Object.entries(masked ?? (maskedCount === 0 ? {} : { unnamed: maskedCount })))
      counts.set(kind, (counts.get(kind) ?? 0) + count)
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || compare(a, b))
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ')
}

/**
 * Recordings are not modified after they are read, and a report of a thousand of them needs each digest several
 * times.
 */
const DIGESTS = new WeakMap<RecordingOutline, Sha256>()

/**
 * The order of captures. A resumed run may have two of one command; the whole line then decides, so that the order is
 * always defined.
 */
export const byProbeAndCommand = (a: Capture, b: Capture): number =>
  compare(a.probe, b.probe) || compare(a.command, b.command) || compare(captureLine(a), captureLine(b))

/** Compares by UTF-16 code unit: unlike localeCompare, the same in every locale. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
/**
 * Bytes stored elsewhere, with known size and digest. Both methods read them anew each time, and reject where they
 * cannot.
 */
export interface StoredBytes {
  readonly size: number
  readonly sha256: string
  /** All bytes, for small files. */
  readonly read: () => Promise<Uint8Array>
  readonly open: () => AsyncIterable<Uint8Array>
}

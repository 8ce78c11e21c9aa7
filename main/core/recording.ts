import type { Capture, Recording } from '../../schemas/types.ts'
import { canonicalJson } from './canonical-json.ts'
import { type Sha256, sha256 } from './digest.ts'
import { type Outcome, ok } from './failure.ts'

/** One capture with its bytes: what a probe reads. The bytes are as stored, after redaction; their digests are in `meta`. */
export interface CapturedAnswer {
  readonly meta: Capture
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

/** A recording in memory: recording.json, and its captures in the order they were taken. The order carries no meaning for verdicts. */
export interface LoadedRecording {
  readonly recording: Recording
  readonly captures: readonly CapturedAnswer[]
}

/** What is known about a recording without the bytes of its answers. Every LoadedRecording is one. */
export interface RecordingOutline {
  readonly recording: Recording
  readonly captures: readonly { readonly meta: Capture }[]
}

/** A recording that is read when it is needed, so that many fit in memory. */
export interface RecordingSource {
  readonly recording: Recording
  readonly load: () => Promise<Outcome<LoadedRecording>>
  /** Where the bytes of an answer lie, by digest and size; null when they are only in memory. */
  readonly blob: ((stream: Capture['stdout']) => StoredBytes) | null
}

export const inMemory = (loaded: LoadedRecording): RecordingSource => ({
  recording: loaded.recording,
  load: async () => ok(loaded),
  blob: null,
})

/** All of them at once, for what cannot take one at a time. Fails with the first that does. */
export async function loadAll(sources: readonly RecordingSource[]): Promise<Outcome<readonly LoadedRecording[]>> {
  const loaded: LoadedRecording[] = []
  for (const source of sources) {
    const one = await source.load()
    if (!one.ok) return one
    loaded.push(one.value)
  }
  return ok(loaded)
}

/** The bytes of recording.json and of captures.jsonl: canonical JSON (RFC 8785), one line each, ending in a newline. */
export const recordingJson = (recording: Recording): string => `${canonicalJson(recording)}\n`
export const captureLine = (capture: Capture): string => `${canonicalJson(capture)}\n`

/** The one identity of a recording: SHA-256 over recording.json followed by captures.jsonl, captures sorted by probe and command. */
export function recordingDigest(loaded: RecordingOutline): Sha256 {
  const known = DIGESTS.get(loaded)
  if (known !== undefined) return known
  const lines = loaded.captures.map(({ meta }) => meta).sort(byProbeAndCommand)
  const digest = sha256(recordingJson(loaded.recording) + lines.map(captureLine).join(''))
  DIGESTS.set(loaded, digest)
  return digest
}

/**
 * A recording without the bytes of its answers. Its digest, where it is known, is not found again. `share` gives equal copies of plain data,
 * of which many outlines can hold the same.
 */
export function outlineOf(loaded: RecordingOutline, share: <T>(value: T) => T = (value) => value): RecordingOutline {
  const outline = {
    recording: share(loaded.recording),
    captures: loaded.captures.map(({ meta }) => ({ meta: share(meta) })),
  }
  return withDigestOf(loaded, outline)
}

/** The same recording with its captures in the order of a pack: a store returns them in the order of arrival. */
export function inPackOrder(loaded: RecordingOutline): RecordingOutline {
  const { recording, captures } = loaded
  return isInPackOrder(loaded)
    ? loaded
    : withDigestOf(loaded, { recording, captures: [...captures].sort((a, b) => byProbeAndCommand(a.meta, b.meta)) })
}

/**
 * Finds the digest of a recording from the text of its two files, which holds nothing else and is canonical, so that nothing is written again.
 * Nothing is kept where the captures are in another order.
 */
export function keepDigest(loaded: RecordingOutline, text: string): void {
  if (isInPackOrder(loaded)) DIGESTS.set(loaded, sha256(text))
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
 * What was replaced in some answers, by class, most first: “command-arguments 12, token 1”. Recordings of earlier versions have only the
 * number, shown as “unnamed”. Empty where nothing was.
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

/** Recordings are never changed once they are read, and a report of a thousand of them asks for each several times. */
const DIGESTS = new WeakMap<RecordingOutline, Sha256>()

/** The one order of captures. A resumed run may hold two of a command; the whole line then decides, so that no order is left to chance. */
export const byProbeAndCommand = (a: Capture, b: Capture): number =>
  compare(a.probe, b.probe) || compare(a.command, b.command) || compare(captureLine(a), captureLine(b))

/** Order by UTF-16 code unit: the same in every locale, unlike localeCompare. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
/** Bytes kept elsewhere, of known size and digest. Both ways of reading give them anew each time, and reject when they cannot. */
export interface StoredBytes {
  readonly size: number
  readonly sha256: string
  /** All of them: for small files. */
  readonly read: () => Promise<Uint8Array>
  readonly open: () => AsyncIterable<Uint8Array>
}

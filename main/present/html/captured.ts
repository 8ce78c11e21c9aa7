import type { Sha256 } from '../../core/base/digest.ts'
import { decodeUtf8 } from '../../core/base/plain-text.ts'
import { compare, type LoadedRecording } from '../../core/recording/recording.ts'

/** Text of one capture as the HTML report prints it. */
interface CapturedText {
  /** Null where the bytes are not text in UTF-8. */
  readonly text: string | null
  /** Bytes that the text has, from the beginning of the capture. */
  readonly printed: number
}

/** By SHA-256 of the bytes. */
export type CapturedTexts = ReadonlyMap<Sha256, CapturedText>

/** At most so many bytes of one capture, and of all captures of a node. */
export const MOST_OF_CAPTURE = 8 * 1024
export const MOST_OF_NODE = 128 * 1024

/**
 * The text of a node’s captures within the bounds of the report, shortest first, so that as many as possible are printed. The bytes are as
 * stored, so that secrets were masked before. It depends on nothing but the bytes: verification finds the same.
 */
export function capturedTexts({ captures }: Pick<LoadedRecording, 'captures'>): CapturedTexts {
  const byDigest = new Map(captures.map(({ meta, stdout }) => [meta.stdout.sha256, stdout]))
  const inOrder = [...byDigest]
    .filter(([, bytes]) => bytes.length > 0)
    .sort(([a, some], [b, more]) => some.length - more.length || compare(a, b))
  const texts = new Map<Sha256, CapturedText>()
  let left = MOST_OF_NODE
  for (const [digest, bytes] of inOrder) {
    const most = Math.min(MOST_OF_CAPTURE, bytes.length)
    if (most > left) break
    const one = textOf(bytes, most)
    texts.set(digest, one)
    left -= one.printed
  }
  return texts
}

/** The beginning of some bytes as text, cut after a whole character. */
function textOf(bytes: Uint8Array, most: number): CapturedText {
  let end = most
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  const text = decodeUtf8(bytes.subarray(0, end))
  return { text, printed: text === null ? 0 : end }
}

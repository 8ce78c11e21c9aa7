import type { LoadedRecording } from '../../core/recording/recording.ts'
import { type RecordingTexts, textsOf } from '../../verify/steps/read-once.ts'

/** Limit on the outputs that a thread of rules keeps for later nodes, in bytes. */
const MOST_SENT = 8 * 1024 * 1024

/** A recording for the thread of the rules; worker.mjs reads it. */
export interface RecordingMessage {
  /** JSON, which another thread reads in half the time that it takes to copy objects. */
  readonly texts: RecordingTexts
  /** For each capture the numbers of its two outputs, in the order in which the thread received them. */
  readonly outputs: readonly number[]
  /** The outputs that the thread does not have yet; their numbers follow those that it has. */
  readonly fresh: readonly Uint8Array[]
  /** Whether the thread forgets the outputs of earlier recordings first; numbers then begin at 0. */
  readonly forget: boolean
}

/**
 * Messages for one thread. Nodes of a pack have most outputs in common, and reading gives the same array for them; each array is sent once, until
 * the thread has `most` bytes of them.
 */
export function recordingMessages(most: number = MOST_SENT): (loaded: LoadedRecording) => RecordingMessage {
  const sent = new Map<Uint8Array, number>()
  let held = 0
  return (loaded) => {
    const forget = held > most
    if (forget) {
      sent.clear()
      held = 0
    }
    const fresh: Uint8Array[] = []
    const numberOf = (bytes: Uint8Array): number => {
      const known = sent.get(bytes)
      if (known !== undefined) return known
      const number = sent.size
      sent.set(bytes, number)
      fresh.push(bytes)
      held += bytes.length
      return number
    }
    const outputs = loaded.captures.flatMap(({ stdout, stderr }) => [numberOf(stdout), numberOf(stderr)])
    return { texts: textsOf(loaded), outputs, fresh, forget }
  }
}

import type { Capture } from '../../../schemas/types.ts'
import type { LoadedRecording } from '../../core/recording/recording.ts'

/** Limit on the outputs that are kept for later nodes, in bytes. */
const MOST_KEPT = 8 * 1024 * 1024

/** Outputs of commands that were read and compared with their digest, for nodes that gave the same bytes. */
export interface CommonOutputs {
  /** The output with this digest and size; null where none is kept. */
  readonly of: (stream: Capture['stdout']) => Uint8Array | null
  readonly keep: (stream: Capture['stdout'], bytes: Uint8Array) => void
}

/**
 * Keeps outputs by digest, up to `most` bytes; then it begins again with the outputs of the node that is being read. Servers of one fleet gave the
 * same output to most commands, which is then read once and in memory once.
 */
export function commonOutputs(most: number = MOST_KEPT): CommonOutputs {
  const kept = new Map<string, Uint8Array>()
  let held = 0
  return {
    of: (stream) => kept.get(keyOf(stream)) ?? null,
    keep: (stream, bytes) => {
      if (held + bytes.length > most) {
        kept.clear()
        held = 0
      }
      if (bytes.length > most) return
      held += bytes.length
      kept.set(keyOf(stream), bytes)
    },
  }
}

const keyOf = ({ sha256, size }: Capture['stdout']): string => `${sha256} ${size}`

/** The texts of recording.json and captures.jsonl, for another thread. */
export interface RecordingTexts {
  readonly recording: string
  /** One line for each capture, in the order of the recording. */
  readonly captures: string
}

const TEXTS = new WeakMap<LoadedRecording, RecordingTexts>()

/** Keeps the texts that a recording was read from, as long as the recording is in memory. Each line must have become a capture. */
export function keepTexts(loaded: LoadedRecording, texts: RecordingTexts): void {
  TEXTS.set(loaded, texts)
}

/** The texts of a recording: those that it was read from, or the same written again. */
export const textsOf = (loaded: LoadedRecording): RecordingTexts =>
  TEXTS.get(loaded) ?? {
    recording: JSON.stringify(loaded.recording),
    captures: loaded.captures.map(({ meta }) => `${JSON.stringify(meta)}\n`).join(''),
  }

import type { LoadedRecording } from '../../core/recording/recording.ts'

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

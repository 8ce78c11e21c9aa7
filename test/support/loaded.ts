import type { Outcome } from '../../main/core/base/failure.ts'
import type { LoadedRecording, RecordingSource } from '../../main/core/recording/recording.ts'
import { must } from './outcomes.ts'

/** A recording with its answers, read back from where it was stored; throws what went wrong. */
export async function loadedOf(stored: Outcome<RecordingSource>): Promise<LoadedRecording> {
  return must(stored.ok ? await stored.value.load() : stored)
}

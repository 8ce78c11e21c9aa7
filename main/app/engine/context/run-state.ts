import type { Assessment, Planned, Scope } from '../../../../schemas/types.ts'
import type { Failure } from '../../../core/base/failure.ts'
import type { ConnectTarget } from '../../../core/ports/ports.ts'
import type { LoadedRecording } from '../../../core/recording/recording.ts'

/** A collected run as the window shows it: its recordings and their assessment. */
export interface RunState {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  readonly assessment: Assessment
  /** Stored recordings that cannot be read or were altered; each names its node, which counts as missing. */
  readonly unreadable: readonly Failure[]
}

/** A started run. `before`: the earlier recordings of a resumed run. */
export interface Begun {
  readonly run: string
  readonly at: string
  readonly targets: readonly ConnectTarget[]
  readonly scope: Scope
  readonly demo: boolean
  readonly before: RunState | null
  /** Null for a run that a person started. */
  readonly planned: Planned | null
}

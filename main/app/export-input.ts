import type { Assessment, Planned, Register, RunTrace, Scope } from '../../schemas/types.ts'
import type { Failure } from '../core/failure.ts'
import type { PadesLevel, Signer } from '../core/ports.ts'
import type { RecordingSource } from '../core/recording.ts'
import type { DocumentBytes } from './attachments.ts'
import type { ExportedFile } from './output-files.ts'
import type { Also } from './output-formats.ts'
import type { Stamping } from './stamping.ts'

export interface ExportInput {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly RecordingSource[]
  readonly asOf: string
  readonly signer: Signer
  /** Null: no independent time-stamp. */
  readonly stamping: Stamping | null
  readonly folder: string
  /** The register. The part that concerns these nodes and frameworks goes into the pack. */
  readonly register: Register
  readonly attachmentBytes: DocumentBytes
  /** The provider inventory that the engagement in the scope names; null without one. */
  readonly inventory: Uint8Array | null
  /** The provider's record of machine locations that the location in the scope names; null or absent without one. */
  readonly sites?: Uint8Array | null
  /** Additional outputs. */
  readonly also: readonly Also[]
  /** Folder of the fleet's run chain; null: the pack is in no chain. */
  readonly chainFolder: string | null
  /** The scheduled run; null or absent for a run that a person started. */
  readonly planned?: Planned | null
  /**
   * The folder whose history has the earlier runs of the declared period; null or absent: the report covers this run
   * alone. A history that cannot be read is named, and not used.
   */
  readonly history?: string | null
  /** The export resumes after an interruption: existing outputs are then no error. */
  readonly resumes?: boolean
}

export interface Exported {
  readonly assessment: Assessment
  /** The part of the register that concerns it. */
  readonly register: Register
  readonly files: readonly ExportedFile[]
  readonly level: PadesLevel
  /** The seal over the pack has a time-stamp. */
  readonly stamped: boolean
  readonly trace: RunTrace
  /** SHA-256 of the sealed tag manifest, which the chain names. */
  readonly tagManifest: string
  /** Fingerprint of the certificate that sealed it. */
  readonly signer: string
  /** Requested outputs that could not be obtained; everything else was written. */
  readonly shortfalls: readonly Failure[]
  /** The pack was already sealed; only missing outputs next to it were written. */
  readonly continued: boolean
}

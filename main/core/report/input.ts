import type { Figure } from '../../../schemas/figure.ts'
import type { Assessment, EarlierRuns, Register } from '../../../schemas/types.ts'
import type { Catalog } from '../catalog.ts'
import type { Sha256 } from '../digest.ts'
import type { Parsed } from '../probe.ts'
import type { RecordingOutline } from '../recording.ts'
import type { Acceptances } from '../register.ts'
import type { Tally } from '../tally.ts'
import type { EmbeddedForm } from './embedded.ts'
import type { SudoReconciliation } from './sudo-reconciliation.ts'

export interface ReportInput {
  readonly assessment: Assessment
  readonly catalog: Catalog
  readonly recordings: readonly RecordingOutline[]
  /** Name and version of what made the report. */
  readonly producer: string
  /** SHA-256 over the pack's list of digests without the lines of the report itself. */
  readonly evidenceDigest: Sha256
  readonly packName: string
  readonly signer: { readonly subject: string; readonly fingerprint: string } | null
  readonly demo: boolean
  /** What people say about it; laid beside verdicts, never in their place. */
  readonly register: Register
  /** For whom the report was made, as the person who asked for it wrote it. */
  readonly generatedFor?: string
  /** Pictures by node; a node without evidence for one has none. */
  readonly figures?: ReadonlyMap<string, readonly Figure[]>
  /** Pictures of all nodes together. */
  readonly fleetFigures?: readonly Figure[]
  /** What the report embeds of the results; all of them unless told otherwise. */
  readonly embeds?: EmbeddedForm
  /** By node: how far sudo's own log and the recording agree, or why that cannot be said. */
  readonly sudo?: ReadonlyMap<string, Parsed<SudoReconciliation>>
  /** What runs before this one say of contradicted claims; absent where none was asked for or kept. */
  readonly earlier?: EarlierRuns
}

/** What every part of the report is written from. */
export interface Matter extends ReportInput {
  readonly tally: Tally
  /** As of the moment that everything is judged by. */
  readonly accepted: Acceptances
}

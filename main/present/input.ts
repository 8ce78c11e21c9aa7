import type { Figure } from '../../schemas/figure.ts'
import type { Assessment, EarlierRuns, Register } from '../../schemas/types.ts'
import type { Sha256 } from '../core/base/digest.ts'
import type { SudoReconciliation } from '../core/collector/sudoers.ts'
import type { CheckRemediation } from '../core/finding/work-order.ts'
import type { EmbeddedForm } from '../core/pack/embedded.ts'
import type { Parsed } from '../core/recording/probe.ts'
import type { RecordingOutline } from '../core/recording/recording.ts'
import type { Catalog } from '../core/rules/catalog.ts'
import type { CapturedTexts } from './html/captured.ts'

export interface ReportInput {
  readonly assessment: Assessment
  readonly catalog: Catalog
  readonly recordings: readonly RecordingOutline[]
  /** Name and version of the producing software. */
  readonly producer: string
  /** SHA-256 over the pack’s manifest without the lines of the report itself. */
  readonly evidenceDigest: Sha256
  readonly packName: string
  /** Null: the copy is not signed. */
  readonly signer: { readonly subject: string; readonly fingerprint: string } | null
  readonly demo: boolean
  /** The register: printed next to verdicts, which it never changes. */
  readonly register: Register
  /** Remediation by check. No verdict depends on it. */
  readonly remediations: readonly CheckRemediation[]
  /** Recipient of the report, as typed. */
  readonly generatedFor?: string
  /** Figures by node; a node without the evidence for a figure has none. */
  readonly figures?: ReadonlyMap<string, readonly Figure[]>
  /** Figures over all nodes. */
  readonly fleetFigures?: readonly Figure[]
  /** Form of the embedded results; all results by default. */
  readonly embeds?: EmbeddedForm
  /** SHA-256 of the results of each node as stored in the pack; computed where absent. */
  readonly digests?: ReadonlyMap<string, Sha256>
  /** By node: agreement of the sudo log with the recording, or why it could not be compared. */
  readonly sudo?: ReadonlyMap<string, Parsed<SudoReconciliation>>
  /** By node: text of captures that the HTML report prints; absent in a large fleet. */
  readonly captured?: ReadonlyMap<string, CapturedTexts>
  /** Deviations in earlier runs; absent where not requested or not available. */
  readonly earlier?: EarlierRuns
}

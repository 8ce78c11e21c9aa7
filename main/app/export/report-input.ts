import type { Assessment, EarlierRuns, Planned, Register, RunTrace, Scope } from '../../../schemas/types.ts'
import { PRODUCER } from '../../../schemas/version.ts'
import { AI_VIEWS, HIPAA_VIEWS } from '../../catalog/definition/frameworks/views.ts'
import { REMEDIATIONS } from '../../catalog/definition/remediation.ts'
import { fleetFiguresOf } from '../../catalog/figures/figures.ts'
import type { Sha256 } from '../../core/base/digest.ts'
import { type Failure, type Outcome, ok } from '../../core/base/failure.ts'
import { type EmbeddedFile, embeddedFile } from '../../core/pack/embedded.ts'
import { digestOf, nodeAssessmentPath, type PackFiles } from '../../core/pack/pack-files.ts'
import type { PadesLevel, Signer } from '../../core/ports/ports.ts'
import { inPackOrder, type RecordingSource } from '../../core/recording/recording.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { FormatInput } from '../../present/formats/input.ts'
import { MANY_NODES } from '../../present/report/parts/figures.ts'
import { matterOf, type ReportInput } from '../../present/report.ts'
import type { DocumentBytes } from '../common/attachments.ts'
import type { Stamping } from '../common/seal-file.ts'
import { type Evaluated, picturesOf } from '../evaluate/evaluate.ts'
import type { Also, ExportedFile } from './output-files.ts'

/** Sealed parts of a pack that its reports depend on. */
interface ReportParts extends Omit<Evaluated, 'files' | 'traced'> {
  /** The catalog that the scope of the assessment requires. */
  readonly catalog: Catalog
  /** For the figures of a large fleet, whose nodes are selected once all are assessed. */
  readonly recordings: readonly RecordingSource[]
  readonly register: Register
  readonly earlier: EarlierRuns | null
  /** Includes the assessments of all nodes: their sizes decide what the report embeds. */
  readonly payload: PackFiles
  readonly evidenceDigest: Sha256
  readonly packName: string
  readonly signer: ReportInput['signer']
}

/**
 * Input of report and executive summary, and the file that the report embeds. Export and verification both use it, so
 * that the same sealed parts give the same pages. Fails as loading a recording does.
 */
export async function reportInputOf(
  parts: ReportParts,
): Promise<Outcome<{ readonly about: ReportInput; readonly embedded: EmbeddedFile }>> {
  const { assessment, outlines, figures, captured, sudo, recordings, earlier, payload, signer, ...same } = parts
  const embedded = embeddedFile(assessment, payload)
  const plain: ReportInput = {
    ...same,
    assessment,
    recordings: outlines.map(inPackOrder),
    sudo,
    digests: new Map(
      assessment.nodes.flatMap(({ node }) => {
        const content = payload.get(nodeAssessmentPath(node))
        return content === undefined ? [] : [[node, digestOf(content)] as const]
      }),
    ),
    embeds: embedded.form,
    producer: PRODUCER,
    remediations: REMEDIATIONS,
    signer: signer === null ? null : { subject: signer.subject, fingerprint: signer.fingerprint },
    demo: assessment.demo,
    ...(earlier === null ? {} : { earlier }),
    ...(assessment.nodes.length > MANY_NODES ? {} : { captured }),
  }
  const pictures = assessment.nodes.length > MANY_NODES ? await picturesOf(plain, recordings) : ok(figures)
  if (!pictures.ok) return pictures
  return ok({ about: { ...plain, figures: pictures.value, fleetFigures: fleetFiguresOf(assessment) }, embedded })
}

/** Input of the files next to a pack. The findings are presented once, for all files. */
export const formatInputOf = (about: ReportInput, run: string, prefix: string): ReportInput & FormatInput => ({
  ...about,
  run,
  prefix,
  shown: matterOf(about).shown,
  views: { hipaa: HIPAA_VIEWS, ai: AI_VIEWS },
})

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
   * only. A history that cannot be read is named, and not used.
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

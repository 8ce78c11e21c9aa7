import type { VerificationCheck, VerificationCheckResult, VerificationReport } from '../../schemas/verification.ts'
import { plain } from '../core/base/plain-text.ts'
import { type EmbeddedForm, embeddedResults } from '../core/pack/embedded.ts'
import type { PdfReading, SealReader } from '../core/ports/ports.ts'
import { type Asked, conclusion } from './pipeline.ts'
import { checkResult } from './steps/result.ts'
import { shownTime } from './steps/time.ts'
import { certificatesOf } from './steps/trust.ts'

interface VerifyReportInput extends Pick<Asked, 'trust' | 'verifiedAt' | 'file'> {
  readonly pdf: Uint8Array
  readonly reader: SealReader
}

/**
 * Verification of a PDF alone. For a Barewitness report: integrity, signature and time; the other checks require the
 * pack. Any other PDF is not verified. Never throws.
 */
export async function verifyReport(input: VerifyReportInput): Promise<VerificationReport> {
  const { pdf, reader, trust, verifiedAt } = input
  const reading = await reader.readPdf(pdf, certificatesOf([...trust.signers, ...trust.authorities]), trust.lists)
  return reading.kind === 'report' ? ofOurs(reading, input) : ofOthers(reading, { file: input.file, verifiedAt })
}

function ofOurs(reading: PdfReading, input: VerifyReportInput): VerificationReport {
  const { seal, problems } = reading
  const stamps = seal?.timestamps ?? []
  // A time-stamp over the whole report is added only after all certificate chains are in it.
  const wholeChains = stamps.length > 1
  const time = shownTime(stamps, { ...input, wholeChains, firstRoot: null })
  const sealed = { seal, time, wholeChain: wholeChains, isStampExpected: false, absent: NO_SIGNATURE }
  const embedded = embeddedResults(reading.attachments)
  const broken = [...problems, ...(seal?.problems ?? [])]
  return conclusion('report', input, sealed, {
    integrity:
      broken.length === 0
        ? checkResult(
            'integrity',
            'passed',
            'The report is unchanged since sealing; only time-stamps and their validation data were added.',
            [
              `Level ${reading.level}: this describes the form only, not the trust in its authorities. If a later level was removed, a lower one remains; the pack states which bytes belong to the report.`,
              'The content of its pages was not compared with evidence.',
            ],
          )
        : checkResult('integrity', 'failed', 'The report differs from the sealed report.', broken),
    completeness: inPack('completeness', 'A report alone contains no evidence; verify its pack.', [
      `Evidence digest stated: ${plain(reading.evidenceDigest ?? 'none')}.`,
      CARRIED[embedded?.form ?? 'none'],
    ]),
    reproducibility: inPack('reproducibility', 'Verdicts can be re-evaluated only from a pack; verify its pack.'),
    continuity: inPack('continuity', 'The run chain is only in packs; verify its pack.'),
    statedAt: embedded?.index.asOf ?? null,
    demo: embedded?.index.demo === true,
    rules: null,
    differences: [],
  })
}

const NO_SIGNATURE = 'No readable author signature in this PDF.'

const CARRIED: Readonly<Record<EmbeddedForm | 'none', string>> = {
  whole: 'The results of every node are embedded.',
  index: 'The states of controls, and the digest of each node’s results, are embedded. The results are in the pack.',
  none: 'No readable results are embedded.',
}

/** Result for a PDF that is not read because it exceeds the size of any Barewitness report. */
export const largerThanRead = (about: Pick<VerificationReport, 'file' | 'verifiedAt'>): VerificationReport =>
  ofOthers({ problems: ['This PDF is larger than any Barewitness report.'] }, about)

const ofOthers = (
  { problems }: Pick<PdfReading, 'problems'>,
  { file, verifiedAt }: Pick<VerificationReport, 'file' | 'verifiedAt'>,
): VerificationReport => ({
  schema: 'barewitness.verification/2',
  file: plain(file),
  kind: 'foreign-pdf',
  verifiedAt,
  ok: false,
  demo: false,
  checks: [
    checkResult('integrity', 'failed', 'Not a Barewitness report; not verified.', problems),
    ...(['signature', 'time', 'completeness', 'reproducibility', 'continuity'] as const).map((check) =>
      checkResult(check, 'indeterminate', 'Not verified: this file was not written by Barewitness.'),
    ),
  ],
  rules: null,
  differences: [],
  signer: null,
})

/** A check that only the pack of the report can answer. */
const inPack = (
  check: VerificationCheck,
  summary: string,
  details: readonly string[] = [],
): VerificationCheckResult => ({ ...checkResult(check, 'indeterminate', summary, details), needs: 'pack' })

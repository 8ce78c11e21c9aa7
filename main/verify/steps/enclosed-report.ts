import { canonicalJson } from '../../core/canonical-json.ts'
import { embeddedResults } from '../../core/embedded.ts'
import { PATHS } from '../../core/pack-files.ts'
import { plain } from '../../core/plain-text.ts'
import type { PackSource, PdfReading, SealReader } from '../../core/ports.ts'
import { bytesOf, type PackReading } from './read.ts'
import { chainIn } from './signature.ts'
import { certificatesOf, type Trust } from './trust.ts'

/** A PDF in a pack; null when it is missing or cannot be read. The pack’s certificates complete its chains. */
export async function readReport(
  source: PackSource,
  reader: SealReader,
  trust: Trust,
  path: string,
): Promise<PdfReading | null> {
  const bytes = await bytesOf(source, path)
  if (bytes === null) return null
  const offered = [
    ...(await chainIn(source, PATHS.chain)),
    ...(await chainIn(source, PATHS.tsaChain)),
    ...certificatesOf([...trust.signers, ...trust.authorities]),
  ]
  return await reader.readPdf(bytes, offered, trust.lists)
}

/** Whether the report is a Barewitness report, unchanged, and belongs to this evidence and signer. */
export function reportProblems(
  report: PdfReading | null,
  reading: PackReading,
  signer: string | null,
): readonly string[] {
  const digest = reading.statement?.predicate.report.evidenceDigest
  return ownReportProblems(report, { path: PATHS.report, digest, signer }, (one) => embeddedProblems(one, reading))
}

/** Whether the executive summary is a Barewitness report, unchanged, and belongs to this evidence and signer. */
export const executiveProblems = (
  page: PdfReading | null,
  { statement }: PackReading,
  signer: string | null,
): readonly string[] =>
  ownReportProblems(page, { path: PATHS.executive, digest: statement?.predicate.report.evidenceDigest, signer })

/** Whether a report in a pack of any kind is a Barewitness report, unchanged, of this signer, and produced for the evidence with this digest. */
export function ownReportProblems(
  report: PdfReading | null,
  {
    path,
    digest,
    signer,
  }: { readonly path: string; readonly digest: string | undefined; readonly signer: string | null },
  more: (report: PdfReading) => readonly string[] = () => [],
): readonly string[] {
  if (report === null) return [`${path} cannot be read.`]
  if (report.kind !== 'report')
    return [`${path} does not have the form of a Barewitness report.`, ...report.problems.map(told(path))]
  const own = [...report.problems, ...(report.seal?.problems ?? [])]
  if (own.length > 0 || report.seal === null) return [`${path}: its seal is invalid.`, ...own.map(told(path))]
  return [
    ...(digest === undefined || report.evidenceDigest === digest
      ? []
      : [`${path} was produced for other evidence, with digest ${plain(report.evidenceDigest ?? 'none')}.`]),
    ...(signer === null || report.seal.signer?.fingerprint === signer
      ? []
      : [`${path} is sealed with a different key from the pack.`]),
    ...more(report),
  ]
}

const told =
  (path: string) =>
  (problem: string): string =>
    `${path}: ${plain(problem, 400)}`

function embeddedProblems({ attachments }: PdfReading, { assessment }: PackReading): readonly string[] {
  const embedded = embeddedResults(attachments)
  if (embedded === null) return [`${PATHS.report} embeds no readable assessment.`]
  return assessment === null || canonicalJson(embedded.index) === canonicalJson(assessment)
    ? []
    : [`${PATHS.report} embeds a different assessment from the pack.`]
}

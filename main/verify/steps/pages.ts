import type { EarlierRuns, Period, PeriodChange, Register, Scope, Statement } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import type { Sha256 } from '../../core/base/digest.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { embeddedResults } from '../../core/pack/embedded.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { CertificateName, PackSource, PdfReading, SchemaValidator, SealReader } from '../../core/ports/ports.ts'
import type { Framework } from '../../core/rules/framework.ts'
import type { RunChain } from '../../core/run-chain/entry.ts'
import type { StatedNode } from './entries.ts'
import { bytesOf, canonical, type PackReading, textOf } from './read.ts'
import { chainIn } from './signature.ts'
import { certificatesOf, type Trust } from './trust.ts'

/** Input of the reports of a pack, in addition to its nodes. All other checks of the pack have passed. */
export interface SealedPages {
  readonly source: PackSource
  readonly reading: PackReading
  readonly statement: Statement
  readonly register: Register
  readonly earlier: EarlierRuns | null
  readonly signer: CertificateName
}

/** `not-compared`: evaluated or written by a different version from this one, or unreadable. */
export type PagesCompared =
  | { readonly kind: 'same' }
  | { readonly kind: 'differ'; readonly problems: readonly string[] }
  | { readonly kind: 'not-compared'; readonly why: string }

/** Regenerates the reports from the sealed evidence and compares them with the sealed ones: PDFs page by page, the HTML report byte by byte. */
export interface PageComparer {
  /** Each node in the order of the scope, before compare(). */
  readonly add: (node: Pick<StatedNode, 'recording' | 'stated'>, scope: Scope) => void
  readonly compare: (sealed: SealedPages) => Promise<PagesCompared>
}

/** Input of the PDF of a period report. */
export interface SealedPeriodPages {
  readonly period: Period
  /** As derived from the sealed run traces. */
  readonly changes: readonly PeriodChange[]
  /** As the runs chose them. */
  readonly frameworks: readonly Framework[]
  readonly evidenceDigest: Sha256
  readonly signer: CertificateName
}

/** Regenerates the PDF of a period report from the sealed evidence and compares it page by page with the sealed one. */
export type PeriodPageComparer = (sealed: SealedPeriodPages) => Promise<PagesCompared>

export const ALREADY_REJECTED: PagesCompared = {
  kind: 'not-compared',
  why: 'another check of the pack has already failed',
}

/** Earlier runs in a pack that are not in its run chain, or are there with a different seal. */
export function earlierProblems({ runs }: EarlierRuns, chain: RunChain | null): readonly string[] {
  const entered = new Set(
    (chain?.entries ?? []).flatMap(({ entry }) => (entry.kind === 'run' ? [`${entry.run} ${entry.tagManifest}`] : [])),
  )
  return runs
    .filter(({ run, tagManifest }) => !entered.has(`${run} ${tagManifest}`))
    .map(
      ({ run }) => `${PATHS.earlier} covers run ${quote(run)}, which is not in the run chain of the pack in this form.`,
    )
}

/** Statements of a pack about earlier runs; null where there are none (no problem) or where they cannot be read. */
export async function readEarlier(
  source: PackSource,
  validator: SchemaValidator,
): Promise<{ readonly earlier: EarlierRuns | null; readonly problems: readonly string[] }> {
  if (!source.paths.includes(PATHS.earlier)) return { earlier: null, problems: [] }
  const found = canonical(await textOf(source, PATHS.earlier))
  const why =
    found === null ? ['it is not JSON in canonical form'] : validator.problems('earlier-runs', found.value).slice(0, 1)
  return found === null || why.length > 0
    ? { earlier: null, problems: [`${PATHS.earlier}: ${why[0]}.`] }
    : { earlier: found.value as EarlierRuns, problems: [] }
}

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
    return [`${path} does not have the form of a Barewitness report.`, ...report.problems.map(inWords(path))]
  const own = [...report.problems, ...(report.seal?.problems ?? [])]
  if (own.length > 0 || report.seal === null) return [`${path}: its seal is invalid.`, ...own.map(inWords(path))]
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

const inWords =
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

import type { Period, Statement } from '../../schemas/types.ts'
import type { VerificationCheckResult } from '../../schemas/verification.ts'
import { canonicalJson } from '../core/base/canonical-json.ts'
import { daysWithin, MOST_DAYS } from '../core/base/days.ts'
import type { Sha256 } from '../core/base/digest.ts'
import { plain, plural, quote } from '../core/base/plain-text.ts'
import { manifestRead, PATHS } from '../core/pack/pack-files.ts'
import {
  NODES_OF_RUNS,
  PERIOD_FORM,
  PERIOD_PATH,
  periodEntry,
  periodName,
  periodStatement,
} from '../core/period/pack.ts'
import { compare } from '../core/recording/recording.ts'
import { isDay, isInstant } from '../core/run-chain/entry.ts'
import { headOf } from '../core/run-chain/head.ts'
import { CLOCK_TOLERANCE_MINUTES } from '../core/run-chain/notes.ts'
import { intact, type VerifiedPack, type VerifyInput } from './pack.ts'
import { concludes, conclusion, isTrusted, sealChecks, sealStep, validSigner } from './pipeline.ts'
import { incompleteness } from './steps/complete.ts'
import {
  ALREADY_REJECTED,
  ownReportProblems,
  type PagesCompared,
  type PeriodPageComparer,
  readReport,
} from './steps/pages.ts'
import { chainOf, type PeriodWalk, type WalkInput, walkPeriod } from './steps/period-walk.ts'
import { canonical, textOf } from './steps/read.ts'
import { checkResult } from './steps/result.ts'
import { unknownRules } from './steps/rules.ts'
import { alterations, onlyRepacked, packedAgain, tagFileProblems } from './steps/tags.ts'

type VerifyPeriodInput = Omit<VerifyInput, 'keep' | 'pages'> & WalkInput & { readonly pages: PeriodPageComparer }

/** As VerifiedPack, without contents: there is no single run whose contents could be read afterwards. */
type VerifiedPeriod = Pick<VerifiedPack, 'report' | 'head'>

/**
 * Performs the six verification checks of a sealed period report. All its statements are derived again from the
 * run chain and the sealed run traces, and sampled nodes from their captures. Never throws, whatever it contains.
 */
export async function verifyPeriod(input: VerifyPeriodInput): Promise<VerifiedPeriod> {
  const { source, trust, verifiedAt } = input
  const period = await readPeriod(input)
  const statement = period === null ? null : await expectedStatement(input, period)
  const sealed = await sealStep(source, input.seal, input)
  const { seal } = sealed
  const statedAt = period?.asOf ?? null
  concludes(input, 'period', sealChecks(input, sealed, statedAt))
  const differing = [
    ...(await alterations(source, statement, PERIOD_FORM)),
    ...(seal?.signer == null || period === null
      ? []
      : await tagFileProblems(source, {
          ...period,
          identifier: periodName(period),
          signer: seal.signer,
          nodes: NODES_OF_RUNS,
        })),
  ]
  const altered = [...input.departures.map(packedAgain), ...differing]
  const files = source.paths.length
  const repacked = onlyRepacked({ ...input, problems: differing, sealProblems: seal?.problems ?? null, files })
  const integrity = repacked ?? intact(altered, seal, files)
  concludes(input, 'period', [integrity])
  const trusted = isTrusted(sealed, input)
  const chain = await chainOf(
    { ...input, trusted },
    period === null ? null : (tagManifest, signer) => periodEntry(period, tagManifest, signer),
    seal,
  )
  concludes(input, 'period', [chain.answer])
  const signer = validSigner(sealed)
  const walked = await walkPeriod(input, period, chain.stated)
  const evidenceDigest = digestIn(statement)
  const problems = [
    ...(await statedProblems(input, period, statement)),
    ...ownReportProblems(await readReport(source, input.seal, trust, PATHS.report), {
      path: PATHS.report,
      digest: evidenceDigest,
      signer,
    }),
    ...walked.problems,
  ]
  const rederived = reproducible(walked)
  concludes(input, 'period', [rederived])
  const isRejected = altered.length > 0 || problems.length > 0 || rederived.outcome === 'failed'
  const pages =
    isRejected || evidenceDigest === undefined || walked.derived === null || seal?.signer == null
      ? ALREADY_REJECTED
      : await input.pages({
          period: walked.derived.period,
          changes: walked.derived.changes,
          frameworks: walked.derived.frameworks,
          evidenceDigest,
          signer: seal.signer,
        })
  const report = conclusion('period', input, sealed, {
    integrity,
    completeness: complete(problems, walked, {
      trusted,
      samples: period?.samples ?? [],
      early: period !== null && Date.parse(period.asOf) > Date.parse(verifiedAt) + TOLERANCE ? period.asOf : null,
      pages,
    }),
    reproducibility: rederived,
    continuity: chain.answer,
    statedAt,
    demo: period?.demo === true || walked.demo,
    rules:
      walked.unknown.size === 0
        ? null
        : {
            status: 'unknown',
            version: plain([...walked.unknown].sort(compare).join(', '), 200),
            results: walked.stated,
            unconfirmed: walked.stated - walked.identical,
          },
    differences: walked.differences,
  })
  return { report, head: report.ok && chain.own !== null ? headOf(chain.reading, chain.own, verifiedAt) : null }
}

const TOLERANCE = CLOCK_TOLERANCE_MINUTES * 60_000

/** The stated period report; null where it is not in canonical form or its dates are not a valid period. */
async function readPeriod({ source, validator }: VerifyPeriodInput): Promise<Period | null> {
  const found = canonical(await textOf(source, PERIOD_PATH))
  if (found === null || validator.problems('period', found.value).length > 0) return null
  const period = found.value as Period
  const { from, to } = period
  return isInstant(period.asOf) && isDay(from) && isDay(to) && from <= to && daysWithin(from, to).length <= MOST_DAYS
    ? period
    : null
}

type ExpectedStatement = ReturnType<typeof periodStatement>

async function expectedStatement({ source }: VerifyPeriodInput, period: Period): Promise<ExpectedStatement> {
  const digests = new Map<string, string>()
  for (const path of PERIOD_FORM.subjects) {
    const digest = source.paths.includes(path) ? await source.sha256(path).catch(() => null) : null
    if (digest !== null) digests.set(path, digest)
  }
  return periodStatement(period, { manifest: manifestRead((await textOf(source, PATHS.manifest)) ?? ''), digests })
}

async function statedProblems(
  { source }: VerifyPeriodInput,
  period: Period | null,
  statement: ExpectedStatement | null,
): Promise<readonly string[]> {
  if (period === null || statement === null)
    return [`${PERIOD_PATH} is missing, not in canonical form, or not a period report.`]
  return [
    ...((await textOf(source, PATHS.statement)) === `${canonicalJson(statement)}\n`
      ? []
      : [`${PATHS.statement} does not state this period and these files.`]),
    ...(period.asOf > `${period.to}T23:59:59.999Z` ? [] : ['The period had not ended when the report was sealed.']),
  ]
}

/** Digest of the evidence that the report was produced for. */
const digestIn = (statement: ExpectedStatement | null): Sha256 | undefined =>
  ((statement ?? {}) as Partial<Pick<Statement, 'predicate'>>).predicate?.report.evidenceDigest

interface Stated {
  /** The reader trusts the key of the period report. */
  readonly trusted: boolean
  readonly samples: Period['samples']
  /** The stated creation time, where it is in the future. */
  readonly early: string | null
  readonly pages: PagesCompared
}

function complete(
  problems: readonly string[],
  { runs, absent, untrusted: strangers, nodes }: PeriodWalk,
  { trusted, samples, early, pages }: Stated,
): VerificationCheckResult {
  const failed = incompleteness(problems, pages)
  if (failed !== null) return failed
  const enclosed = runs - absent.length
  const summary = `All runs of the run chain in the period are accounted for: ${plural(runs, 'run')}, of which ${enclosed} with the run trace and seal of their packs.`
  const open = [
    ...(absent.length === 0
      ? []
      : [
          `For ${plural(absent.length, 'run')} only the seal is stated: ${listed(absent)}. The contents of ${absent.length === 1 ? 'its pack' : 'their packs'} are unknown.`,
        ]),
    ...(trusted && strangers.length > 0
      ? [`${plural(strangers.length, 'run')} sealed by a key that you do not trust: ${listed(strangers)}.`]
      : []),
    ...(pages.kind === 'not-compared'
      ? [`The report pages were not compared with the sealed evidence: ${pages.why}.`]
      : []),
    ...(early === null ? [] : [`It is dated ${early}, later than this computer’s clock.`]),
  ]
  const [first, ...others] = open
  const details = [...others, drawn(samples, nodes)]
  return first === undefined
    ? checkResult('completeness', 'passed', `${summary} Every report page matches the sealed evidence.`, details)
    : checkResult('completeness', 'indeterminate', `${summary} ${first}`, details)
}

const MOST_NAMED = 10
const listed = (names: readonly string[]): string =>
  `${names
    .slice(0, MOST_NAMED)
    .map((name) => quote(name, 100))
    .join(', ')}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''}`

/** Number of sampled items, and of nodes among them whose captures are enclosed. */
function drawn(samples: Period['samples'], nodes: number): string {
  if (samples.length === 0) return 'No items were sampled. The captures are in the packs of the runs.'
  const rows = samples.reduce((sum, sample) => sum + sample.sampled.length, 0)
  return `${plural(samples.length, 'sample')} with ${plural(rows, 'item')} in total. ${
    nodes === 0
      ? 'No captures are enclosed; they are in the packs of the runs.'
      : `The captures of ${plural(nodes, 'node')} are enclosed; the others are in the packs of the runs.`
  }`
}

function reproducible({
  failed,
  wrong,
  other,
  unknown,
  stated,
  identical,
  nodes,
}: PeriodWalk): VerificationCheckResult {
  const check = 'reproducibility'
  if (failed !== null) return checkResult(check, 'failed', 'Re-evaluation is not possible.', [failed])
  const sampled =
    nodes === 0 ? '' : ` ${identical} of ${stated} verdicts of sampled nodes reproduced from the captures.`
  if (wrong.length > 0)
    return checkResult(
      check,
      'failed',
      `Statements differ from those derived from the run chain, the sealed run traces and the captures.${sampled}`,
      [...wrong, ...other],
    )
  if (unknown.size > 0) {
    const versions = [...unknown].sort(compare).join(', ')
    return checkResult(check, 'indeterminate', unknownRules(versions, { stated, identical }), other)
  }
  return other.length > 0
    ? checkResult(
        check,
        'indeterminate',
        `Parts were produced by a different version and are not reproduced here. Use that version to compare.${sampled}`,
        other,
      )
    : checkResult(
        check,
        'passed',
        `The period report and its lists were reproduced from the run chain and the sealed run traces, byte for byte.${sampled}`,
      )
}

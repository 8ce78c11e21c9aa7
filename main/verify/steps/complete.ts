import type { Capture, NodeAssessment, Observation } from '../../../schemas/types.ts'
import type {
  VerificationCheck,
  VerificationCheckResult,
  VerificationReport,
  VerifiedKind,
} from '../../../schemas/verification.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { plural, quote } from '../../core/base/plain-text.ts'
import { PATHS } from '../../core/pack/pack.ts'
import { type RecordingOutline, recordingDigest } from '../../core/recording/recording.ts'
import type { NodeReading } from './entries.ts'
import type { PagesCompared } from './pages.ts'
import type { PackReading } from './read.ts'
import { checkResult } from './result.ts'

/** Notes for the reader on a complete pack. */
interface Whole {
  /** Nodes of which the pack states evidence, of those that are declared: the same count as on page 1. */
  readonly collected: number
  readonly declared: number
  readonly absences: readonly string[]
  /** Notes about the register. */
  readonly notes: readonly string[]
  /** PAdES level of the report. */
  readonly level: string | null
  readonly pages: PagesCompared
  /** Earlier runs that the report covers. */
  readonly earlier: number
}

/** The failed completeness of a pack of any kind; null where its files are consistent and its pages match. */
export function incompleteness(problems: readonly string[], pages: PagesCompared): VerificationCheckResult | null {
  if (problems.length > 0)
    return checkResult('completeness', 'failed', 'Referenced files are missing or inconsistent.', problems)
  return pages.kind === 'differ'
    ? checkResult('completeness', 'failed', 'The report pages do not match the sealed evidence.', pages.problems)
    : null
}

/** Completeness: whether everything that the pack refers to is present and consistent. */
export function completeness(
  problems: readonly string[],
  { collected, declared, absences, notes, level, pages, earlier }: Whole,
): VerificationCheckResult {
  const failed = incompleteness(problems, pages)
  if (failed !== null) return failed
  const parts = `All declared nodes are accounted for (${collected} of ${declared} collected); all citations resolve`
  const details = [
    ...absences,
    ...notes,
    ...(earlier === 0
      ? []
      : [
          `The report covers ${plural(earlier, 'earlier run')} not in this pack; those results are statements of the signer.`,
        ]),
    ...(level === null ? [] : [`The report’s signature has PAdES level ${level}.`]),
  ]
  return pages.kind === 'not-compared'
    ? checkResult(
        'completeness',
        'indeterminate',
        `${parts}. The report pages were not compared with the evidence: ${pages.why}.`,
        details,
      )
    : checkResult(
        'completeness',
        'passed',
        `${parts}; every page of the report and the executive summary, and the HTML report, match the evidence.`,
        details,
      )
}

/** Inconsistencies between the parts of a pack as a whole; nodes are checked one by one. */
export function wholeProblems(reading: PackReading, strange: readonly string[]): readonly string[] {
  const { statement, scope, assessment, problems } = reading
  if (scope === null || assessment === null || statement === null) return problems
  const declared = new Set(scope.population)
  const assessed = assessment.nodes.map(({ node }) => node)
  const stated = statement.predicate.nodes.map(({ name }) => name)
  return [
    ...problems,
    ...agreement(reading),
    ...lacking(scope.population, assessed, PATHS.assessment),
    ...lacking(scope.population, stated, PATHS.statement),
    ...[...new Set([...assessed, ...stated])]
      .filter((name) => !declared.has(name))
      .map((name) => `Node ${quote(name)} is in the pack but not declared.`),
    ...strange.map((folder) => `${quote(folder, 400)} does not belong to a declared node.`),
    ...(new Set(assessed).size === assessed.length && new Set(stated).size === stated.length
      ? []
      : ['The pack names a node twice.']),
  ]
}

const lacking = (population: readonly string[], named: readonly string[], where: string): readonly string[] => {
  const there = new Set(named)
  return population
    .filter((node) => !there.has(node))
    .map((node) => `Node ${quote(node)} is declared but missing from ${where}.`)
}

/** Inconsistencies of one node: recording, statement, and observations that cite missing captures. */
export function nodeProblems(
  { node, recording, stated, problems }: NodeReading,
  { statement }: PackReading,
): readonly string[] {
  const claim = statement?.predicate.nodes.find(({ name }) => name === node)
  const digest = recording === null ? null : recordingDigest(recording)
  const claims =
    claim === undefined
      ? []
      : claim.recording !== digest
        ? [`Node ${quote(node)}: ${PATHS.statement} names a different recording from the one in the pack.`]
        : claim.hostKey !== (recording?.recording.hostKey?.fingerprint ?? null)
          ? [`Node ${quote(node)}: ${PATHS.statement} and the recording name different host keys.`]
          : []
  return [...problems, ...claims, ...(stated === null ? [] : restProblems(stated, recording))]
}

/** The pack’s own statement about a node that was not collected completely; null otherwise. */
export function absenceOf({ stated }: NodeReading): string | null {
  if (stated === null || stated.status === 'complete') return null
  const { node, status, failure } = stated
  const why = failure === null ? '' : ` (${failure.code})`
  if (status === 'missing') return `The pack states that ${quote(node)} was not collected.`
  return `The pack states that ${quote(node)} was ${status === 'partial' ? 'partially collected' : 'not collected'}${why}.`
}

/** Problems where the three statements of the evaluated scope, date and catalog differ. */
function agreement({ statement, scope, assessment, catalogDigest }: PackReading): readonly string[] {
  if (statement === null || scope === null || assessment === null) return []
  const { predicate } = statement
  const problems: string[] = []
  const { asOf, ...declared } = scope
  if (canonicalJson(declared) !== canonicalJson(assessment.scope))
    problems.push(`${PATHS.scope} and ${PATHS.assessment} declare different scopes.`)
  if (new Set([asOf, assessment.asOf, predicate.asOf]).size > 1)
    problems.push('The pack states several evaluation dates.')
  if (predicate.fleet !== scope.fleet) problems.push('The pack names several fleets.')
  if (predicate.demo !== assessment.demo)
    problems.push(`${PATHS.statement} and ${PATHS.assessment} disagree about demo data.`)
  if (
    catalogDigest !== assessment.catalog.digest ||
    canonicalJson(predicate.catalog) !== canonicalJson(assessment.catalog)
  )
    problems.push(`The catalog in the pack differs from the one stated in ${PATHS.assessment} and ${PATHS.statement}.`)
  return problems
}

function restProblems(entry: NodeAssessment, loaded: RecordingOutline | null): readonly string[] {
  const name = quote(entry.node)
  if (loaded === null) {
    const cited = citing(entry).some(({ reasons }) => reasons.some(({ captures }) => captures.length > 0))
    return entry.recording === null && entry.status === 'missing' && !cited
      ? []
      : [`Node ${name}: its recording, on which ${PATHS.assessment} is based, is not in the pack.`]
  }
  if (entry.recording?.digest !== recordingDigest(loaded))
    return [`Node ${name}: ${PATHS.assessment} is based on a different recording from the one in the pack.`]
  const byProbe = new Map<string | null, Capture[]>()
  for (const { meta } of loaded.captures) {
    const before = byProbe.get(meta.probe)
    if (before === undefined) byProbe.set(meta.probe, [meta])
    else before.push(meta)
  }
  const isDangling = ({ probe, captures }: Reason): boolean =>
    captures.some(
      ({ command, sha256 }) =>
        byProbe.get(probe)?.some((meta) => meta.command === command && meta.stdout.sha256 === sha256) !== true,
    )
  return citing(entry)
    .filter(({ reasons }) => reasons.some(isDangling))
    .map(({ what }) => `Node ${name}${what} cites a capture that is not in the pack.`)
}

type Reason = Pick<Observation, 'probe' | 'captures'>

/** Everything in a node’s results that can cite captures, with its name in a sentence. */
const citing = ({
  results,
  isolation,
  claims = [],
  location,
}: NodeAssessment): readonly { readonly what: string; readonly reasons: readonly Reason[] }[] => [
  ...results.map(({ check, observations }) => ({
    what: `, check ${quote(check)}: an observation`,
    reasons: observations,
  })),
  {
    what: ': an isolation observation',
    reasons: [...(isolation?.observations ?? []), ...(isolation?.anomalies ?? [])],
  },
  ...claims.map(({ claim, observations }) => ({
    what: `, claim ${quote(claim)}: an observation`,
    reasons: observations,
  })),
  { what: ': a location signal', reasons: location?.signals ?? [] },
]

/** Trust inputs that the reader supplied; the corresponding checks must then pass. */
export interface Asked {
  /** Certificates of signers that they trust. */
  readonly signers: boolean
  /** Certificates of time-stamp authorities that they trust. */
  readonly authorities: boolean
  /** A run chain checkpoint that they kept. */
  readonly checkpoint: boolean
}

/**
 * Checks that must pass for each kind of file. A report alone contains no evidence, and a redacted copy lacks part of it; there,
 * an indeterminate check is acceptable.
 */
const ALWAYS: Readonly<Record<VerifiedKind, readonly VerificationCheck[]>> = {
  pack: ['integrity', 'completeness', 'reproducibility'],
  period: ['integrity', 'completeness', 'reproducibility'],
  excerpt: ['integrity', 'completeness', 'reproducibility'],
  disclosure: ['integrity'],
  report: ['integrity'],
  'foreign-pdf': ['integrity'],
}

/**
 * The checks that must pass and did not, in order. Unknown rules leave every result
 * indeterminate, in a redacted copy as well, and so do results that differ where the rules are redacted. A seal whose certificate has expired, without evidence of
 * when it was made, fails the signature check even where no certificate was supplied: a holder of the old key could have made it now.
 */
export function lackingIn(
  {
    kind,
    checks,
    rules,
    differences,
    signer,
  }: Pick<VerificationReport, 'kind' | 'checks' | 'rules' | 'differences' | 'signer'>,
  asked: Asked,
): readonly VerificationCheck[] {
  const wanted = new Set<VerificationCheck>([
    ...ALWAYS[kind],
    ...(rules?.status === 'unknown' || differences.length > 0 ? (['reproducibility'] as const) : []),
    ...(asked.signers || signer?.ended === true ? (['signature'] as const) : []),
    ...(asked.authorities ? (['time'] as const) : []),
    ...(asked.checkpoint ? (['continuity'] as const) : []),
  ])
  return checks.filter(({ check, outcome }) => wanted.has(check) && outcome !== 'passed').map(({ check }) => check)
}

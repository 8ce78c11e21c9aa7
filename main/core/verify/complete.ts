import type { NodeAssessment, Reason } from '../../../schemas/types.ts'
import type { VerificationAnswer } from '../../../schemas/verification.ts'
import { canonicalJson } from '../canonical-json.ts'
import { PATHS } from '../pack.ts'
import { quote } from '../plain-text.ts'
import { type RecordingOutline, recordingDigest } from '../recording.ts'
import { plural } from '../report/wording.ts'
import type { NodeReading } from './nodes.ts'
import type { PagesCompared } from './pages.ts'
import type { PackReading } from './read.ts'

/** What a reader should know of a pack that is complete. */
export interface Whole {
  /** Nodes with a recording. */
  readonly recorded: number
  readonly absences: readonly string[]
  /** Of what people say in it. */
  readonly notes: readonly string[]
  /** PAdES level of the report. */
  readonly level: string | null
  readonly pages: PagesCompared
  /** Earlier runs that the report tells of. */
  readonly earlier: number
}

/** Whether everything that the pack refers to is there and fits. */
export function completeness(
  problems: readonly string[],
  { recorded, absences, notes, level, pages, earlier }: Whole,
): VerificationAnswer {
  const question = 'complete'
  if (problems.length > 0)
    return {
      question,
      outcome: 'no',
      summary: 'Something the pack refers to is missing or does not fit.',
      details: problems,
    }
  if (pages.kind === 'differ')
    return {
      question,
      outcome: 'no',
      summary: 'What the pages of the report state does not follow from what is sealed.',
      details: pages.problems,
    }
  const parts = `Every declared node is accounted for (${recorded} with a recording), every reason points to evidence in the pack`
  return {
    question,
    ...(pages.kind === 'same'
      ? {
          outcome: 'yes',
          summary: `${parts}, and every page of the report and of the executive page follows from them.`,
        }
      : {
          outcome: 'not-shown',
          summary: `${parts}. The pages of the report were not compared with it: ${pages.why}.`,
        }),
    details: [
      ...absences,
      ...notes,
      ...(earlier === 0
        ? []
        : [
            `The report tells of ${plural(earlier, 'earlier run')}, which are not in this pack: what they found is the signer’s statement.`,
          ]),
      ...(level === null ? [] : [`The report’s own signature is at PAdES level ${level}.`]),
    ],
  }
}

/** What is wrong with how the parts of a pack fit together as a whole; its nodes are asked one by one. */
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
      .map((name) => `Node ${quote(name)} is in the pack and not declared.`),
    ...strange.map((folder) => `${quote(folder, 400)} belongs to no declared node.`),
    ...(new Set(assessed).size === assessed.length && new Set(stated).size === stated.length
      ? []
      : ['The pack names a node twice.']),
  ]
}

const lacking = (population: readonly string[], named: readonly string[], where: string): readonly string[] => {
  const there = new Set(named)
  return population
    .filter((node) => !there.has(node))
    .map((node) => `Node ${quote(node)} is declared and missing from ${where}.`)
}

/** What is wrong with how one node's parts fit together: recording, statement, and every reason pointing to a capture that is there. */
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
        ? [`Node ${quote(node)}: ${PATHS.statement} names another recording than the one in the pack.`]
        : claim.hostKey !== (recording?.recording.hostKey?.fingerprint ?? null)
          ? [`Node ${quote(node)}: ${PATHS.statement} and the recording name different host keys.`]
          : []
  return [...problems, ...claims, ...(stated === null ? [] : restProblems(stated, recording))]
}

/** What the pack itself says of a node that is not there as a whole; null otherwise. */
export const absenceOf = ({ stated }: NodeReading): string | null =>
  stated === null || stated.status === 'complete' ? null : absence(stated)

function absence({ node, status, failure }: NodeAssessment): string {
  const why = failure === null ? '' : ` (${failure.code})`
  if (status === 'missing') return `The pack states that ${quote(node)} was not collected.`
  return `The pack states that ${quote(node)} was ${status === 'partial' ? 'collected in part' : 'not collected'}${why}.`
}

/** The three places that say what was evaluated must say the same. */
function agreement({ statement, scope, assessment, catalogDigest }: PackReading): readonly string[] {
  if (statement === null || scope === null || assessment === null) return []
  const { predicate } = statement
  const problems: string[] = []
  const { asOf, ...declared } = scope
  if (canonicalJson(declared) !== canonicalJson(assessment.scope))
    problems.push(`${PATHS.scope} and ${PATHS.assessment} declare different scopes.`)
  if (new Set([asOf, assessment.asOf, predicate.asOf]).size > 1)
    problems.push('The pack names several moments of evaluation.')
  if (predicate.fleet !== scope.fleet) problems.push('The pack names several fleets.')
  if (predicate.demo !== assessment.demo)
    problems.push(`${PATHS.statement} and ${PATHS.assessment} disagree about demo data.`)
  if (
    catalogDigest !== assessment.catalog.digest ||
    canonicalJson(predicate.catalog) !== canonicalJson(assessment.catalog)
  )
    problems.push(`The catalog in the pack is not the one that ${PATHS.assessment} and ${PATHS.statement} name.`)
  return problems
}

function restProblems(entry: NodeAssessment, loaded: RecordingOutline | null): readonly string[] {
  const name = quote(entry.node)
  if (loaded === null) {
    const cited = [
      ...entry.findings.flatMap(({ reasons }) => reasons),
      ...(entry.isolation?.reasons ?? []),
      ...(entry.isolation?.contradictions ?? []),
    ].some(({ captures }) => captures.length > 0)
    return entry.recording === null && entry.status === 'missing' && !cited
      ? []
      : [`Node ${name}: its recording is not in the pack, and ${PATHS.assessment} rests on it.`]
  }
  if (entry.recording?.digest !== recordingDigest(loaded))
    return [`Node ${name}: ${PATHS.assessment} rests on another recording than the one in the pack.`]
  const known = new Set(loaded.captures.map(({ meta }) => `${meta.probe} ${meta.command} ${meta.stdout.sha256}`))
  const dangling = (reasons: readonly Pick<Reason, 'probe' | 'captures'>[]): boolean =>
    reasons.some(({ probe, captures }) =>
      captures.some(({ command, sha256 }) => !known.has(`${probe} ${command} ${sha256}`)),
    )
  return [
    ...entry.findings
      .filter(({ reasons }) => dangling(reasons))
      .map(({ check }) => `Node ${name}, check ${quote(check)}: a reason points to a capture that is not in the pack.`),
    ...(dangling([...(entry.isolation?.reasons ?? []), ...(entry.isolation?.contradictions ?? [])])
      ? [`Node ${name}: a reason about isolation points to a capture that is not in the pack.`]
      : []),
  ]
}

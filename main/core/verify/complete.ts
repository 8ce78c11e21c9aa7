import type { Assessment, NodeAssessment, Reason } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import { PATHS } from '../pack.ts'
import { quote } from '../plain-text.ts'
import { type LoadedRecording, recordingDigest } from '../recording.ts'
import type { PackReading } from './read.ts'

export interface Completeness {
  readonly problems: readonly string[]
  /** Declared nodes without answers, which the pack itself says. */
  readonly stated: readonly string[]
}

/** Whether every declared node is there, or its absence stated, and every reason points to a capture that is in the pack. */
export function completeness(reading: PackReading): Completeness {
  const { statement, scope, assessment, recordings, problems } = reading
  if (scope === null || assessment === null || statement === null) return { problems, stated: [] }
  const byNode = new Map(recordings.map((loaded) => [loaded.recording.node.name, loaded]))
  const stated = new Map(statement.predicate.nodes.map((node) => [node.name, node]))
  const assessed = new Map(assessment.nodes.map((entry) => [entry.node, entry]))
  const found: string[] = [...problems, ...agreement(reading, assessment)]
  for (const node of scope.population) {
    const entry = assessed.get(node)
    const loaded = byNode.get(node)
    if (entry === undefined) found.push(`Node ${quote(node)} is declared and missing from ${PATHS.assessment}.`)
    else found.push(...nodeProblems(entry, loaded))
    const claim = stated.get(node)
    if (claim === undefined) found.push(`Node ${quote(node)} is declared and missing from ${PATHS.statement}.`)
    else if (claim.recording !== (loaded === undefined ? null : recordingDigest(loaded)))
      found.push(`Node ${quote(node)}: ${PATHS.statement} names another recording than the one in the pack.`)
    else if (claim.hostKey !== (loaded?.recording.hostKey?.fingerprint ?? null))
      found.push(`Node ${quote(node)}: ${PATHS.statement} and the recording name different host keys.`)
  }
  const declared = new Set(scope.population)
  for (const name of new Set([...byNode.keys(), ...stated.keys(), ...assessment.nodes.map(({ node }) => node)]))
    if (!declared.has(name)) found.push(`Node ${quote(name)} is in the pack and not declared.`)
  return { problems: found, stated: assessment.nodes.filter(({ status }) => status !== 'complete').map(absence) }
}

function absence({ node, status, failure }: NodeAssessment): string {
  const why = failure === null ? '' : ` (${failure.code})`
  if (status === 'missing') return `The pack states that ${quote(node)} was not collected.`
  return `The pack states that ${quote(node)} was ${status === 'partial' ? 'collected in part' : 'not collected'}${why}.`
}

/** The three places that say what was evaluated must say the same. */
function agreement({ statement, scope, catalogDigest }: PackReading, assessment: Assessment): readonly string[] {
  if (statement === null || scope === null) return []
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
  if (new Set([catalogDigest, assessment.catalog.digest, predicate.catalog.digest]).size > 1)
    problems.push(`The catalog in the pack is not the one that ${PATHS.assessment} and ${PATHS.statement} name.`)
  return problems
}

function nodeProblems(entry: NodeAssessment, loaded: LoadedRecording | undefined): readonly string[] {
  const name = quote(entry.node)
  if (loaded === undefined) {
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

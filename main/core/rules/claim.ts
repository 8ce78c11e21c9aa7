import type {
  CheckResult,
  ClaimCondition,
  ClaimResult,
  ClaimTestReference,
  Observation,
  ProviderClaim,
  ProviderProfile,
} from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { quote } from '../base/plain-text.ts'
import type { Parsed } from '../recording/probe.ts'
import { type Check, type Context, conclude, type DraftObservation } from './check.ts'

/** A test that a provider claim can be compared with, such as link rates or installed components. */
export interface ClaimTest {
  readonly id: string
  /** What it tests, as a sentence without the value. */
  readonly title: string
  /** The value that the claim must state: a number with its unit, a word, or none. */
  readonly takes: {
    readonly kind: 'number' | 'text' | 'nothing'
    readonly unit?: string
    readonly oneOf?: readonly string[]
  }
  /** What “corroborated” does not show. */
  readonly limitations: string
  /** The check for the claimed value; null where the value does not fit. */
  readonly of: (value: string | number | null) => Check | null
}

/** What the claims about one node are evaluated from. */
export interface ClaimMatter {
  readonly tests: readonly ClaimTest[]
  readonly results: readonly CheckResult[]
  readonly readings: ReadonlyMap<string, Parsed<unknown>>
  readonly context: Context
  /** Evidence that is too old supports nothing. */
  readonly stale: boolean
  readonly cite: (step: DraftObservation) => Observation
}

type Answer = ClaimResult['result']

/** The claims of a profile that concern a node. */
export const claimsOf = ({ claims }: ProviderProfile, node: string): readonly ProviderClaim[] =>
  claims.filter(({ nodes }) => nodes === undefined || nodes.includes(node))

/**
 * The result of each claim for one node. One contradicting test contradicts the claim; it is corroborated only where
 * all tests agree.
 */
export function answerClaims(profile: ProviderProfile, matter: ClaimMatter): readonly ClaimResult[] {
  return claimsOf(profile, matter.context.node.name).map((claim) => ({
    claim: claim.id,
    ...answerClaim(claim, matter),
  }))
}

/**
 * The results for a node without evidence: claims that require a document still do; nothing is corroborated or shown
 * not to apply.
 */
export const unansweredClaims = (profile: ProviderProfile, node: string, why: string): readonly ClaimResult[] =>
  claimsOf(profile, node).map((claim) => ({
    claim: claim.id,
    result: claim.tests.length === 0 ? (claim.otherwise ?? 'inconclusive') : (claim.whenUndecided ?? 'inconclusive'),
    observations: claim.tests.length === 0 ? [] : [unclear(why)],
  }))

interface Answered {
  readonly result: Answer
  readonly observations: readonly Observation[]
}

function answerClaim(claim: ProviderClaim, matter: ClaimMatter): Answered {
  const condition = claim.condition === undefined ? null : answerCondition(claim.condition, matter)
  if (condition?.holds === 'no') return { result: 'not-applicable', observations: condition.observations }
  if (claim.tests.length === 0)
    return { result: claim.otherwise ?? 'inconclusive', observations: condition?.observations ?? [] }
  const undecided = claim.whenUndecided ?? 'inconclusive'
  if (condition?.holds === 'unknown') return { result: undecided, observations: condition.observations }
  const answers = claim.tests.map((bearing) => answerBearing(bearing, matter))
  const answer = joined(answers.map((one) => one.result))
  return {
    result: answer === 'inconclusive' ? undecided : answer,
    observations: [...(condition?.observations ?? []), ...answers.flatMap(({ observations }) => observations)],
  }
}

interface Condition {
  readonly holds: 'yes' | 'no' | 'unknown'
  readonly observations: readonly Observation[]
}

/**
 * Whether the precondition of a claim is met. It is absent only where a test contradicts it with evidence that is not
 * stale. Unread evidence leaves the claim inconclusive; a claim never becomes not applicable for lack of evidence.
 */
function answerCondition({ tests }: ClaimCondition, matter: ClaimMatter): Condition {
  const answers = tests.map((bearing) => answerBearing(bearing, matter))
  const absent = answers.filter(({ result }) => result === 'contradicted')
  if (absent.length > 0)
    return matter.stale
      ? { holds: 'unknown', observations: [unclear(TOO_OLD), ...absent.flatMap(({ observations }) => observations)] }
      : { holds: 'no', observations: absent.flatMap(({ observations }) => observations) }
  const observations = answers.flatMap((one) => one.observations)
  const isThere = answers.length > 0 && answers.every(({ result }) => result === 'corroborated')
  return { holds: isThere ? 'yes' : 'unknown', observations }
}

function joined(answers: readonly Answer[]): Answer {
  if (answers.includes('contradicted')) return 'contradicted'
  return answers.every((answer) => answer === 'corroborated') ? 'corroborated' : 'inconclusive'
}

function answerBearing(
  bearing: ClaimTestReference,
  { tests, results, readings, context, stale, cite }: ClaimMatter,
): Answered {
  if ('check' in bearing) {
    const found = results.find(({ check }) => check === bearing.check)
    if (found === undefined) return unknown(`This catalog has no check ${quote(bearing.check, 100)}.`)
    const result = ANSWERS[found.verdict]
    return result === 'contradicted' && bearing.supportsOnly === true
      ? { result: 'inconclusive', observations: [unclear(NOT_THE_PROVIDERS), ...found.observations] }
      : { result, observations: found.observations }
  }
  const check = tests.find(({ id }) => id === bearing.test)?.of(bearing.value) ?? null
  if (check === null) return unknown(`This catalog has no test ${quote(bearing.test, 60)} for that value.`)
  const { verdict, observations: drafts } = conclude(check, readings, context)
  const result = ANSWERS[verdict]
  const observations = drafts.map(cite)
  return stale && result === 'corroborated'
    ? { result: 'inconclusive', observations: [unclear(TOO_OLD), ...observations] }
    : { result, observations }
}

const TOO_OLD = 'The evidence is stale or dated after the evaluation date; not counted as support.'

const NOT_THE_PROVIDERS =
  'This check also depends on the customer’s declarations and configuration, so a deviation does not contradict the provider.'

const unclear = (text: string): Observation => ({ direction: 'unclear', text, probe: null, captures: [] })
const unknown = (text: string): Answered => ({ result: 'inconclusive', observations: [unclear(text)] })

/** A check that does not apply to a node neither supports nor contradicts a provider claim. */
const ANSWERS: Readonly<Record<Verdict, Answer>> = {
  satisfied: 'corroborated',
  'not-satisfied': 'contradicted',
  inconclusive: 'inconclusive',
  'not-tested': 'inconclusive',
  'not-applicable': 'inconclusive',
  informational: 'inconclusive',
}

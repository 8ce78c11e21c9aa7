import type { DecisionDraft, WithdrawalDraft } from '../../../schemas/ipc-packs.ts'
import type { Decision, Register } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { LONGEST_DAYS, type Moment, standingOf, takeBack, trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { dayProblem, endOfDay, millisOf } from './days.ts'

export const decisionsOf = ({ decisions }: Register): readonly Decision[] => decisions ?? []

export interface Row {
  readonly framework: string
  /** The control's key. */
  readonly control: string
}

/**
 * What is decided about one row: the latest decision that nobody took back, while it is in force. A later one takes the place of those
 * before for good, so that none of them comes back when it ends. Where several of one moment say different things, nothing is decided.
 */
export function decidedFor(register: Register, { framework, control }: Row, asOf: string): readonly Decision[] {
  const begun = decisionsOf(register)
    .filter((one) => one.framework === framework && one.control === control)
    .map((one) => ({ one, standing: standingOf(one, asOf), at: millisOf(one.decidedAt) }))
    .filter(({ standing }) => standing === 'in-force' || standing === 'expired')
  const last = begun.reduce((latest, { at }) => Math.max(latest, at), Number.NEGATIVE_INFINITY)
  const latest = begun.filter(({ at }) => at === last)
  if (new Set(latest.map(({ one }) => one.decision)).size > 1) return []
  return latest.filter(({ standing }) => standing === 'in-force').map(({ one }) => one)
}

/** The approved reason why a row does not apply, while it is in force and no later decision says otherwise; null without one. */
export function notApplicableFor(register: Register, row: Row, asOf: string): Decision | null {
  const [latest] = decidedFor(register, row, asOf)
  return latest?.decision === 'not-applicable' ? latest : null
}

/** The level of a row, such as `addressable`; null where there is no such row. */
export type LevelOf = (framework: string, control: string) => string | null

/** Levels of the rows of some frameworks. */
export function levelsIn(
  frameworks: readonly {
    readonly id: string
    readonly controls: readonly { readonly key: string; readonly level: string }[]
  }[],
): LevelOf {
  const levels = new Map(
    frameworks.flatMap(({ id, controls }) => controls.map(({ key, level }) => [`${id}\n${key}`, level] as const)),
  )
  return (framework, control) => levels.get(`${framework}\n${control}`) ?? null
}

/**
 * Why a decision cannot stand on its row; null when it can. Only an addressable specification leaves a choice (45 CFR 164.306(d)(3)): to
 * implement it, to put another measure in its place, or to do neither. The last two weigh the factors of 164.306(b)(2). Any row may be
 * found not to apply.
 */
export function decisionProblem(
  {
    decision,
    factors,
    alternativeMeasure,
  }: Pick<Decision, 'decision'> & { readonly factors: string | null; readonly alternativeMeasure: string | null },
  level: string | null,
): string | null {
  if (level === null) return 'there is no such row'
  if (decision === 'not-applicable') return null
  if (level !== 'addressable')
    return 'only an addressable specification can be decided about (45 CFR 164.306(d)(3)); of this row it can only be said that it does not apply'
  if (decision === 'implemented') return null
  if (factors === null)
    return 'the factors that were weighed must be given (45 CFR 164.306(b)(2): size, infrastructure, cost, and probability of harm)'
  return decision === 'equivalent-alternative' && alternativeMeasure === null
    ? 'the measure that takes its place must be given (45 CFR 164.306(d)(3)(ii)(B)(2))'
    : null
}

export const DECISIONS: readonly Decision['decision'][] = [
  'implemented',
  'equivalent-alternative',
  'not-implemented',
  'not-applicable',
]

/** Writes down what was decided about a row until the end of a day. Fails with input.refused, in words for the person who asked. */
export function decide(
  register: Register,
  draft: DecisionDraft,
  { now, id, levelOf }: Moment & { readonly levelOf: LevelOf },
): Outcome<Register> {
  const { framework, control, decision, until } = draft
  const texts = trimmed(draft, ['reason', 'owner', 'requestedBy', 'approvedBy', 'approverRole'])
  if (!texts.ok) return texts
  const weighed = {
    factors: given(draft.factors),
    alternativeMeasure: given(draft.alternativeMeasure),
    riskAnalysis: given(draft.riskAnalysis),
  }
  const problem = decisionProblem({ decision, ...weighed }, levelOf(framework, control))
  if (problem !== null) return fail('input.refused', problem)
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the end of the decision ${day}`)
  const entry: Decision = {
    id,
    framework,
    control,
    decision,
    ...weighed,
    ...texts.value,
    decidedAt: now,
    expiresAt: endOfDay(until),
    withdrawn: null,
  }
  return ok({ ...register, decisions: [...decisionsOf(register), entry] })
}

/** A text without blanks around it; null where nothing is left. */
const given = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text.trim())

/** Takes a decision back from now on; it stays listed. Fails with input.refused. */
export function withdrawDecision(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const decisions = takeBack(decisionsOf(register), draft, now, 'decision')
  return decisions.ok ? ok({ ...register, decisions: decisions.value }) : decisions
}

import type { DecisionDraft } from '../schemas/ipc-packs.ts'

export const EMPTY_DECISION = {
  reason: '',
  factors: '',
  alternativeMeasure: '',
  riskAnalysis: '',
  owner: '',
  requestedBy: '',
  approvedBy: '',
  approverRole: '',
}
export type DecisionTexts = typeof EMPTY_DECISION
type Kind = DecisionDraft['decision']

/** A decision against implementing a specification requires the factors of 45 CFR 164.306(b)(2). */
export const weighs = (decision: Kind): boolean =>
  decision === 'equivalent-alternative' || decision === 'not-implemented'

/** What is missing from a decision, by field; empty when it can be sent. */
export function decisionLacks(decision: Kind, texts: DecisionTexts): Partial<Record<keyof DecisionTexts, string>> {
  const lacks: readonly (readonly [keyof DecisionTexts, boolean, string])[] = [
    ['reason', texts.reason.trim().length < 3, 'Enter at least 3 characters.'],
    ['factors', weighs(decision) && texts.factors.trim() === '', 'Enter the factors considered.'],
    [
      'alternativeMeasure',
      decision === 'equivalent-alternative' && texts.alternativeMeasure.trim() === '',
      'Describe the equivalent alternative measure.',
    ],
    ['owner', texts.owner.trim() === '', 'Enter the owner.'],
    ['requestedBy', texts.requestedBy.trim() === '', 'Enter the person who requested the decision.'],
    ['approvedBy', texts.approvedBy.trim() === '', 'Enter the approver.'],
    ['approverRole', texts.approverRole.trim() === '', 'Enter the approver’s role.'],
  ]
  return Object.fromEntries(lacks.flatMap(([field, missing, words]) => (missing ? [[field, words]] : [])))
}

/** The input of `decisions.set`. Fields that this kind of decision does not require are not sent. */
export function decisionInput(
  row: Pick<DecisionDraft, 'framework' | 'control' | 'decision' | 'until'>,
  { factors, alternativeMeasure, riskAnalysis, ...texts }: DecisionTexts,
): DecisionDraft {
  const given = (text: string, asked = true): string | null => (asked && text.trim() !== '' ? text.trim() : null)
  return {
    ...row,
    ...texts,
    factors: given(factors, weighs(row.decision)),
    alternativeMeasure: given(alternativeMeasure, row.decision === 'equivalent-alternative'),
    riskAnalysis: given(riskAnalysis),
  }
}

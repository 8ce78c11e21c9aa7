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

/** Deciding against a measure as specified weighs the factors of 45 CFR 164.306(b)(2). */
export const weighs = (decision: Kind): boolean =>
  decision === 'equivalent-alternative' || decision === 'not-implemented'

/** What is missing of a decision, by field. Nothing is missing of one that can be sent. */
export function decisionLacks(decision: Kind, texts: DecisionTexts): Partial<Record<keyof DecisionTexts, string>> {
  const lacks: readonly (readonly [keyof DecisionTexts, boolean, string])[] = [
    ['reason', texts.reason.trim().length < 3, 'Say why.'],
    ['factors', weighs(decision) && texts.factors.trim() === '', 'Say what was weighed.'],
    [
      'alternativeMeasure',
      decision === 'equivalent-alternative' && texts.alternativeMeasure.trim() === '',
      'Say what is done in its place.',
    ],
    ['owner', texts.owner.trim() === '', 'Name who answers for it.'],
    ['requestedBy', texts.requestedBy.trim() === '', 'Name who asked for it.'],
    ['approvedBy', texts.approvedBy.trim() === '', 'Name who approved it.'],
    ['approverRole', texts.approverRole.trim() === '', 'Say in which role.'],
  ]
  return Object.fromEntries(lacks.flatMap(([field, missing, words]) => (missing ? [[field, words]] : [])))
}

/** The input of `decisions.set`: what a kind of decision does not ask for is not sent. */
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

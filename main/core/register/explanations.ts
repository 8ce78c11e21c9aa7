import type { ExplanationDraft } from '../../../schemas/ipc-packs.ts'
import type { Explanation, Register } from '../../../schemas/types.ts'
import { dayProblem, endOfDay } from '../base/days.ts'
import { sha256 } from '../base/digest.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { grouped } from '../base/grouping.ts'
import { oneLine, quote } from '../base/plain-text.ts'
import { cleanName } from './attachments.ts'
import { LONGEST_DAYS, type Moment, statusOf, takeBack, trimmed } from './register.ts'

/**
 * Explanations by named people of single isolation signals: cores disabled in firmware, the
 * serial number of a replaced board, a bit set by the vendor. They are printed next to the result, change no verdict and are not evaluated.
 */
export const explanationsOf = ({ explanations }: Pick<Register, 'explanations'>): readonly Explanation[] =>
  explanations ?? []

interface ExplanationFacts extends Moment {
  readonly hasSignal: (signal: string) => boolean
  readonly hasNode: (node: string) => boolean
}

/** Adds an explanation valid until the end of a date, with the digest of its document. Fails with input.refused and a message for the user. */
export function explain(
  register: Register,
  draft: ExplanationDraft,
  document: { readonly name: string; readonly bytes: Uint8Array },
  { now, id, hasSignal, hasNode }: ExplanationFacts,
): Outcome<Register> {
  const { signal, until } = draft
  const nodes = [...new Set(draft.nodes)]
  const texts = trimmed(draft, ['text', 'explainedBy', 'role'])
  if (!texts.ok) return texts
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the expiry of the explanation ${day}`)
  if (!hasSignal(signal)) return fail('input.refused', `there is no signal ${quote(signal)}; see “catalog signals”`)
  if (nodes.length === 0) return fail('input.refused', 'name at least one node')
  const strange = nodes.find((node) => !hasNode(node))
  if (strange !== undefined) return fail('input.refused', `there is no node ${quote(strange)}`)
  if (document.bytes.length === 0) return fail('input.refused', 'the document is empty')
  const entry: Explanation = {
    id,
    signal,
    nodes,
    ...texts.value,
    document: { name: cleanName(document.name), size: document.bytes.length, sha256: sha256(document.bytes) },
    explainedAt: now,
    expiresAt: endOfDay(until),
    withdrawn: null,
  }
  return ok({ ...register, explanations: [...explanationsOf(register), entry] })
}

/** Withdraws an explanation from now on; it remains listed. Fails with input.refused. */
export function withdrawExplanation(
  register: Register,
  draft: Parameters<typeof takeBack>[1],
  now: string,
): Outcome<Register> {
  const explanations = takeBack(explanationsOf(register), draft, now, 'explanation')
  return explanations.ok ? ok({ ...register, explanations: explanations.value }) : explanations
}

/** Explanations in effect for one node, by signal. */
export function explanationsFor(
  register: Pick<Register, 'explanations'>,
  node: string,
  asOf: string,
): ReadonlyMap<string, readonly Explanation[]> {
  const inForce = explanationsOf(register).filter(
    (entry) => entry.nodes.includes(node) && statusOf(entry, asOf) === 'in-force',
  )
  return grouped(inForce, ({ signal }) => [signal])
}

/** One explanation as a sentence: author, validity and document. */
export const explanationText = ({ text, explainedBy, role, explainedAt, expiresAt, document }: Explanation): string =>
  `Explained by ${oneLine(explainedBy, 200)}, ${oneLine(role, 200)}, on ${explainedAt.slice(0, 10)}, until ${expiresAt.slice(0, 10)}: ${oneLine(text, 2000)} Document ${quote(document.name, 255)}, SHA-256 ${document.sha256}. Not evaluated; no effect on any verdict.`

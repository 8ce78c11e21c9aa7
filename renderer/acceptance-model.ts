/** What a person enters for a risk acceptance; the last two are empty for a request. */
export const EMPTY_ACCEPTANCE = {
  reason: '',
  compensatingControl: '',
  owner: '',
  requestedBy: '',
  approvedBy: '',
  approverRole: '',
}
export type AcceptanceTexts = typeof EMPTY_ACCEPTANCE
type Field = keyof AcceptanceTexts

const PROBLEMS: Readonly<Record<Field, string>> = {
  reason: 'Enter a reason of at least 3 characters.',
  compensatingControl: 'Describe the compensating control, or enter “None” and the reason.',
  owner: 'Enter the owner.',
  requestedBy: 'Enter the requester.',
  approvedBy: 'Enter the approver.',
  approverRole: 'Enter the approver’s role.',
}
const SHORTEST: Readonly<Partial<Record<Field, number>>> = { reason: 3, compensatingControl: 3 }
const OF_APPROVAL: readonly Field[] = ['approvedBy', 'approverRole']

/** What is missing from an acceptance, or from a request for one, by field; empty when it can be sent. */
export function acceptanceLacks(texts: AcceptanceTexts, approved: boolean): Readonly<Partial<Record<Field, string>>> {
  const fields = (Object.keys(PROBLEMS) as Field[]).filter((name) => approved || !OF_APPROVAL.includes(name))
  return Object.fromEntries(
    fields.flatMap((name) => (texts[name].trim().length < (SHORTEST[name] ?? 1) ? [[name, PROBLEMS[name]]] : [])),
  )
}

import type { Resolution, Withdrawal } from '../../../schemas/types.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { type Approvable, keysProblem, signaturesOf } from '../../core/register/signatures.ts'
import { type EntryStatus, isOnePerson } from '../../core/register.ts'
import { type Cell, type Line, plainCell } from '../../core/report-document.ts'
import type { FactRows } from './declared.ts'
import { day, when } from './wording.ts'

const ROLES = { requester: 'requester', approver: 'approver', respondent: 'respondent' } as const

/** Keys that signed an entry, or that it is not signed. Signatures are checked when the pack is verified, not here. */
function signatureCell(entry: Approvable): Cell {
  const signatures = signaturesOf(entry)
  if (signatures.length === 0) return plainCell('Not digitally signed; approval not independently evidenced.')
  const problem = keysProblem(entry)
  return [
    ...signatures.flatMap(({ role, fingerprint, at }): readonly Line[] => [
      { text: `By the ${ROLES[role]}, ${when(at)}, key of certificate SHA-256` },
      { text: plain(fingerprint, 64), style: 'mono' },
    ]),
    ...(problem === null ? [] : [{ text: `Signature mismatch: ${problem}.`, style: 'strong' } as const]),
  ]
}

/** Requester and approver of an entry, and the keys that signed it. */
export function peopleRows(entry: Approvable): FactRows {
  const approved: FactRows = 'approvedBy' in entry ? [{ label: 'Approved by', value: approverCell(entry) }] : []
  return [
    { label: 'Requested by', value: plainCell(oneLine(entry.requestedBy, 200)) },
    ...approved,
    { label: 'Signed', value: signatureCell(entry) },
  ]
}

type Approved = Extract<Approvable, { readonly approvedBy: string }>

function approverCell(entry: Approved): Cell {
  const role = entry.approverRole
  const name = oneLine(entry.approvedBy, 200)
  return [
    { text: role === undefined ? name : `${name}, ${oneLine(role, 200)}` },
    ...(isOnePerson(entry)
      ? [{ text: 'Requested and approved by the same person (no segregation of duties)', style: 'strong' } as const]
      : []),
  ]
}

const LASTS: Readonly<Record<EntryStatus, string>> = {
  'in-force': 'In effect until the end of',
  'not-begun': 'Not yet effective at the evaluation date; valid until the end of',
  expired: 'Expired at the end of',
  withdrawn: 'Withdrawn; was valid until the end of',
}

/** Status of a risk acceptance or decision, with its expiry. */
export const lasts = (status: EntryStatus, expiresAt: string): string => `${LASTS[status]} ${day(expiresAt)}, UTC`

/** When and by whom an entry was withdrawn or resolved, and the reason. */
export const withdrawal = ({ at, by, reason }: Withdrawal | Resolution): string =>
  `${when(at)}, by ${oneLine(by, 200)}${reason === null ? '' : `: ${oneLine(reason)}`}`

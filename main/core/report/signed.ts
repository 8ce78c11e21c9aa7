import type { Settlement, Withdrawal } from '../../../schemas/types.ts'
import { oneLine, plain } from '../plain-text.ts'
import { keysProblem, type Signable, signaturesOf } from '../register/signatures.ts'
import { isOnePerson, type Standing } from '../register.ts'
import type { FactRows } from './declared.ts'
import { type Cell, type Line, plainCell } from './model.ts'
import { day, when } from './wording.ts'

const ROLES = { requester: 'who asked', approver: 'who approved' } as const

/** Whose keys signed an entry, or that nobody signed it. Whether a signature fits is for whoever verifies the pack. */
function signatureCell(entry: Signable): Cell {
  const signatures = signaturesOf(entry)
  if (signatures.length === 0)
    return plainCell('Nobody signed this entry with a key of their own. It stands as it was typed.')
  const problem = keysProblem(entry)
  return [
    ...signatures.flatMap(({ role, fingerprint, at }): readonly Line[] => [
      { text: `As ${ROLES[role]}, ${when(at)}, by the key of certificate SHA-256` },
      { text: plain(fingerprint, 64), style: 'mono' },
    ]),
    ...(problem === null ? [] : [{ text: `It does not fit: ${problem}.`, style: 'strong' } as const]),
  ]
}

/** Who asked for an entry, who approved it, and which keys signed it. */
export function peopleRows(entry: Signable): FactRows {
  const approved: FactRows = 'approvedBy' in entry ? [{ label: 'Approved by', value: approverCell(entry) }] : []
  return [
    { label: 'Requested by', value: plainCell(oneLine(entry.requestedBy, 200)) },
    ...approved,
    { label: 'Signed', value: signatureCell(entry) },
  ]
}

type Approved = Extract<Signable, { readonly approvedBy: string }>

function approverCell(entry: Approved): Cell {
  const role = entry.approverRole
  const name = oneLine(entry.approvedBy, 200)
  return [
    { text: role === undefined ? name : `${name}, ${oneLine(role, 200)}` },
    ...(isOnePerson(entry) ? [{ text: 'Requested and approved by the same person', style: 'strong' } as const] : []),
  ]
}

const LASTS: Readonly<Record<Standing, string>> = {
  'in-force': 'In force until the end of',
  'not-begun': 'Made after the moment of this report, so it counts for nothing here; it is to last until the end of',
  expired: 'Ended at the end of',
  withdrawn: 'Withdrawn; it was to last until the end of',
}
/** How an exception or a decision stands, and until when. */
export const lasts = (standing: Standing, expiresAt: string): string => `${LASTS[standing]} ${day(expiresAt)}, UTC`

/** When something was taken back or settled, by whom and why. */
export const withdrawal = ({ at, by, reason }: Withdrawal | Settlement): string =>
  `${when(at)}, by ${oneLine(by, 200)}${reason === null ? '' : `: ${oneLine(reason)}`}`

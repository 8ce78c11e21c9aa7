import type { ReviewFinding } from '../../schemas/ipc-packs.ts'
import { day, visible, when } from '../text.ts'

/** What management states about a finding, and whether a person signed it. A response changes no verdict. */
export function ManagementResponse({ finding: { status, response } }: { readonly finding: ReviewFinding }) {
  if (response === null) return <p>None recorded. Status: {status}.</p>
  const { statedBy, statedAt, owner, due, plan, cause, isSigned, isOverdue } = response
  return (
    <>
      <p>
        {status}. Stated by {visible(statedBy)}, {when(statedAt)},{' '}
        {isSigned ? 'digitally signed' : 'not digitally signed'}.
      </p>
      <p>
        {owner === null ? 'Owner not assigned' : `Owner: ${visible(owner)}`}
        {due !== null && `, due ${day(due)}${isOverdue ? ' (overdue)' : ''}`}.
      </p>
      {plan !== null && <p>Plan: {visible(plan)}</p>}
      {cause !== null && <p>Cause: {visible(cause)}</p>}
    </>
  )
}

import type { FindingRow } from '../../schemas/ipc-findings.ts'
import { day, visible, when } from '../text.ts'

/** What management states about a finding, and whether a person signed it. A response changes no verdict. */
export function ManagementResponse({ finding: { statusText, response, isOverdue } }: { readonly finding: FindingRow }) {
  if (response === null) return <p>None recorded. Status: {visible(statusText)}.</p>
  const { statedBy, statedAt, owner, due, plan, cause, isSigned } = response
  return (
    <>
      <p>
        {visible(statusText)}. Stated by {visible(statedBy)}, {when(statedAt)},{' '}
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

import { isSamePerson } from '../attach-model.ts'
import { Notice } from '../ui/Notice.tsx'

export interface SamePersonProps {
  readonly requestedBy: string
  readonly approvedBy: string
}

/** States before an approval is recorded what every report will state of it; nothing where two people are named. */
export const SamePerson = ({ requestedBy, approvedBy }: SamePersonProps) =>
  isSamePerson(approvedBy, requestedBy) && (
    <Notice
      kind="warning"
      title="Requester and approver are the same person."
      means="The report will print: no segregation of duties."
    />
  )

import { today } from '@internationalized/date'
import { isSamePerson } from '../attach-model.ts'
import { DateField } from '../ui/DateField.tsx'
import { Notice } from '../ui/Notice.tsx'

/** Longest period of an acceptance or decision: days after today, in UTC. */
const LONGEST_DAYS = 366

export interface UntilFieldProps {
  readonly label: string
  /** A date in UTC, YYYY-MM-DD; empty while none is selected. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Whether the form was submitted, so that a missing date is reported. */
  readonly tried: boolean
}

/** The expiry date of an acceptance or decision. */
export const UntilField = ({ label, value, onChange, tried }: UntilFieldProps) => (
  <DateField
    label={label}
    description={`At most ${LONGEST_DAYS} days from today.`}
    value={value}
    onChange={onChange}
    min={daysFromToday(1)}
    max={daysFromToday(LONGEST_DAYS)}
    error={tried && value === '' ? 'Choose an expiry date.' : undefined}
    isRequired
  />
)

export const daysFromToday = (days: number): string => today('UTC').add({ days }).toString()

interface SamePersonProps {
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

import { today } from '@internationalized/date'
import { DateField } from '../ui/DateField.tsx'

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

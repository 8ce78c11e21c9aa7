import { today } from '@internationalized/date'
import { DateField } from '../ui/DateField.tsx'

/** Nobody accepts or decides anything for longer: days after today, in UTC. */
const LONGEST_DAYS = 366

export interface UntilFieldProps {
  readonly label: string
  /** A day in UTC, YYYY-MM-DD; empty while none is chosen. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Whether somebody tried to go on, so that a missing day is told. */
  readonly tried: boolean
}

/** The last day of something that people accept or decide. */
export const UntilField = ({ label, value, onChange, tried }: UntilFieldProps) => (
  <DateField
    label={label}
    description={`At most ${LONGEST_DAYS} days from today.`}
    value={value}
    onChange={onChange}
    min={daysFromToday(1)}
    max={daysFromToday(LONGEST_DAYS)}
    error={tried && value === '' ? 'Choose the day on which it ends.' : undefined}
    isRequired
  />
)

export const daysFromToday = (days: number): string => today('UTC').add({ days }).toString()

import { type CalendarDate, parseDate } from '@internationalized/date'
import { IconCalendar, IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import {
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DatePicker,
  DateSegment,
  Dialog,
  Group,
  Heading,
  I18nProvider,
  Popover,
  Button as Press,
} from 'react-aria-components'
import { day } from '../models/text.ts'
import { FieldLabel, FieldNotes, type FieldWords } from './Field.tsx'
import { Icon } from './Icon.tsx'

interface DateFieldProps extends FieldWords {
  /** A day in UTC, YYYY-MM-DD; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** First and last day that can be chosen, YYYY-MM-DD. */
  readonly min?: string
  readonly max?: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const dayOf = (value: string | undefined): CalendarDate | null =>
  value !== undefined && DAY.test(value) ? parseDate(value) : null

/**
 * A date in UTC, typed as year, month and day, or selected. The month is spelled out next to it, so that the order is
 * clear.
 */
export function DateField({ label, description, error, value, onChange, min, max, ...rest }: DateFieldProps) {
  const [first, last] = [dayOf(min), dayOf(max)]
  return (
    <I18nProvider locale="en-CA">
      <DatePicker
        className="field date-field"
        isInvalid={error !== undefined}
        validationBehavior="aria"
        value={dayOf(value)}
        onChange={(chosen) => onChange(chosen === null ? '' : chosen.toString())}
        shouldForceLeadingZeros
        {...(first === null ? {} : { minValue: first })}
        {...(last === null ? {} : { maxValue: last })}
        {...rest}
      >
        <FieldLabel label={label} isRequired={rest.isRequired} />
        <Group className="input-group">
          <DateInput className="input date-input">
            {(segment) => <DateSegment segment={segment} className="date-segment" />}
          </DateInput>
          <Press className="stepper">
            <Icon of={IconCalendar} size={16} />
          </Press>
        </Group>
        <FieldNotes
          description={
            <>
              {value === '' ? 'Year, month, day, in UTC.' : `${day(value)}, in UTC.`} {description}
            </>
          }
          error={error}
        />
        <Popover className="popover">
          <Dialog className="calendar-dialog">
            <Calendar className="calendar">
              <header className="calendar-head">
                <Press slot="previous" className="button quiet icon-only">
                  <Icon of={IconChevronLeft} size={16} />
                </Press>
                <Heading className="calendar-title" />
                <Press slot="next" className="button quiet icon-only">
                  <Icon of={IconChevronRight} size={16} />
                </Press>
              </header>
              <CalendarGrid className="calendar-grid">
                {(date) => <CalendarCell date={date} className="calendar-cell" />}
              </CalendarGrid>
            </Calendar>
          </Dialog>
        </Popover>
      </DatePicker>
    </I18nProvider>
  )
}

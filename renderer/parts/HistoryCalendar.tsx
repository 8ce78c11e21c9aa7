import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { HistoryDay, HistoryView } from '../../schemas/ipc-history.ts'
import { dayReached, type Month, monthsOf, WEEKDAYS } from '../models/history-calendar.ts'
import { DAY_STATES, type DayState, daySentence, dayShort, dayState, dayStateWords } from '../models/history-model.ts'
import { MarkedLine, Shape } from './Mark.tsx'

interface HistoryCalendarProps {
  readonly view: HistoryView
  readonly selected: string
  readonly onSelect: (day: string) => void
}

const MOVES = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'])

/** One mark per day, month by month: one Tab stop, arrow keys inside, Enter shows the day. */
export function HistoryCalendar({ view, selected, onSelect }: HistoryCalendarProps) {
  const { days, today } = view
  const months = useMemo(() => monthsOf(days), [days])
  const shown = useMemo(() => new Set(days.map((one) => dayState(one, today))), [days, today])
  const [at, setAt] = useState(selected)
  const moved = useRef(false)
  const grid = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!moved.current) return
    moved.current = false
    grid.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus()
  }, [at])
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter' || event.key === ' ') onSelect(at)
    else if (MOVES.has(event.key)) {
      moved.current = true
      setAt(dayReached(at, event.key, view))
    } else return
    event.preventDefault()
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: months side by side are one grid, which no table can be */}
      <div role="grid" ref={grid} className="history-calendar" aria-label="Calendar" aria-readonly onKeyDown={press}>
        {months.map((month) => (
          <MonthGrid
            key={month.id}
            month={month}
            today={today}
            at={at}
            selected={selected}
            onPick={(day) => {
              setAt(day)
              onSelect(day)
            }}
          />
        ))}
      </div>
      <DayLegend shown={shown} />
    </>
  )
}

interface MonthGridProps {
  readonly month: Month
  readonly today: string
  readonly at: string
  readonly selected: string
  readonly onPick: (day: string) => void
}

function MonthGrid({ month, today, at, selected, onPick }: MonthGridProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div role="rowgroup" className="history-month" aria-label={month.title}>
      <Row className="history-month-title">
        {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: a heading takes no focus; the days do */}
        <span role="columnheader" aria-colspan={7}>
          {month.title}
        </span>
      </Row>
      <Row className="history-week history-weekdays">
        {WEEKDAYS.map((name) => (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          // biome-ignore lint/a11y/useFocusableInteractive: a heading takes no focus; the days do
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </Row>
      {month.weeks.map((week, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: weeks of a month never move
        <Row key={index} className="history-week">
          {week.map((one, place) =>
            one === null ? (
              // biome-ignore lint/a11y/useSemanticElements: see the grid
              // biome-ignore lint/a11y/useFocusableInteractive: there is nothing here
              // biome-ignore lint/suspicious/noArrayIndexKey: places of a week never move
              <span key={place} role="gridcell" className="history-day out" />
            ) : (
              <Day
                key={one.day}
                one={one}
                today={today}
                isAt={one.day === at}
                isSelected={one.day === selected}
                onPick={onPick}
              />
            ),
          )}
        </Row>
      ))}
    </div>
  )
}

const Row = ({ className, children }: { readonly className: string; readonly children: React.ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: see the grid
  // biome-ignore lint/a11y/useFocusableInteractive: its days take the focus
  <div role="row" className={className}>
    {children}
  </div>
)

interface DayProps {
  readonly one: HistoryDay
  readonly today: string
  readonly isAt: boolean
  readonly isSelected: boolean
  readonly onPick: (day: string) => void
}

function Day({ one, today, isAt, isSelected, onPick }: DayProps) {
  const state = dayState(one, today)
  const { mark, tone } = dayStateWords[state]
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys
    <span
      role="gridcell"
      className={`history-day ${state}`}
      tabIndex={isAt ? 0 : -1}
      data-day={one.day}
      aria-selected={isSelected}
      aria-label={daySentence(one, today)}
      {...(one.day === today ? { 'aria-current': 'date' as const } : {})}
      onClick={() => onPick(one.day)}
    >
      <span className="history-date number">{Number(one.day.slice(8))}</span>
      <Shape mark={mark} tone={tone} />
      <span className="history-short number">
        <Short text={dayShort(one, today)} />
      </span>
    </span>
  )
}

/** Counts of three digits do not fit side by side, so the second one may be on a second line. */
function Short({ text }: { readonly text: string }) {
  const [part, whole] = text.split('/')
  return whole === undefined ? (
    text
  ) : (
    <>
      {part}/<wbr />
      {whole}
    </>
  )
}

/** The legend below the calendar, for the marks it shows. */
function DayLegend({ shown }: { readonly shown: ReadonlySet<DayState> }) {
  return (
    <dl className="legend" aria-label="Legend">
      {DAY_STATES.filter((state) => state !== 'to-come' && shown.has(state)).map((state) => (
        <div key={state}>
          <dt>
            <MarkedLine {...dayStateWords[state]} />
          </dt>
          <dd>{dayStateWords[state].meaning}</dd>
        </div>
      ))}
    </dl>
  )
}

import { DAY_STATES, type DayState, dayStateWords } from '../history-model.ts'
import { Shape } from './Mark.tsx'

/** The status of a day, as mark and label. */
export function DayMark({ state }: { readonly state: DayState }) {
  const { label, mark, tone } = dayStateWords[state]
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{label}</span>
    </span>
  )
}

/** The legend below the calendar, for the marks it shows. */
export function DayLegend({ shown }: { readonly shown: ReadonlySet<DayState> }) {
  return (
    <dl className="legend" aria-label="Legend">
      {DAY_STATES.filter((state) => state !== 'to-come' && shown.has(state)).map((state) => (
        <div key={state}>
          <dt>
            <DayMark state={state} />
          </dt>
          <dd>{dayStateWords[state].meaning}</dd>
        </div>
      ))}
    </dl>
  )
}

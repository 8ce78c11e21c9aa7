import { DAY_STATES, type DayState, dayStateWords } from '../history-model.ts'
import { Shape } from './Mark.tsx'

/** What a day shows, as mark and word. */
export function DayMark({ state }: { readonly state: DayState }) {
  const { label, mark, tone } = dayStateWords[state]
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{label}</span>
    </span>
  )
}

/** The key to the marks, below the calendar: those that it shows. */
export function DayLegend({ shown }: { readonly shown: ReadonlySet<DayState> }) {
  return (
    <dl className="legend" aria-label="What the marks mean">
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

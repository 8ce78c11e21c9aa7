import { useState } from 'react'
import type { AssessmentView, ControlView, FrameworkView, Source } from '../../schemas/ipc-views.ts'
import type { ControlAssessment } from '../../schemas/types.ts'
import { CONTROL_STATES, type ControlState, controlStateWords } from '../../schemas/words.ts'
import { useAnswer } from '../bridge.ts'
import { Ask } from '../parts/Ask.tsx'
import { ControlEntry } from '../parts/ControlEntry.tsx'
import { StateMark } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { useStore } from '../store.ts'

/** Every row of a framework: its state, what supports it, what the evidence does not show, and what else is needed. */
export function Controls({ of }: { readonly of: Source }) {
  const { runs } = useStore()
  const answer = useAnswer('assessment.get', { of }, runs)
  return (
    <Ask answer={answer}>
      {(view) =>
        view === null || view.frameworks.length === 0 ? (
          <Page title="Controls">
            <p className="empty">
              Here will be every row of the chosen frameworks. There is no evidence yet: no run has finished.
            </p>
          </Page>
        ) : (
          <Rows view={view} of={of} />
        )
      }
    </Ask>
  )
}

interface Row {
  readonly control: ControlView
  readonly found: ControlAssessment | null
  readonly state: ControlState
}

const rowsOf = (view: AssessmentView, framework: FrameworkView): readonly Row[] => {
  const found = new Map(
    view.assessment.controls.filter((one) => one.framework === framework.id).map((one) => [one.control, one]),
  )
  return framework.controls.map((control) => {
    const own = found.get(control.key) ?? null
    return { control, found: own, state: own?.state ?? 'insufficient-evidence' }
  })
}

function Rows({ view, of }: { readonly view: AssessmentView; readonly of: Source }) {
  const [chosen, setChosen] = useState(view.frameworks[0]?.id)
  const [only, setOnly] = useState<ControlState | 'all'>('all')
  const framework = view.frameworks.find(({ id }) => id === chosen)
  if (framework === undefined) return null
  const rows = rowsOf(view, framework)
  const shown = rows.filter(({ state }) => only === 'all' || state === only)
  const groups = [...new Set(shown.map(({ control }) => control.group))]
  return (
    <Page
      title="Controls"
      over={of === 'pack' ? 'As stated in the pack' : 'What the evidence supports'}
      under="The requirement is cited; its text here is our summary, not legal advice."
    >
      <fieldset className="tabs" aria-label="Framework">
        {view.frameworks.map(({ id, title }) => (
          <button key={id} type="button" aria-pressed={id === chosen} onClick={() => setChosen(id)}>
            {title}
          </button>
        ))}
      </fieldset>
      {framework.overlay && (
        <p className="banner">
          A proposal, not in force: shown apart, and never part of a current result. {framework.status}
        </p>
      )}
      <fieldset className="filter" aria-label="Show only one state">
        <button type="button" aria-pressed={only === 'all'} onClick={() => setOnly('all')}>
          All {rows.length}
        </button>
        {CONTROL_STATES.filter((state) => rows.some((row) => row.state === state)).map((state) => (
          <button
            key={state}
            type="button"
            aria-pressed={only === state}
            title={controlStateWords[state].meaning}
            onClick={() => setOnly(state)}
          >
            <StateMark state={state} /> {rows.filter((row) => row.state === state).length} of {rows.length}
          </button>
        ))}
      </fieldset>
      {groups.map((group) => (
        <section key={group} aria-label={group} className="group">
          <h2>{group}</h2>
          {shown
            .filter(({ control }) => control.group === group)
            .map(({ control, found, state }) => (
              <ControlEntry key={control.key} control={control} found={found} state={state} view={view} />
            ))}
        </section>
      ))}
    </Page>
  )
}

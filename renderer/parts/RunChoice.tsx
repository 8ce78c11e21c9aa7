import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { change, outdated, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Select } from '../ui/Select.tsx'

/** The run that is shown; an earlier run is re-evaluated as of now. */
export function RunChoice({ view }: { readonly view: AssessmentView }) {
  const { runs } = useStore()
  const answer = useAnswer('runs.list', null, runs)
  const open = useAction('runs.open')
  const listed = answer.state === 'here' ? answer.value : []
  if (listed.length < 2) return <> · Run {visible(view.run)}</>
  const show = async (run: string): Promise<void> => {
    if (run === view.run) return
    if ((await open.run({ run })) !== null) outdated()
  }
  return (
    <span className="run-choice">
      <Select
        hideLabel
        label="Run"
        value={view.run}
        isDisabled={open.busy}
        onChange={(run) => {
          change({ problem: null })
          void show(run)
        }}
        options={listed.map(({ run, at, nodes, complete }, index) => ({
          id: run,
          title: `${index === 0 ? 'Latest run' : 'Run'}, ${when(at)}`,
          note: `${complete} of ${plural(nodes, 'node')} collected`,
        }))}
      />
      {open.error !== null && <span role="alert">Could not open the run: {visible(open.error.detail)}</span>}
    </span>
  )
}

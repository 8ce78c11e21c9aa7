import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { change, outdated, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Select } from '../ui/Select.tsx'

/** The run that is shown; an earlier run is re-evaluated as of now. */
export function RunChoice({ run: current }: { readonly run: string }) {
  const { runs } = useStore()
  const answer = useAnswer('runs.list', null, runs)
  const open = useAction('runs.open')
  const listed = answer.state === 'here' ? answer.value : []
  if (listed.length < 2) return <> · Run {visible(current)}</>
  const show = async (run: string): Promise<void> => {
    if (run === current) return
    if ((await open.run({ run })) !== null) outdated()
  }
  return (
    <span className="run-choice">
      <Select
        hideLabel
        label="Run"
        value={current}
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

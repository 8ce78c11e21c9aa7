import { useState } from 'react'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { change, outdated, useStore } from '../store.ts'
import { may } from '../team.ts'
import { plural, visible, when } from '../text.ts'
import { Select } from '../ui/Select.tsx'
import { OpeningRun } from './OpeningRun.tsx'

/** The run that is shown; an earlier run is re-evaluated as of now. */
export function RunChoice({ run: current }: { readonly run: string }) {
  const { runs } = useStore()
  const answer = useAnswer('runs.list', null, runs)
  const open = useAction('runs.open')
  const [wanted, setWanted] = useState(current)
  const listed = answer.state === 'here' ? answer.value : []
  if (listed.length < 2 || !may('runs.open')) return <> · Run {visible(current)}</>
  const show = async (run: string): Promise<void> => {
    if (run === current) return
    setWanted(run)
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
      {open.busy && <OpeningRun run={wanted} />}
      {open.error?.code === 'run.not-opened' && <span role="status">Opening cancelled.</span>}
      {open.error !== null && open.error.code !== 'run.not-opened' && (
        <span role="alert">Could not open the run: {visible(open.error.detail)}</span>
      )}
    </span>
  )
}

import { useState } from 'react'
import type { Route } from '../models/routes.ts'
import { may } from '../models/team.ts'
import { plural, visible, when } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { change, go, outdated, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { FailureNote } from './Ask.tsx'
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

interface ShowRunProps {
  readonly run: string
  /** The screen that is opened once the run is shown. */
  readonly to: Route
  /** The label of the button. */
  readonly title: string
  readonly small?: boolean
}

/** Makes an earlier run the one that is shown, and opens one of its screens. */
export function ShowRun({ run, to, title, small = false }: ShowRunProps) {
  const open = useAction('runs.open')
  const show = async (): Promise<void> => {
    if ((await open.run({ run })) === null) return
    outdated()
    go(to)
  }
  return (
    <div>
      <div className="actions">
        <Button small={small} busy={open.busy} onPress={() => void show()}>
          {title}
        </Button>
      </div>
      {open.busy && <OpeningRun run={run} />}
      {open.error !== null && <FailureNote error={open.error} />}
    </div>
  )
}

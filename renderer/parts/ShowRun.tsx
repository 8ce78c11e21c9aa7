import { useAction } from '../actions.ts'
import type { Route } from '../routes.ts'
import { go, outdated } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { FailureNote } from './Ask.tsx'
import { OpeningRun } from './OpeningRun.tsx'

interface ShowRunProps {
  readonly run: string
  /** What is opened once the run is the one that is shown. */
  readonly to: Route
  /** Words of the button. */
  readonly title: string
  readonly small?: boolean
}

/** Makes an earlier run the one that is shown, and opens a screen of it. */
export function ShowRun({ run, to, title, small = false }: ShowRunProps) {
  const open = useAction('runs.open')
  const show = async (): Promise<void> => {
    if ((await open.run({ run })) === null) return
    outdated()
    go(to)
  }
  return (
    <div className="show-run">
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

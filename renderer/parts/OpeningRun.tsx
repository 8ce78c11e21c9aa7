import { useLate } from '../models/measure.ts'
import { plural } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { type Opening, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Progress } from '../ui/Notice.tsx'

/** Progress of reading the recordings of a run, then of evaluating them. */
export function OpeningProgress({ opening: { step, done, total } }: { readonly opening: Opening }) {
  const does = step === 'reading' ? 'Reading recordings' : 'Evaluating recordings'
  return (
    <Progress
      label={does}
      value={total === 0 ? null : done}
      max={total}
      words={total === 0 ? does : `${done} of ${plural(total, 'node')}`}
      showWords={total !== 0}
    />
  )
}

/** A small run is opened within this time, so that nothing flickers. */
const PATIENCE_MS = 400

const STARTING: Opening = { step: 'reading', done: 0, total: 0 }

/** A chosen run that is being opened. If this is cancelled, the run that is shown remains. */
export function OpeningRun({ run }: { readonly run: string }) {
  const { loading } = useStore()
  const stop = useAction('runs.stop-opening')
  const isLate = useLate(PATIENCE_MS)
  if (!isLate) return null
  return (
    <div className="opening-run">
      <OpeningProgress opening={loading?.run === run ? loading : STARTING} />
      <Button small busy={stop.busy} onPress={() => void stop.run(null)}>
        Cancel
      </Button>
    </div>
  )
}

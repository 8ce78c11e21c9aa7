import { failureWords } from '../../schemas/failure-words.ts'
import { useAnswer } from '../bridge.ts'
import { outdated, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { OwnPage } from './Page.tsx'
import { RunChoice } from './RunChoice.tsx'

/** In place of results whose evaluation as of another day was cancelled: begins it again, or opens another run. */
export function NotEvaluated() {
  const { runs } = useStore()
  const listed = useAnswer('runs.list', null, runs)
  const { title, meaning, next } = failureWords['run.not-evaluated']
  const shown = listed.state === 'here' && listed.value.length > 1 ? listed.value.find(({ open }) => open) : undefined
  return (
    <OwnPage title="Results">
      <Notice
        interrupts
        title={title}
        means={meaning}
        next={shown === undefined ? next : `${next} You can also choose another run.`}
        actions={
          <>
            <Button kind="primary" autoFocus onPress={outdated}>
              Evaluate results
            </Button>
            {shown !== undefined && <RunChoice run={shown.run} />}
          </>
        }
      />
    </OwnPage>
  )
}

import { createContext, type ReactNode, useContext } from 'react'
import { failureWords, nextInWindow, nextOnServer } from '../../schemas/failure-words.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { useLate, useSeconds } from '../models/measure.ts'
import { may, signedIn } from '../models/team.ts'
import { plural, sentence, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import type { Answer } from '../state/bridge.ts'
import { type Evaluating, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Notice, Progress } from '../ui/Notice.tsx'
import { OwnPage } from './Page.tsx'

/** Delay before a waiting text is shown, so that fast results do not flicker. */
const PATIENCE_MS = 300

/** Shows the result of a call, a waiting text, or the failure. */
export function Ask<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T>
  readonly children: (value: T) => ReactNode
}) {
  if (answer.state === 'waiting') return <Waiting />
  if (answer.state === 'failed') return <FailureNote error={answer.error} />
  return children(answer.value)
}

/** A waiting text, after a moment; while results are being evaluated, the progress of that. */
export function Waiting() {
  const { evaluating } = useStore()
  const late = useLate(PATIENCE_MS)
  if (late && evaluating !== null) return <EvaluatingResults {...evaluating} />
  return late ? <p className="waiting">Loading…</p> : <p className="waiting" />
}

/** A team server evaluates for everyone who waits, so one person cannot cancel it for the others. */
const mayStop = (): boolean => may('runs.stop-evaluating')

const EvaluatingResults = (evaluating: Evaluating) => (
  <OwnPage title="Results">
    <div className="run-head">
      <EvaluatingProgress {...evaluating} />
      <p className="quiet">
        Results of an earlier evaluation are not shown meanwhile.
        {!mayStop() && ' The server evaluates them once for everyone; it cannot be cancelled here.'}
      </p>
      {mayStop() && (
        <div className="actions">
          <CancelEvaluation />
        </div>
      )}
    </div>
  </OwnPage>
)

const EvaluatingProgress = ({ done, total }: Evaluating) => (
  <Progress
    label="Evaluating results as of today"
    value={done}
    max={total}
    words={`${done} of ${plural(total, 'node')}`}
  />
)

/** Cancels the evaluation in progress. Not shown to people who may not. */
export function CancelEvaluation() {
  const stop = useAction('runs.stop-evaluating')
  if (!mayStop()) return null
  return (
    <Button small busy={stop.busy} onPress={() => void stop.run(null)}>
      Cancel
    </Button>
  )
}

/** The evaluation that a change on this screen waits for, with its progress; null where there is none. */
export function EvaluatingChange({ isBusy }: { readonly isBusy: boolean }) {
  const { evaluating } = useStore()
  if (!isBusy || evaluating === null) return null
  return (
    <div className="opening-run">
      <EvaluatingProgress {...evaluating} />
      <CancelEvaluation />
    </div>
  )
}

/** Like Ask, for slow calls: shows the activity after a second. */
export function Slowly<T>({
  answer,
  does,
  children,
}: {
  readonly answer: Answer<T>
  /** Activity, such as “Comparing runs”. */
  readonly does: string
  readonly children: (value: T) => ReactNode
}) {
  return answer.state === 'waiting' ? <Doing does={does} /> : <Ask answer={answer}>{children}</Ask>
}

function Doing({ does }: { readonly does: string }) {
  const seconds = useSeconds()
  return seconds === 0 ? (
    <p className="waiting" />
  ) : (
    <div className="run-head">
      <Progress label={does} value={null} words={`${seconds} s elapsed`} />
    </div>
  )
}

/** What replaces results whose evaluation was cancelled; null before the code of all screens is loaded. */
export const Unevaluated = createContext<ReactNode>(null)

/**
 * An expected failure: what happened, the effect on the evidence, what to do; technical detail is folded. What was
 * refused in an input is no such detail: without it, no one can correct it.
 */
export function FailureNote({ error }: { readonly error: CallFailure }) {
  const unevaluated = useContext(Unevaluated)
  if (error.code === 'run.not-evaluated' && unevaluated !== null) return unevaluated
  const { title, meaning } = failureWords[error.code]
  return (
    <Notice
      kind="failure"
      interrupts
      title={error.node === undefined ? title : `${title} (${visible(error.node)})`}
      means={error.code === 'input.refused' ? `${sentence(visible(error.detail))} ${meaning}` : meaning}
      next={signedIn() === null ? nextInWindow(error.code) : nextOnServer(error.code)}
      detail={`${error.code}: ${visible(error.detail)}`}
    />
  )
}

/** Shown in a section that another person saved while it was edited here. */
export function AlsoChanged({ onReplace, onTake }: { readonly onReplace: () => void; readonly onTake: () => void }) {
  return (
    <Notice
      kind="warning"
      interrupts
      title="Another person saved this section meanwhile."
      means="Your input is not saved yet."
      actions={
        <>
          <Button small onPress={onReplace}>
            Replace theirs with mine
          </Button>
          <Button small onPress={onTake}>
            Discard mine
          </Button>
        </>
      }
    />
  )
}

import { STEP_TITLES, STEPS, type Step } from '../seal-model.ts'
import { Button } from '../ui/Button.tsx'

/** The steps of an export, in order, with the current one marked. A step that cannot be opened yet is text. */
export function StepList({
  current,
  reachable,
  onGo,
}: {
  readonly current: Step
  readonly reachable: (step: Step) => boolean
  readonly onGo: (step: Step) => void
}) {
  return (
    <nav aria-label="Export steps">
      <ol className="export-steps">
        {STEPS.map((step, place) => (
          <li key={step} className="export-step" aria-current={step === current ? 'step' : undefined}>
            <span className="export-step-number number">{place + 1}</span>
            {step !== current && reachable(step) ? (
              <Button kind="link" onPress={() => onGo(step)}>
                {STEP_TITLES[step]}
              </Button>
            ) : (
              <span>{STEP_TITLES[step]}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

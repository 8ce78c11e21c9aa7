import { IconPlayerStop } from '@tabler/icons-react'
import {
  VERIFICATION_CHECKS,
  VERIFICATION_STEPS,
  verificationCheckWords,
  verificationStepWords,
} from '../../schemas/verification.ts'
import { useLate } from '../models/measure.ts'
import { visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { type Verifying as Going, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Progress } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { AnswerMark, MarkedLine, Shape } from './Mark.tsx'

/** A small pack is opened within this time, so that nothing flickers. */
const PATIENCE_MS = 400

/**
 * The verification in progress with its steps, counts and concluded checks; it can be stopped. No overall result is
 * shown before all checks are concluded.
 */
export function Verifying() {
  const { verifying } = useStore()
  return verifying === null ? null : <Steps key={verifying.file} going={verifying} />
}

function Steps({ going: { file, step, done, total, results } }: { readonly going: Going }) {
  const isLate = useLate(PATIENCE_MS)
  const stop = useAction('pack.stop')
  if (!isLate) return null
  const at = VERIFICATION_STEPS.indexOf(step)
  return (
    <section className="verifying" aria-label="Verification in progress">
      <Progress
        label={`Verifying ${visible(file)}`}
        value={total === 0 ? null : done}
        max={total}
        words={countOf({ step, done, total })}
      />
      <ul className="verifying-checks" aria-label="Checks">
        {VERIFICATION_CHECKS.map((check) => {
          const found = results.find((one) => one.check === check)
          return (
            <li key={check}>
              {found === undefined ? (
                <Shape mark="dotted-ring" tone="not-tested" />
              ) : (
                <AnswerMark outcome={found.outcome} />
              )}
              <span>{verificationCheckWords[check].label}</span>
              <span className="quiet">{found?.word ?? 'Not concluded yet'}</span>
            </li>
          )
        })}
      </ul>
      <p className="quiet">The overall result is shown when all checks are concluded.</p>
      <ol className="verifying-steps">
        {VERIFICATION_STEPS.map((one, place) => (
          <li key={one} aria-current={place === at ? 'step' : undefined}>
            <MarkedLine
              mark={place < at ? 'dot' : place === at ? 'disc-half' : 'dotted-ring'}
              tone="not-tested"
              label={verificationStepWords[one].does}
            />
          </li>
        ))}
      </ol>
      <Button icon={IconPlayerStop} busy={stop.busy} onPress={() => void stop.run(null)}>
        Stop verification
      </Button>
      {stop.error !== null && <FailureNote error={stop.error} />}
    </section>
  )
}

/** “512 of 1979 files”, or the activity where nothing is counted. */
const countOf = ({ step, done, total }: Omit<Going, 'file' | 'results'>): string => {
  const { does, of } = verificationStepWords[step]
  return total === 0 ? does : `${done} of ${total} ${of}`
}

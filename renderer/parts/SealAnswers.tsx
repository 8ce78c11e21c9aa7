import type { PackReview, VerificationAnswer } from '../../schemas/ipc-packs.ts'
import { type ReaderInput, VERIFICATION_SHOWS, verificationCheckWords } from '../../schemas/verification.ts'
import { HEADLINE_MARKS } from '../seal-model.ts'
import { visible, withDates } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { AnswerMark, Shape } from './Mark.tsx'

/** The headline of the verification, as mark and text. */
export function SealHeadline({ review: { headline } }: { readonly review: Pick<PackReview, 'headline'> }) {
  const { mark, tone } = HEADLINE_MARKS[headline.tone]
  return (
    <div className={`seal-headline is-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <div>
        <p className="seal-word">{headline.word}.</p>
        <p>
          {headline.text} {VERIFICATION_SHOWS}
        </p>
      </div>
    </div>
  )
}

/** The six verification checks, each with its next step; the files and results that they name are open where a check failed. */
export function SealAnswers({
  answers,
  onStep,
}: {
  readonly answers: readonly VerificationAnswer[]
  readonly onStep: (needs: ReaderInput) => void
}) {
  return (
    <dl className="seal-answers">
      {answers.map((answer) => (
        <div key={answer.check} className={`seal-answer outcome-${answer.outcome}`}>
          <dt>
            <AnswerMark outcome={answer.outcome} />
            <span>
              {verificationCheckWords[answer.check].label}
              <span className="note">{verificationCheckWords[answer.check].asks}</span>
            </span>
          </dt>
          <dd>
            <p>
              <strong className="outcome">{answer.word}.</strong> {withDates(visible(answer.summary))}{' '}
              <Step answer={answer} onStep={onStep} />
            </p>
            <Details answer={answer} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Step({
  answer: { needs, step, check },
  onStep,
}: {
  readonly answer: VerificationAnswer
  readonly onStep: (needs: ReaderInput) => void
}) {
  if (needs === undefined || step === null) return null
  return (
    <Button kind="link" label={`${step} (${verificationCheckWords[check].label})`} onPress={() => onStep(needs)}>
      {step}
    </Button>
  )
}

const MOST_OPEN = 12

/** Details of a failed check are open; a long list shows its first entries, the others are folded. */
function Details({ answer: { details, outcome } }: { readonly answer: VerificationAnswer }) {
  if (details.length === 0) return null
  if (outcome !== 'failed')
    return (
      <details>
        <summary>Details</summary>
        <Lines of={details} />
      </details>
    )
  const rest = details.slice(MOST_OPEN)
  return (
    <>
      <Lines of={details.slice(0, MOST_OPEN)} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <Lines of={rest} />
        </details>
      )}
    </>
  )
}

const Lines = ({ of }: { readonly of: readonly string[] }) => (
  <ul className="plain-list details-list">
    {[...new Set(of)].map((line) => (
      <li key={line}>{withDates(visible(line))}</li>
    ))}
  </ul>
)

/** The same checks in one line each. */
export const ShortAnswers = ({ answers }: { readonly answers: readonly VerificationAnswer[] }) => (
  <dl className="short-answers">
    {answers.map(({ check, outcome, word, summary }) => (
      <div key={check}>
        <dt>
          <AnswerMark outcome={outcome} />
          {verificationCheckWords[check].label}
        </dt>
        <dd>
          {word}. {withDates(visible(summary))}
        </dd>
      </div>
    ))}
  </dl>
)

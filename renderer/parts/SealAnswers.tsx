import { questionWords, type VerificationAnswer, type VerificationReport } from '../../schemas/verification.ts'
import { headlineOf, outcomeWord } from '../seal-model.ts'
import { visible, withDates } from '../text.ts'
import { AnswerMark, Shape } from './Mark.tsx'

/** The headline of the verification, as mark and text. */
export function SealHeadline({ report }: { readonly report: VerificationReport }) {
  const { mark, tone, word, text } = headlineOf(report)
  return (
    <div className={`seal-headline is-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <p>
        <strong>{word}</strong> {text}
      </p>
    </div>
  )
}

/** The six verification checks with the files and results they name. */
export function SealAnswers({ report }: { readonly report: VerificationReport }) {
  return (
    <dl className="seal-answers">
      {report.answers.map((answer) => (
        <div key={answer.question} className={`seal-answer outcome-${answer.outcome}`}>
          <dt>
            <AnswerMark outcome={answer.outcome} />
            <span>
              {questionWords[answer.question].label}
              <span className="note">{questionWords[answer.question].asks}</span>
            </span>
          </dt>
          <dd>
            <p>
              <strong className="outcome">{outcomeWord(report.kind, answer.question, answer.outcome)}.</strong>{' '}
              {withDates(visible(answer.summary))}
            </p>
            <Details answer={answer} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const MOST_OPEN = 12

/** Details are open; a long list shows its first entries, the others are folded. */
function Details({ answer: { details } }: { readonly answer: VerificationAnswer }) {
  if (details.length === 0) return null
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
export const ShortAnswers = ({ report }: { readonly report: VerificationReport }) => (
  <dl className="short-answers">
    {report.answers.map(({ question, outcome, summary }) => (
      <div key={question}>
        <dt>
          <AnswerMark outcome={outcome} />
          {questionWords[question].label}
        </dt>
        <dd>
          {outcomeWord(report.kind, question, outcome)}. {withDates(visible(summary))}
        </dd>
      </div>
    ))}
  </dl>
)

import {
  type VerificationCheckResult,
  type VerificationReport,
  verificationCheckWords,
} from '../../schemas/verification.ts'
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
      {report.checks.map((answer) => (
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
              <strong className="outcome">{outcomeWord(report.kind, answer.check, answer.outcome)}.</strong>{' '}
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
function Details({ answer: { details } }: { readonly answer: VerificationCheckResult }) {
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
    {report.checks.map(({ check, outcome, summary }) => (
      <div key={check}>
        <dt>
          <AnswerMark outcome={outcome} />
          {verificationCheckWords[check].label}
        </dt>
        <dd>
          {outcomeWord(report.kind, check, outcome)}. {withDates(visible(summary))}
        </dd>
      </div>
    ))}
  </dl>
)

import { useEffect, useState } from 'react'
import type { PackReview } from '../../schemas/ipc-views.ts'
import { questionWords } from '../../schemas/verification.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { Ask } from '../parts/Ask.tsx'
import { FailureNote } from '../parts/Failure.tsx'
import { AnswerMark, Shape } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { change, go, say } from '../store.ts'
import { visible, when } from '../text.ts'

/** A pack that somebody sent: six answers, and what exactly is wrong where something is. */
export function Review() {
  const known = useAnswer('pack.review', null)
  const open = useAction('pack.choose-and-verify')
  const [opened, setOpened] = useState<PackReview | null>(null)
  const choose = async (): Promise<void> => {
    const review = await open.run(null)
    if (review === null) return
    setOpened(review)
    say(`${review.file}: ${review.report.ok ? 'no answer speaks against it.' : 'altered, or not as sealed.'}`)
  }
  return (
    <Page
      title="Review a pack"
      under="Everything is checked on this computer: digests, seal, completeness, and each verdict evaluated again from the raw evidence."
      actions={
        <button type="button" className="primary" disabled={open.busy} onClick={() => void choose()}>
          {open.busy ? 'Checking…' : 'Open a pack…'}
        </button>
      }
    >
      {open.error !== null && <FailureNote error={open.error} />}
      <Ask answer={known}>
        {(before) => {
          const review = opened ?? before
          return review === null ? (
            <p className="empty">Open a pack (.zip) or a report (.pdf) that you were sent. Nothing in it is run.</p>
          ) : (
            <Answers review={review} />
          )
        }}
      </Ask>
    </Page>
  )
}

const word = (verdict: Verdict | null): string => (verdict === null ? 'nothing' : verdictWords[verdict].label)

function Answers({ review }: { readonly review: PackReview }) {
  const { report } = review
  useEffect(() => change({ packDemo: report.demo }), [report.demo])
  return (
    <>
      {!report.ok && (
        <div className="altered" role="alert">
          <Shape mark="square-cross" tone="not-met" />
          <p>
            <strong>Not as it was sealed.</strong> The files and findings named below cannot be relied on. The rest can
            be read.
          </p>
        </div>
      )}
      <section aria-labelledby="seal" className="seal">
        <div className="section-head">
          <h2 id="seal">{visible(review.file)}</h2>
          <p className="quiet">Checked {when(report.verifiedAt)}</p>
        </div>
        <dl>
          {report.answers.map((answer) => (
            <div key={answer.question} className={`answer outcome-${answer.outcome}`}>
              <dt>
                <AnswerMark outcome={answer.outcome} />
                <span>
                  {questionWords[answer.question].label}
                  <span className="note">{questionWords[answer.question].asks}</span>
                </span>
              </dt>
              <dd>
                <p>
                  <strong>{OUTCOMES[answer.outcome]}</strong> {visible(answer.summary)}
                </p>
                {answer.details.length > 0 && (
                  <ul>
                    {answer.details.map((detail) => (
                      <li key={detail} className="mono">
                        {visible(detail)}
                      </li>
                    ))}
                  </ul>
                )}
              </dd>
            </div>
          ))}
        </dl>
        {review.view !== null && (
          <p>
            {review.verdicts.identical} of {review.verdicts.stated} stated verdicts came out the same when evaluated
            again here.
          </p>
        )}
      </section>
      {report.differences.length > 0 && (
        <section aria-labelledby="differences">
          <h2 id="differences">Verdicts that came out differently</h2>
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Node</th>
                  <th scope="col">Check</th>
                  <th scope="col">The pack says</th>
                  <th scope="col">Its evidence says</th>
                </tr>
              </thead>
              <tbody>
                {report.differences.map(({ node, check, stated, derived }) => (
                  <tr key={`${node} ${check}`}>
                    <th scope="row">{visible(node)}</th>
                    <td className="mono">{visible(check)}</td>
                    <td>{word(stated)}</td>
                    <td>{word(derived)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      <div className="actions">
        <button type="button" disabled={review.view === null} onClick={() => go({ screen: 'overview', of: 'pack' })}>
          Read the findings in this pack
        </button>
      </div>
      {report.signer !== null && (
        <p className="quiet">
          Key <span className="mono fingerprint">{report.signer.fingerprint}</span>, calling itself{' '}
          {visible(report.signer.subject)}.{' '}
          {report.signer.trusted
            ? 'You decided to trust it.'
            : 'You have not decided to trust it: compare its fingerprint with one from the sender.'}
        </p>
      )}
    </>
  )
}

const OUTCOMES = { yes: 'Yes.', no: 'No.', 'not-shown': 'Not shown.' } as const

import { IconRefresh } from '@tabler/icons-react'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import type { Difference } from '../../schemas/verification.ts'
import type { Verdict } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { KINDS, reEvaluationLine } from '../seal-model.ts'
import { announce } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { VerdictMark } from './Mark.tsx'
import { Page } from './Page.tsx'
import { SealAnswers, SealHeadline } from './SealAnswers.tsx'
import { Signer } from './Signer.tsx'

/** The six verification checks of the open file, its signer, and the re-evaluation of its evidence. */
export function ReviewSeal({
  review,
  onReview,
}: {
  readonly review: PackReview
  readonly onReview: (review: PackReview) => void
}) {
  const { report } = review
  const { isNot } = KINDS[report.kind]
  return (
    <Page title="Verification" under="Six checks on this computer, using only the file and your trusted certificates.">
      <SealHeadline report={report} />
      {isNot !== null && report.kind !== 'foreign-pdf' && (
        <Notice kind="warning" title={KINDS[report.kind].label} means={isNot} />
      )}
      <SealAnswers report={report} />
      {report.kind !== 'foreign-pdf' && (
        <section aria-labelledby="signer">
          <h2 id="signer">Signer</h2>
          <Signer review={review} onReview={onReview} />
        </section>
      )}
      {(review.view !== null || report.differences.length > 0) && (
        <section aria-labelledby="again">
          <h2 id="again">Re-evaluation</h2>
          <Again review={review} onReview={onReview} />
        </section>
      )}
    </Page>
  )
}

function Again({ review, onReview }: { readonly review: PackReview; readonly onReview: (review: PackReview) => void }) {
  const again = useAction('pack.re-evaluate')
  const { differences } = review.report
  const run = async (): Promise<void> => {
    const after = await again.run(null)
    if (after === null) return
    onReview(after)
    announce(`Re-evaluated. ${reEvaluationLine(after)}`)
  }
  return (
    <>
      <p>{reEvaluationLine(review)}</p>
      {differences.length === 0 ? (
        <p className="quiet">All verdicts are identical.</p>
      ) : (
        <Differences differences={differences} />
      )}
      {again.error !== null && <FailureNote error={again.error} />}
      <div className="actions">
        <Button icon={IconRefresh} busy={again.busy} isDisabled={review.view === null} onPress={() => void run()}>
          Re-evaluate now
        </Button>
      </div>
    </>
  )
}

const Said = ({ verdict }: { readonly verdict: Verdict | null }) =>
  verdict === null ? <span className="quiet">None</span> : <VerdictMark verdict={verdict} />

/** Verdicts in the pack that re-evaluation does not reproduce. */
const Differences = ({ differences }: { readonly differences: readonly Difference[] }) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Check</th>
          <th scope="col">Stated in the pack</th>
          <th scope="col">Re-evaluated</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ node, check, stated, derived }) => (
          <tr key={`${node} ${check}`}>
            <th scope="row">{visible(node)}</th>
            <td className="mono">{visible(check)}</td>
            <td>
              <Said verdict={stated} />
            </td>
            <td>
              <Said verdict={derived} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

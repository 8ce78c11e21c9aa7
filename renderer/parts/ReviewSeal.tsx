import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { CheckpointView, PackReview } from '../../schemas/ipc-packs.ts'
import type { Difference, ReaderInput } from '../../schemas/verification.ts'
import type { Verdict } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { KINDS, mayConfirm, reEvaluationLine } from '../seal-model.ts'
import { announce, go } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { CompareKey } from './CompareKey.tsx'
import { VerdictMark } from './Mark.tsx'
import { Page } from './Page.tsx'
import { SealAnswers, SealHeadline } from './SealAnswers.tsx'
import { Signer } from './Signer.tsx'
import { TrustAuthority } from './TrustAuthority.tsx'

interface ReviewSealProps {
  readonly review: PackReview
  readonly onReview: (review: PackReview) => void
}

/** The six verification checks of the open file with their next steps, its signer, checkpoint, and the re-evaluation of its evidence. */
export function ReviewSeal({ review, onReview }: ReviewSealProps) {
  const [supplying, setSupplying] = useState<'signer' | 'authority' | null>(null)
  const checkpoint = useAction('pack.import-checkpoint')
  const other = useAction('pack.choose-and-verify')
  const { report } = review
  const { isNot } = KINDS[report.kind]
  const repeated = (after: PackReview, said: string): void => {
    onReview(after)
    setSupplying(null)
    announce(`${said} All checks were repeated. ${after.headline.word}.`)
  }
  const step = (needs: ReaderInput): void => {
    if (needs === 'signer' || needs === 'authority') setSupplying(needs)
    else if (needs === 'pack') void other.run(null)
    else
      void checkpoint.run(null).then((after) => {
        if (after !== null) repeated(after, 'Checkpoint imported.')
      })
  }
  const error = checkpoint.error ?? other.error
  return (
    <Page
      title="Verification"
      under="Six checks on this computer, using only the file and your trusted certificates."
      actions={
        mayConfirm(review) ? (
          <Button kind="primary" onPress={() => setSupplying('signer')}>
            Confirm signer…
          </Button>
        ) : (
          review.view !== null && (
            <Button kind="primary" onPress={() => go({ screen: 'review', part: 'sampling' })}>
              Open worksheet
            </Button>
          )
        )
      }
    >
      <SealHeadline review={review} />
      {isNot !== null && report.kind !== 'foreign-pdf' && (
        <Notice kind="warning" title={KINDS[report.kind].label} means={isNot} />
      )}
      {error !== null && <FailureNote error={error} />}
      <SealAnswers answers={review.answers} onStep={step} />
      {report.kind !== 'foreign-pdf' && (
        <section aria-labelledby="signer">
          <h2 id="signer">Signer</h2>
          <Signer review={review} onCompare={() => setSupplying('signer')} />
        </section>
      )}
      {review.checkpoint !== null && (
        <section aria-labelledby="checkpoint">
          <h2 id="checkpoint">Checkpoint of the run chain</h2>
          <Checkpoint checkpoint={review.checkpoint} />
        </section>
      )}
      {(review.view !== null || report.differences.length > 0) && (
        <section aria-labelledby="again">
          <h2 id="again">Re-evaluation</h2>
          <Again review={review} onReview={onReview} />
        </section>
      )}
      {supplying === 'signer' && report.signer !== null && (
        <CompareKey
          fingerprint={report.signer.fingerprint}
          subject={report.signer.subject}
          onClose={() => setSupplying(null)}
          onReview={(after) => repeated(after, 'Key trusted.')}
        />
      )}
      {supplying === 'authority' && (
        <TrustAuthority
          onClose={() => setSupplying(null)}
          onReview={(after) => repeated(after, 'Certificate added.')}
        />
      )}
    </Page>
  )
}

/** What is kept of the run chain here without the reader’s doing, and what the pack was compared with. */
const Checkpoint = ({ checkpoint }: { readonly checkpoint: CheckpointView }) => {
  const { comparedWith, entries, lastRun, keptAt, confirmed } = checkpoint
  return (
    <>
      <p>
        {comparedWith === null
          ? 'This pack was compared with no checkpoint: it is the first of its run chain on this computer.'
          : `This pack was compared with a checkpoint of ${comparedWith} ${comparedWith === 1 ? 'entry' : 'entries'}.`}
      </p>
      <p>
        Kept on this computer for the next pack: {entries} {entries === 1 ? 'entry' : 'entries'}, the last one of{' '}
        <span className="source">{visible(lastRun)}</span>, since {when(keptAt)}.{' '}
        {!confirmed && 'The signer is not confirmed, so that it applies to packs of the same key only.'}
      </p>
    </>
  )
}

function Again({ review, onReview }: ReviewSealProps) {
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

import { IconFolderOpen, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { CheckpointView, PackReview, VerificationAnswer } from '../../schemas/ipc-packs.ts'
import {
  type Difference,
  type ReaderInput,
  VERIFICATION_SHOWS,
  verificationCheckWords,
} from '../../schemas/verification.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import {
  HEADLINE_MARKS,
  KINDS,
  mayConfirm,
  type ReviewStep,
  reEvaluationLine,
  reviewStep,
  STANDINGS,
} from '../models/seal-model.ts'
import { isAuditorPage, may } from '../models/team.ts'
import { shellLine, visible, when, withDates } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { announce, go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { CompareKey } from './CompareKeys.tsx'
import { Copy, Fingerprint } from './Copy.tsx'
import { FormDialog } from './FormDialog.tsx'
import { AnswerMark, Shape, VerdictMark } from './Mark.tsx'
import { Page } from './Page.tsx'
import { textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

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
  const repeated = (after: PackReview, announcement: string): void => {
    onReview(after)
    setSupplying(null)
    announce(`${announcement} All checks were repeated. ${after.headline.word}.`)
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
      under={
        isAuditorPage()
          ? 'Six checks on the server of the audited organization, using only the file and your trusted certificates.'
          : 'Six checks on this computer, using only the file and your trusted certificates.'
      }
      actions={
        <ReviewActions of={reviewStep(review)} onSigner={() => setSupplying('signer')} onPack={() => step('pack')} />
      }
    >
      <SealHeadline review={review} />
      {isAuditorPage() && <OfflineNotice file={review.file} />}
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

/** The next step of a reader. On a server no other file can be chosen. */
function ReviewActions({
  of,
  onSigner,
  onPack,
}: {
  readonly of: ReviewStep
  readonly onSigner: () => void
  readonly onPack: () => void
}) {
  const { next, hasWorksheet } = of
  return (
    <>
      {hasWorksheet && (
        <Button
          kind={next === 'worksheet' ? 'primary' : 'secondary'}
          onPress={() => go({ screen: 'review', part: 'sampling' })}
        >
          Open worksheet
        </Button>
      )}
      {next === 'signer' && (
        <Button kind="primary" onPress={onSigner}>
          Confirm signer…
        </Button>
      )}
      {next === 'other-file' && may('pack.choose-and-verify') && (
        <Button kind="primary" icon={IconFolderOpen} onPress={onPack}>
          Open another file…
        </Button>
      )}
    </>
  )
}

/** States that a verification ran on the server of the audited organization, with the command that repeats it elsewhere. */
function OfflineNotice({ file }: { readonly file: string }) {
  const command = shellLine(['barewitness', 'verify', file, '--trust', 'SIGNER.pem'])
  return (
    <Notice
      title="This verification runs on the server of the audited organization."
      means="A server that was altered could show other results. Download the pack and verify it on a computer that you control:"
      actions={<Copy text={command} what="the command" />}
      next={<span className="mono command-line">{visible(command)}</span>}
    />
  )
}

/** The checkpoint of the run chain that is kept here automatically, and the one that the pack was compared with. */
const Checkpoint = ({ checkpoint }: { readonly checkpoint: CheckpointView }) => {
  const { comparedWith, entries, lastRun, keptAt, confirmed } = checkpoint
  return (
    <>
      <p>
        {comparedWith === null
          ? 'This pack was compared with no checkpoint: it is the first of its run chain that was opened here.'
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
      {differences.length > 0 && <Differences differences={differences} />}
      {again.error !== null && <FailureNote error={again.error} />}
      <div className="actions">
        <Button icon={IconRefresh} busy={again.busy} isDisabled={review.view === null} onPress={() => void run()}>
          Re-evaluate now
        </Button>
      </div>
    </>
  )
}

const VerdictWord = ({ verdict }: { readonly verdict: Verdict | null }) =>
  verdict === null ? <span className="quiet">None</span> : <VerdictMark verdict={verdict} />

const wordOf = (verdict: Verdict | null): string => (verdict === null ? 'None' : verdictWords[verdict].label)

const DIFFERENCE_COLUMNS: readonly WholeColumn<Difference>[] = [
  textColumn('node', 'Node', ({ node }) => node, { isRowHeader: true }),
  textColumn('check', 'Check', ({ check }) => check, { cellClass: 'mono' }),
  {
    id: 'stated',
    title: 'Stated in the pack',
    text: ({ stated }) => wordOf(stated),
    cell: ({ stated }) => <VerdictWord verdict={stated} />,
  },
  {
    id: 'derived',
    title: 'Re-evaluated',
    text: ({ derived }) => wordOf(derived),
    cell: ({ derived }) => <VerdictWord verdict={derived} />,
  },
]

/** Verdicts in the pack that re-evaluation does not reproduce. */
const Differences = ({ differences }: { readonly differences: readonly Difference[] }) => (
  <WholeTable
    table="verdict-differences"
    columns={DIFFERENCE_COLUMNS}
    rows={differences}
    keyOf={({ node, check }) => `${node} ${check}`}
  />
)

/** The signer, and the reader’s trust decision. */
function Signer({ review, onCompare }: { readonly review: PackReview; readonly onCompare: () => void }) {
  const { signer, demo } = review.report
  if (signer === null) return <p className="quiet">No signing certificate could be read from this file.</p>
  const { label, meaning } = STANDINGS[signer.trust]
  return (
    <div className="signer">
      <dl className="seal-facts">
        <Fact term="Name in certificate">{visible(signer.subject)}</Fact>
        <Fact term="Fingerprint (SHA-256)">
          <Fingerprint of={signer.fingerprint} what="the fingerprint of the signer" />
        </Fact>
        <Fact term="Trust">
          <span className="status">
            <Shape
              mark={signer.trust === 'unknown' ? 'diamond-question' : 'ring-tick'}
              tone={signer.trust === 'unknown' ? 'inconclusive' : 'satisfied'}
            />
            <span>{label}</span>
          </span>
          <span className="note">
            {demo ? 'Demo key. It can never be trusted.' : meaning}
            {review.trust !== null && ` Since ${when(review.trust.since)}: ${visible(review.trust.howVerified)}`}
          </span>
        </Fact>
      </dl>
      {mayConfirm(review) && <Button onPress={onCompare}>Compare key…</Button>}
    </div>
  )
}

const LEAST_WORDS = 3

/** Trusts the time-stamp authority of the open pack by its root certificate from a file. */
function TrustAuthority({
  onClose,
  onReview,
}: {
  readonly onClose: () => void
  readonly onReview: (review: PackReview) => void
}) {
  const [how, setHow] = useState('')
  const trust = useAction('pack.trust-authority')
  const send = async (): Promise<void> => {
    const after = await trust.run({ howVerified: how.trim() })
    if (after !== null) onReview(after)
  }
  return (
    <FormDialog
      title="Trust a time-stamp authority"
      verb="Choose certificate…"
      isDisabled={how.trim().length < LEAST_WORDS}
      action={trust}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        Obtain the root certificate from the authority itself, not from the sender of the pack. A signer could operate
        an authority under a root certificate of their own.
      </p>
      <TextArea
        label="Verification method"
        description="Enter where the certificate comes from. Stored and shown with your decision."
        value={how}
        onChange={setHow}
        maxLength={500}
        rows={2}
      />
    </FormDialog>
  )
}

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

/** The six verification checks, each with its next step. The files and results named by a failed check are open. */
function SealAnswers({
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
  // On a server, no other file can be chosen: only shared packs can be opened.
  if (needs === undefined || step === null || (needs === 'pack' && !may('pack.choose-and-verify'))) return null
  return (
    <Button kind="link" label={`${step} (${verificationCheckWords[check].label})`} onPress={() => onStep(needs)}>
      {step}
    </Button>
  )
}

const MOST_OPEN = 12

/** Details of a failed check are open. A long list shows its first entries; the others are folded. */
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

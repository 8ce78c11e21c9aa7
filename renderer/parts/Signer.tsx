import { useState } from 'react'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { compareFingerprint, STANDINGS } from '../seal-model.ts'
import { say } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'
import { Fingerprint } from './Fingerprint.tsx'
import { Shape } from './Mark.tsx'

/** Whose key it is, and what this reader decided about it. */
export function Signer({
  review,
  onReview,
}: {
  readonly review: PackReview
  readonly onReview: (review: PackReview) => void
}) {
  const [comparing, setComparing] = useState(false)
  const { signer, demo } = review.report
  if (signer === null)
    return <p className="quiet">No key could be read from this file, so there is nobody to tie it to.</p>
  const { label, meaning } = STANDINGS[signer.standing]
  const sealHolds = review.report.answers.every(({ question, outcome }) => question !== 'signed-by' || outcome !== 'no')
  const mayTrust = !demo && signer.standing === 'unknown' && sealHolds
  return (
    <div className="signer">
      <dl className="seal-facts">
        <div>
          <dt>Calls itself</dt>
          <dd>{visible(signer.subject)}</dd>
        </div>
        <div>
          <dt>Fingerprint (SHA-256)</dt>
          <dd>
            <Fingerprint of={signer.fingerprint} what="the fingerprint of the signer" />
          </dd>
        </div>
        <div>
          <dt>Standing</dt>
          <dd>
            <span className="status">
              <Shape
                mark={signer.standing === 'unknown' ? 'diamond-question' : 'ring-tick'}
                tone={signer.standing === 'unknown' ? 'inconclusive' : 'met'}
              />
              <span>{label}</span>
            </span>
            <span className="note">
              {demo ? 'A demonstration key. It seals demo data, and nobody can trust it.' : meaning}
              {review.trust !== null && ` Since ${when(review.trust.since)}: ${visible(review.trust.howVerified)}`}
            </span>
          </dd>
        </div>
      </dl>
      {mayTrust && <Button onPress={() => setComparing(true)}>Compare key…</Button>}
      {comparing && (
        <CompareKey
          fingerprint={signer.fingerprint}
          subject={signer.subject}
          onClose={() => setComparing(false)}
          onReview={(after) => {
            onReview(after)
            setComparing(false)
            say('Key recorded as trusted. All answers were taken again.')
          }}
        />
      )}
    </div>
  )
}

const LEAST_WORDS = 3

/** The fingerprint beside one received another way; trusting the key asks how that was verified. */
function CompareKey({
  fingerprint,
  subject,
  onClose,
  onReview,
}: {
  readonly fingerprint: string
  readonly subject: string
  readonly onClose: () => void
  readonly onReview: (review: PackReview) => void
}) {
  const [received, setReceived] = useState('')
  const [how, setHow] = useState('')
  const trust = useAction('pack.trust')
  const found = compareFingerprint(fingerprint, received)
  const may = how.trim().length >= LEAST_WORDS && (found.is === 'same' || found.is === 'empty')
  return (
    <Dialog
      title="Compare key"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            busy={trust.busy}
            isDisabled={!may}
            describedBy="compare-why"
            onPress={() =>
              void trust.run({ howVerified: how.trim() }).then((after) => {
                if (after !== null) onReview(after)
              })
            }
          >
            Trust this key
          </Button>
          <Button onPress={onClose}>Keep as it is</Button>
        </>
      }
    >
      <p>
        The pack says that its key belongs to “{visible(subject)}”. Anybody can write that name. Compare the fingerprint
        with one that you received another way, such as by telephone or on paper. Where a root issued the key, the root
        is trusted, so that later keys of the same owner are known too.
      </p>
      <p className="compare-ours">
        <span className="label">In this pack</span>
        <Fingerprint of={fingerprint} what="the fingerprint of the signer" />
      </p>
      <TextField
        label="Received another way"
        description="Paste or type it. Gaps, colons and capital letters do not matter. Leave it empty if you compared by eye."
        mono
        isRequired={false}
        value={received}
        onChange={setReceived}
        error={found.is === 'different' || found.is === 'not-a-fingerprint' ? comparisonWords(found) : undefined}
      />
      <p role="status" className="compare-found">
        {found.is === 'same' && (
          <span className="status tone-met">
            <Shape mark="ring-tick" tone="met" />
            <span>All 64 characters are the same.</span>
          </span>
        )}
      </p>
      <TextArea
        label="How did you verify it?"
        description="Kept with your decision, and shown beside it. Name who told you, on which way, and when."
        value={how}
        onChange={setHow}
        maxLength={500}
        rows={2}
      />
      <p id="compare-why" className="quiet">
        {found.is === 'different' && 'A key with another fingerprint cannot be trusted here.'}
        {found.is !== 'different' && !may && 'You can trust the key when you have said how you verified it.'}
      </p>
      {trust.error !== null && <FailureNote error={trust.error} />}
    </Dialog>
  )
}

const comparisonWords = (
  found: Extract<ReturnType<typeof compareFingerprint>, { is: 'different' | 'not-a-fingerprint' }>,
): string =>
  found.is === 'different'
    ? `Not the same: group ${found.group} of 16 is the first that differs. Do not trust this key.`
    : `A fingerprint has 64 characters from 0-9 and a-f; this holds ${found.digits} of them.`

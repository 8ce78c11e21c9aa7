import { useState } from 'react'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { compareFingerprint } from '../seal-model.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'
import { Fingerprint } from './Copy.tsx'
import { Shape } from './Mark.tsx'

const LEAST_WORDS = 3

/** Compares the fingerprint with one received over another channel; trusting the key requires a verification method. */
export function CompareKey({
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
            Trust key
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <p>
        The pack names “{visible(subject)}” as its signer. Anyone can create a key with this name. Compare the
        fingerprint with one that you obtained from the signer over a different channel, such as telephone or paper. If
        a root certificate issued the key, the root is trusted, so that later keys of the same owner are trusted too.
      </p>
      <p className="compare-ours">
        <span className="label">Fingerprint in this pack</span>
        <Fingerprint of={fingerprint} what="the fingerprint of the signer" />
      </p>
      <TextField
        label="Fingerprint from the signer"
        description="Spaces, colons and upper case are ignored. Leave empty if you compared visually."
        mono
        isRequired={false}
        value={received}
        onChange={setReceived}
        error={found.is === 'different' || found.is === 'not-a-fingerprint' ? comparisonWords(found) : undefined}
      />
      <p role="status" className="compare-found">
        {found.is === 'same' && (
          <span className="status tone-satisfied">
            <Shape mark="ring-tick" tone="satisfied" />
            <span>All 64 characters match.</span>
          </span>
        )}
      </p>
      <TextArea
        label="Verification method"
        description="Enter who confirmed it, how, and when. Stored and shown with your decision."
        value={how}
        onChange={setHow}
        maxLength={500}
        rows={2}
      />
      <p id="compare-why" className="quiet">
        {found.is === 'different' && 'You cannot trust a key whose fingerprint differs.'}
        {found.is !== 'different' && !may && 'Enter the verification method to trust the key.'}
      </p>
      {trust.error !== null && <FailureNote error={trust.error} />}
    </Dialog>
  )
}

const comparisonWords = (
  found: Extract<ReturnType<typeof compareFingerprint>, { is: 'different' | 'not-a-fingerprint' }>,
): string =>
  found.is === 'different'
    ? `No match: the first difference is in group ${found.group} of 16. Do not trust this key.`
    : `A fingerprint has 64 characters from 0-9 and a-f; this has ${found.digits}.`

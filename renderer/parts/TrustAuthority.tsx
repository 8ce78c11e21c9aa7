import { useState } from 'react'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'

const LEAST_WORDS = 3

/** Trusts the time-stamp authority of the open pack by its root certificate from a file. */
export function TrustAuthority({
  onClose,
  onReview,
}: {
  readonly onClose: () => void
  readonly onReview: (review: PackReview) => void
}) {
  const [how, setHow] = useState('')
  const trust = useAction('pack.trust-authority')
  return (
    <Dialog
      title="Trust a time-stamp authority"
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            busy={trust.busy}
            isDisabled={how.trim().length < LEAST_WORDS}
            onPress={() =>
              void trust.run({ howVerified: how.trim() }).then((after) => {
                if (after !== null) onReview(after)
              })
            }
          >
            Choose certificate…
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
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
      {trust.error !== null && <FailureNote error={trust.error} />}
    </Dialog>
  )
}

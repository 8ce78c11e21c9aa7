import { IconDeviceFloppy, IconEye } from '@tabler/icons-react'
import { useState } from 'react'
import type { CallFailure } from '../../schemas/ipc.ts'
import { type Draft, discardDraft, reviewDraft, saveDraft } from '../export-store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { FailureNote } from './Failure.tsx'
import { FileTable } from './FileTable.tsx'
import { SealHeadline, ShortAnswers } from './SealAnswers.tsx'
import { SealedBy } from './SealedBy.tsx'

/** The sealed draft as its recipient will see it, and saving it. */
export function ExportReview({ draft }: { readonly draft: Draft }) {
  const [busy, setBusy] = useState<'review' | 'save' | null>(null)
  const [error, setError] = useState<CallFailure | null>(null)
  const run = async (what: 'review' | 'save', task: () => Promise<CallFailure | null>): Promise<void> => {
    setBusy(what)
    setError(null)
    setError(await task())
    setBusy(null)
  }
  const { made, review } = draft
  const seen = review !== null
  return (
    <section aria-labelledby="review" className="wizard-step">
      <h2 id="review">Review as auditor, then save</h2>
      <p>
        Review {draft.from.copy ? 'the redacted copy' : 'the pack'} in the window that an auditor uses. Trust decisions
        shown there are yours and may differ from the auditor’s.
      </p>
      <SealedBy signer={made.signer} />
      {review !== null && (
        <>
          <SealHeadline report={review.report} />
          <ShortAnswers report={review.report} />
        </>
      )}
      {made.notes.length > 0 && (
        <>
          <h3>Before you save</h3>
          <ul className="notes">
            {made.notes.map((note) => (
              <li key={note}>{visible(note)}</li>
            ))}
          </ul>
        </>
      )}
      <FileTable label="Files to save" files={made.files} />
      <Notice
        title="Draft not saved"
        means="You can leave this screen and save the draft later, until you close Barewitness."
      />
      {error !== null && <FailureNote error={error} />}
      <div className="actions">
        <Button
          kind={seen ? 'secondary' : 'primary'}
          icon={IconEye}
          busy={busy === 'review'}
          isDisabled={busy === 'save'}
          onPress={() => void run('review', reviewDraft)}
        >
          {seen ? 'Review as auditor again' : 'Review as auditor'}
        </Button>
        <Button
          kind={seen ? 'primary' : 'secondary'}
          icon={IconDeviceFloppy}
          busy={busy === 'save'}
          isDisabled={busy === 'review'}
          onPress={() => void run('save', saveDraft)}
        >
          Save pack
        </Button>
        <Button kind="quiet" isDisabled={busy !== null} onPress={() => void discardDraft()}>
          Discard draft
        </Button>
      </div>
    </section>
  )
}

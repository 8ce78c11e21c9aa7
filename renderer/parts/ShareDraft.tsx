import { IconUserShare } from '@tabler/icons-react'
import { type FormEvent, useId, useState } from 'react'
import { useAction } from '../actions.ts'
import type { Draft } from '../export-store.ts'
import { announce, go } from '../store.ts'
import { signedIn } from '../team.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea } from '../ui/Field.tsx'
import { FailureNote } from './Ask.tsx'

/** Shares a sealed draft with the auditors of a server; nothing in the window. */
export function ShareDraft({ draft, isDisabled }: { readonly draft: Draft; readonly isDisabled: boolean }) {
  const [open, setOpen] = useState(false)
  if (signedIn() === null) return null
  return (
    <>
      <Button icon={IconUserShare} isDisabled={isDisabled} onPress={() => setOpen(true)}>
        Share with auditors…
      </Button>
      {open && <ShareDialog draft={draft} onClose={() => setOpen(false)} />}
    </>
  )
}

function ShareDialog({ draft, onClose }: { readonly draft: Draft; readonly onClose: () => void }) {
  const form = useId()
  const share = useAction('portal.share')
  const [note, setNote] = useState('')
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if ((await share.run({ handle: draft.made.handle, note: note.trim() })) === null) return
    announce('Pack shared with auditors.')
    onClose()
    go({ screen: 'auditors' })
  }
  return (
    <Dialog
      title="Share with auditors"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={share.busy}>
            Share pack
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void submit(event)} noValidate>
        <p>
          {draft.from.copy
            ? 'Auditors of this engagement can open and download the redacted copy. The complete pack and the report are not shared.'
            : 'Auditors of this engagement can open and download the pack, the report and all additional outputs.'}
        </p>
        <TextArea
          label="Note to the auditors"
          value={note}
          onChange={setNote}
          maxLength={2000}
          isRequired={false}
          autoFocus
        />
        {share.error !== null && <FailureNote error={share.error} />}
      </form>
    </Dialog>
  )
}

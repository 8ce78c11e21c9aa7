import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { announce } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea } from '../ui/Field.tsx'
import { FailureNote } from './Ask.tsx'

export interface EndDialogProps {
  readonly title: string
  readonly about: ReactNode
  readonly verb: string
  /** Announced when done. */
  readonly done: string
  readonly action: { readonly busy: boolean; readonly error: CallFailure | null }
  /** Whether it was done. */
  readonly send: (reason: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Ends something of the portal with a reason. Who does so is known: the person who is signed in. */
export function EndDialog({ title, about, verb, done, action, send, onClose }: EndDialogProps) {
  const form = useId()
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (reason.trim().length < 3 || !(await send(reason.trim()))) return
    announce(done)
    onClose()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" type="submit" form={form} busy={action.busy}>
            {verb}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void submit(event)} noValidate>
        {about}
        <TextArea
          label="Reason"
          value={reason}
          onChange={setReason}
          maxLength={2000}
          error={tried && reason.trim().length < 3 ? 'Enter at least 3 characters.' : undefined}
          isRequired
          autoFocus
        />
        {action.error !== null && <FailureNote error={action.error} />}
      </form>
    </Dialog>
  )
}

import { type FormEvent, useId, useState } from 'react'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'

export interface WithdrawDialogProps {
  readonly what: 'acceptance' | 'record'
  readonly id: string
  /** What it is about, in words. */
  readonly about: string
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Takes an acceptance or a record back, with a name and a reason. It stays listed as withdrawn. */
export function WithdrawDialog({ what, id, about, onClose, onDone }: WithdrawDialogProps) {
  const form = useId()
  const withdraw = useAction(what === 'acceptance' ? 'exceptions.withdraw' : 'attachments.withdraw')
  const [by, setBy] = useState('')
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (by.trim() === '' || reason.trim().length < 3) return
    if ((await withdraw.run({ id, by, reason })) === null) return
    say(what === 'acceptance' ? 'Acceptance withdrawn.' : 'Record withdrawn.')
    onDone()
  }
  return (
    <Dialog
      title={`Withdraw this ${what}`}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" type="submit" form={form} busy={withdraw.busy}>
            Withdraw {what}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>{about}</p>
        <p className="quiet">It stays listed as withdrawn, with your reason. Nothing is deleted.</p>
        <TextField
          label="Withdrawn by"
          value={by}
          onChange={setBy}
          maxLength={200}
          error={tried && by.trim() === '' ? 'Name who withdraws it.' : undefined}
          isRequired
          autoFocus
        />
        <TextArea
          label="Reason"
          value={reason}
          onChange={setReason}
          maxLength={2000}
          error={tried && reason.trim().length < 3 ? 'Say why.' : undefined}
          isRequired
        />
        {withdraw.error !== null && <FailureNote error={withdraw.error} />}
      </form>
    </Dialog>
  )
}

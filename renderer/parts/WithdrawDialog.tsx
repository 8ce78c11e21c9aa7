import { useState } from 'react'
import { firstUp } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { change, recorded } from '../state/store.ts'
import { TextArea, TextField } from '../ui/Field.tsx'
import { FormDialog } from './FormDialog.tsx'

const WAYS = {
  acceptance: { method: 'acceptances.withdraw', verb: 'Withdraw', done: 'withdrawn', by: 'Withdrawn by' },
  document: { method: 'documents.withdraw', verb: 'Withdraw', done: 'withdrawn', by: 'Withdrawn by' },
  decision: { method: 'decisions.withdraw', verb: 'Withdraw', done: 'withdrawn', by: 'Withdrawn by' },
  request: { method: 'acceptances.reject', verb: 'Reject', done: 'rejected', by: 'Rejected by' },
} as const

interface WithdrawDialogProps {
  readonly what: keyof typeof WAYS
  readonly id: string
  /** The subject, in words. */
  readonly about: string
  readonly onClose: () => void
}

/** Withdraws an entry or rejects a request, with name and reason. It remains listed. */
export function WithdrawDialog({ what, id, about, onClose }: WithdrawDialogProps) {
  const way = WAYS[what]
  const withdraw = useAction(way.method)
  const [by, setBy] = useState('')
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const send = async (): Promise<void> => {
    setTried(true)
    if (by.trim() === '' || reason.trim().length < 3) return
    if ((await withdraw.run({ id, by, reason })) === null) return
    recorded(`${firstUp(what)} ${way.done}.`)
    // What was last recorded may be what is now withdrawn, so it is no longer offered to be undone.
    change({ toast: null })
    onClose()
  }
  return (
    <FormDialog
      title={`${way.verb} ${what}`}
      verb={`${way.verb} ${what}`}
      kind="danger"
      action={withdraw}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{about}</p>
      <p className="quiet">It remains listed as {way.done}, with your reason. Nothing is deleted.</p>
      <TextField
        label={way.by}
        value={by}
        onChange={setBy}
        maxLength={200}
        error={
          tried && by.trim() === ''
            ? what === 'request'
              ? 'Enter the person who rejects the request.'
              : 'Enter the person who withdraws it.'
            : undefined
        }
        isRequired
        autoFocus
      />
      <TextArea
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={2000}
        error={tried && reason.trim().length < 3 ? 'Enter at least 3 characters.' : undefined}
        isRequired
      />
    </FormDialog>
  )
}

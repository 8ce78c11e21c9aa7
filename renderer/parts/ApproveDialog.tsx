import { type FormEvent, useId, useState } from 'react'
import type { PendingView } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'
import { UnsignedNote } from './UnsignedNote.tsx'

export interface ApproveDialogProps {
  readonly request: PendingView
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Approves a request on its own terms, with a name and a role. */
export function ApproveDialog({ request, onClose, onDone }: ApproveDialogProps) {
  const form = useId()
  const approve = useAction('exceptions.approve')
  const [approvedBy, setApprovedBy] = useState('')
  const [approverRole, setApproverRole] = useState('')
  const [tried, setTried] = useState(false)
  const alone = approvedBy.trim() !== '' && approvedBy.trim().toLowerCase() === request.requestedBy.trim().toLowerCase()
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (approvedBy.trim() === '' || approverRole.trim() === '') return
    if ((await approve.run({ id: request.id, approvedBy, approverRole })) === null) return
    say('Request approved.')
    onDone()
  }
  return (
    <Dialog
      title="Approve this request"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={approve.busy}>
            Approve request
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>
          <span className="mono">{request.check}</span> on {plural(request.nodes.length, 'node')}, until{' '}
          {day(request.expiresAt)}. {visible(request.reason)}
        </p>
        <p className="quiet">It is accepted from now on, as it was asked for. No verdict changes.</p>
        <TextField
          label="Approved by"
          value={approvedBy}
          onChange={setApprovedBy}
          maxLength={200}
          description={alone ? 'The same person asked for it. Every report says so.' : undefined}
          error={tried && approvedBy.trim() === '' ? 'Name who approves it.' : undefined}
          isRequired
          autoFocus
        />
        <TextField
          label="Role of who approves"
          value={approverRole}
          onChange={setApproverRole}
          maxLength={200}
          error={tried && approverRole.trim() === '' ? 'Say in which role.' : undefined}
          isRequired
        />
        <UnsignedNote />
        {approve.error !== null && <FailureNote error={approve.error} />}
      </form>
    </Dialog>
  )
}

import { type FormEvent, useId, useState } from 'react'
import type { AcceptanceRequestView } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'
import { UnsignedNote } from './UnsignedNote.tsx'

export interface ApproveDialogProps {
  readonly request: AcceptanceRequestView
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Approves a request as submitted, with the name and role of the approver. */
export function ApproveDialog({ request, onClose, onDone }: ApproveDialogProps) {
  const form = useId()
  const approve = useAction('acceptances.approve')
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
      title="Approve request"
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
        <p className="quiet">The risk is accepted as requested, from now on. No verdict changes.</p>
        <TextField
          label="Approved by"
          value={approvedBy}
          onChange={setApprovedBy}
          maxLength={200}
          description={
            alone ? 'No segregation of duties: the same person requested it. Every report states this.' : undefined
          }
          error={tried && approvedBy.trim() === '' ? 'Enter the approver.' : undefined}
          isRequired
          autoFocus
        />
        <TextField
          label="Approver’s role"
          value={approverRole}
          onChange={setApproverRole}
          maxLength={200}
          error={tried && approverRole.trim() === '' ? 'Enter the approver’s role.' : undefined}
          isRequired
        />
        <UnsignedNote />
        {approve.error !== null && <FailureNote error={approve.error} />}
      </form>
    </Dialog>
  )
}

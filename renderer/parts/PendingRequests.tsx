import { type FormEvent, useId, useState } from 'react'
import type { AcceptanceRequestView } from '../../schemas/ipc-packs.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { pendingWords, signedLine } from '../register-model.ts'
import { announce, change, outdated } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { NamedNodes } from './Acceptances.tsx'
import { FailureNote } from './Ask.tsx'
import { SamePerson } from './SamePerson.tsx'
import { useEntrySigning } from './signing.tsx'
import { WithdrawDialog } from './WithdrawDialog.tsx'

interface Opened {
  readonly dialog: 'approve' | 'refuse'
  readonly request: AcceptanceRequestView
}

/** Acceptance requests with their status; pending ones can be approved or rejected, except in a pack. */
export function AcceptanceRequests({
  requests,
  of,
}: {
  readonly requests: readonly AcceptanceRequestView[]
  readonly of: Source
}) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = (): void => setOpened(null)
  const done = (): void => {
    close()
    outdated()
  }
  return (
    <>
      <ul className="acceptances">
        {requests.map((one) => (
          <li key={one.id} className={`acceptance standing-${one.standing === 'open' ? 'pending' : 'withdrawn'}`}>
            <p className="acceptance-head">
              <span className="accepted-tab">
                {pendingWords[one.standing]} · requested until {day(one.expiresAt)}
              </span>
              <span className="mono">{one.check}</span>
              <NamedNodes of={of} nodes={one.nodes} />
              {one.standing === 'open' && of === 'run' && (
                <>
                  <Button
                    small
                    label={`Approve request: ${one.check}`}
                    onPress={() => setOpened({ dialog: 'approve', request: one })}
                  >
                    Approve request
                  </Button>
                  <Button
                    small
                    kind="quiet"
                    label={`Reject request: ${one.check}`}
                    onPress={() => setOpened({ dialog: 'refuse', request: one })}
                  >
                    Reject request
                  </Button>
                </>
              )}
            </p>
            <dl className="facts">
              <dt>Reason</dt>
              <dd>{visible(one.reason)}</dd>
              <dt>Compensating control</dt>
              <dd>{visible(one.compensatingControl)}</dd>
              <dt>Owner</dt>
              <dd>{visible(one.owner)}</dd>
              <dt>Requested by</dt>
              <dd>
                {visible(one.requestedBy)}, {day(one.requestedAt)}
              </dd>
              <dt>Signatures</dt>
              <dd>{signedLine(one.signatures)}</dd>
              {one.resolved !== undefined && (
                <>
                  <dt>{pendingWords[one.resolved.as]}</dt>
                  <dd>
                    {visible(one.resolved.by)}, {day(one.resolved.at)}
                    {one.resolved.reason !== null && `: ${visible(one.resolved.reason)}`}
                  </dd>
                </>
              )}
            </dl>
          </li>
        ))}
      </ul>
      {opened?.dialog === 'approve' && <ApproveDialog request={opened.request} onClose={close} onDone={done} />}
      {opened?.dialog === 'refuse' && (
        <WithdrawDialog
          what="request"
          id={opened.request.id}
          about={`${opened.request.check}: ${visible(opened.request.reason)}`}
          onClose={close}
          onDone={done}
        />
      )}
    </>
  )
}

export interface ApproveDialogProps {
  readonly request: AcceptanceRequestView
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Approves a request as submitted, with the name and role of the approver. */
function ApproveDialog({ request, onClose, onDone }: ApproveDialogProps) {
  const form = useId()
  const approve = useAction('acceptances.approve')
  const [approvedBy, setApprovedBy] = useState('')
  const [approverRole, setApproverRole] = useState('')
  const [tried, setTried] = useState(false)
  const signing = useEntrySigning(['approver'])
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (approvedBy.trim() === '' || approverRole.trim() === '') return
    if ((await approve.run({ id: request.id, approvedBy, approverRole })) === null) return
    const problem = await signing.sign(request.id)
    // It is approved in any case; it can be signed later from the list.
    if (problem !== null) change({ problem })
    announce('Request approved.')
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
        <SamePerson requestedBy={request.requestedBy} approvedBy={approvedBy} />
        {signing.choice}
        {approve.error !== null && <FailureNote error={approve.error} />}
      </form>
    </Dialog>
  )
}

import { useState } from 'react'
import type { AcceptanceRequestView } from '../../schemas/ipc-packs.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { pendingWords, signedLine } from '../register-model.ts'
import { outdated } from '../store.ts'
import { day, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { NamedNodes } from './Acceptances.tsx'
import { ApproveDialog } from './ApproveDialog.tsx'
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

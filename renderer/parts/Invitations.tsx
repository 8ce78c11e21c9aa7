import { IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { InvitationView } from '../../schemas/ipc-portal.ts'
import { invitationStatusWords } from '../../schemas/portal-words.ts'
import { useAction } from '../actions.ts'
import { announce } from '../store.ts'
import { day, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Copy } from './Copy.tsx'
import { FormDialog } from './FormDialog.tsx'
import { ReasonForm } from './ReasonForm.tsx'

/** Who was invited as auditor, with what came of it, and inviting. */
export function Invitations({ invitations }: { readonly invitations: readonly InvitationView[] }) {
  const [inviting, setInviting] = useState(false)
  const [ending, setEnding] = useState<InvitationView | null>(null)
  return (
    <>
      <p className="prose">
        An invitation gives one person access to the packs of this engagement that are shared with them, until its last
        day. Auditors whose role comes from your identity provider are not listed here.
      </p>
      <div className="actions">
        <Button kind="primary" icon={IconUserPlus} onPress={() => setInviting(true)}>
          Invite auditor
        </Button>
      </div>
      {invitations.length === 0 ? (
        <EmptyState title="No invitations">Invitations are listed here with who sent and who used them.</EmptyState>
      ) : (
        <InvitationTable invitations={invitations} onEnd={setEnding} />
      )}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      {ending !== null && <EndAccess invitation={ending} onClose={() => setEnding(null)} />}
    </>
  )
}

const InvitationTable = ({
  invitations,
  onEnd,
}: {
  readonly invitations: readonly InvitationView[]
  readonly onEnd: (invitation: InvitationView) => void
}) => (
  <div className="scroll">
    <table>
      <caption>Invitations</caption>
      <thead>
        <tr>
          <th scope="col">Invited</th>
          <th scope="col">Status</th>
          <th scope="col">Last day (UTC)</th>
          <th scope="col">Invited by</th>
          <th scope="col">Link used by</th>
          <th scope="col">Action</th>
        </tr>
      </thead>
      <tbody>
        {invitations.map((one) => (
          <tr key={one.id}>
            <th scope="row" className="source">
              {visible(one.label)}
            </th>
            <td>
              {invitationStatusWords[one.status]}
              {one.status === 'open' && <span className="note">until {when(one.linkUntil)}</span>}
              {one.ended !== null && (
                <span className="note">
                  by {visible(one.ended.by)}, {when(one.ended.at)}: {visible(one.ended.reason)}
                </span>
              )}
            </td>
            <td className="number">{day(one.until)}</td>
            <td>
              {visible(one.invited.by)}
              <span className="note number">{when(one.invited.at)}</span>
            </td>
            <td>
              {one.accepted === null ? (
                <span className="quiet">Not used</span>
              ) : (
                <>
                  {visible(one.accepted.by)}
                  <span className="note number">{when(one.accepted.at)}</span>
                </>
              )}
            </td>
            <td>
              {one.ended === null && one.status !== 'expired' && (
                <Button small label={`End access of ${visible(one.label)}`} onPress={() => onEnd(one)}>
                  End access…
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function EndAccess({ invitation, onClose }: { readonly invitation: InvitationView; readonly onClose: () => void }) {
  const end = useAction('portal.end-access')
  return (
    <ReasonForm
      title="End access"
      verb="End access"
      kind="danger"
      maxLength={2000}
      done="The access has ended."
      about={
        <p>
          {visible(invitation.label)} can no longer enter this engagement, also in a session that is open now. The
          invitation remains listed with your reason.
        </p>
      }
      action={end}
      send={async (reason) => (await end.run({ id: invitation.id, reason })) !== null}
      onClose={onClose}
    />
  )
}

function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const invite = useAction('portal.invite')
  const [label, setLabel] = useState('')
  const [until, setUntil] = useState('')
  const [tried, setTried] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const submit = async (): Promise<void> => {
    setTried(true)
    if (label.trim() === '' || until === '') return
    const made = await invite.run({ label: label.trim(), until })
    if (made === null) return
    setLink(made.link)
    announce('Invitation created. Copy the link.')
  }
  if (link !== null)
    return (
      <Dialog title="Invitation link" onClose={onClose} actions={<Button onPress={onClose}>Close</Button>}>
        <p>
          Send this link to {visible(label)}, over a channel that no one else reads. The first person who uses it has
          the access. It is not shown again.
        </p>
        <p className="mono source">{link}</p>
        <p>
          <Copy text={link} what="the invitation link">
            Copy link
          </Copy>
        </p>
      </Dialog>
    )
  return (
    <FormDialog
      title="Invite auditor"
      verb="Create invitation link"
      action={invite}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        The person needs an account at your identity provider; a role there is not needed. The link can be used once,
        within 7 days. The access is then bound to that account.
      </p>
      <TextField
        label="Person and firm"
        description="For your own list. Not compared with the account."
        value={label}
        onChange={setLabel}
        maxLength={200}
        error={tried && label.trim() === '' ? 'Enter the person whom you invite.' : undefined}
        isRequired
        autoFocus
      />
      <DateField
        label="Last day of the access"
        value={until}
        onChange={setUntil}
        error={tried && until === '' ? 'Enter the last day.' : undefined}
        isRequired
      />
    </FormDialog>
  )
}

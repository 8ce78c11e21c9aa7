import { IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { InvitationView, SharedPack } from '../../schemas/ipc-portal.ts'
import { packSubject } from '../../schemas/period-words.ts'
import { invitationStatusWords } from '../../schemas/portal-words.ts'
import { type AuditorsPart, isOffered } from '../models/routes.ts'
import { day, firstUp, visible, when } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { Copy } from '../parts/Copy.tsx'
import { FormDialog } from '../parts/FormDialog.tsx'
import { Page } from '../parts/Page.tsx'
import { ReasonForm } from '../parts/ReasonDialog.tsx'
import { SharedBy, SharedFiles } from '../parts/SharedFiles.tsx'
import { useAction } from '../state/actions.ts'
import { both, useAnswer, useKept } from '../state/bridge.ts'
import { announce, go, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** What officers share with auditors of the server, and whom they invite. */
export function Auditors({ part }: { readonly part: AuditorsPart }) {
  const { portal } = useStore()
  const packs = useAnswer('portal.packs', null, portal)
  const invitations = useAnswer('portal.invitations', null, portal)
  const answer = useKept(both(packs, invitations), 'auditors')
  return (
    <Page
      title="Auditors"
      under="Auditors read the packs that are shared with them, and nothing of the results that are shown here."
    >
      <Ask answer={answer}>
        {([shared, invited]) => (
          <Tabs<AuditorsPart>
            label="Sections about auditors"
            selected={part}
            onSelect={(chosen) => replace({ screen: 'auditors', part: chosen })}
            tabs={[
              {
                id: 'packs',
                title: 'Shared packs',
                count: shared.filter(({ ended }) => ended === null).length,
                content: <Packs packs={shared} invitations={invited} />,
              },
              {
                id: 'access',
                title: 'Access',
                count: invited.filter(({ status }) => status === 'active' || status === 'open').length,
                content: <Invitations invitations={invited} />,
              },
            ]}
          />
        )}
      </Ask>
    </Page>
  )
}

interface PacksProps {
  readonly packs: readonly SharedPack[]
  readonly invitations: readonly InvitationView[]
}

function Packs({ packs, invitations }: PacksProps) {
  if (packs.length > 0)
    return packs.map((pack) => <OnePack key={pack.id} pack={pack} readers={readersOf(pack, invitations)} />)
  return (
    <EmptyState
      title="No pack is shared"
      action={
        isOffered({ screen: 'export' }) && (
          <Button kind="primary" onPress={() => go({ screen: 'export' })}>
            Export evidence pack
          </Button>
        )
      }
    >
      Seal an export, then share it with auditors in its last step.
    </EmptyState>
  )
}

/** Who may read a pack, in words. */
const readersOf = ({ to }: SharedPack, invitations: readonly InvitationView[]): string =>
  to === null
    ? 'all auditors of this engagement'
    : invitations.flatMap(({ id, label }) => (to.includes(id) ? [label] : [])).join('; ')

function OnePack({ pack, readers }: { readonly pack: SharedPack; readonly readers: string }) {
  const [ending, setEnding] = useState(false)
  const unshare = useAction('portal.unshare')
  const { id, run, ended } = pack
  const title = `shared-${id}`
  return (
    <section aria-labelledby={title} className="shared-pack">
      <div className="section-head">
        <h2 id={title}>{firstUp(visible(packSubject(run)))}</h2>
        {ended === null && (
          <Button label={`Stop sharing ${visible(packSubject(run))}`} onPress={() => setEnding(true)}>
            Stop sharing…
          </Button>
        )}
      </div>
      <SharedBy pack={pack} />
      <p>Shared with: {visible(readers)}.</p>
      {ended === null ? (
        <SharedFiles pack={pack} />
      ) : (
        <p>
          Shared no longer: ended by {visible(ended.by)}, {when(ended.at)}. {visible(ended.reason)}
        </p>
      )}
      {ending && (
        <ReasonForm
          title="Stop sharing"
          verb="Stop sharing"
          kind="danger"
          maxLength={2000}
          done={`${firstUp(packSubject(run))} is shared no longer.`}
          about={
            <p>
              Auditors can no longer open or download {visible(packSubject(run))} here. Files that they downloaded
              remain with them, and their worksheets remain on the server.
            </p>
          }
          action={unshare}
          send={async (reason) => (await unshare.run({ id, reason })) !== null}
          onClose={() => setEnding(false)}
        />
      )}
    </section>
  )
}

/** Invitations of auditors with their outcome, and a button to invite one. */
function Invitations({ invitations }: { readonly invitations: readonly InvitationView[] }) {
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

import { useState } from 'react'
import type { InvitationView, SharedPack } from '../../schemas/ipc-portal.ts'
import { packSubject } from '../../schemas/period-words.ts'
import { useAction } from '../actions.ts'
import { both, useAnswer, useKept } from '../bridge.ts'
import { Ask } from '../parts/Ask.tsx'
import { Invitations } from '../parts/Invitations.tsx'
import { Page } from '../parts/Page.tsx'
import { ReasonForm } from '../parts/ReasonForm.tsx'
import { SharedBy, SharedFiles } from '../parts/SharedFiles.tsx'
import { type AuditorsPart, isOffered } from '../routes.ts'
import { go, replace, useStore } from '../store.ts'
import { firstUp, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
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
                count: invited.filter(({ status }) => status === 'active').length,
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

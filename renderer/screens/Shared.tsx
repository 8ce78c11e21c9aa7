import type { SharedPack } from '../../schemas/ipc-portal.ts'
import { packSubject } from '../../schemas/period-words.ts'
import { signedIn } from '../models/team.ts'
import { firstUp, visible } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Page } from '../parts/Page.tsx'
import { SharedBy, SharedFiles } from '../parts/SharedFiles.tsx'
import { useAction } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { showShared, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'

/** What officers share with an auditor: packs to verify, read and download. */
export function Shared() {
  const { portal } = useStore()
  const packs = useKept(useAnswer('portal.packs', null, portal), 'shared packs')
  return (
    <Page
      title="Shared packs"
      under={`Evidence packs of ${visible(signedIn()?.engagement ?? '')} that an officer shared with you.`}
    >
      <Notice
        title="A pack that you open here is verified on the server of the audited organization."
        means="Download it and verify it on a computer that you control before you rely on it. Offline instructions are next to each pack."
      />
      <Ask answer={packs}>
        {(shared) =>
          shared.length === 0 ? (
            <EmptyState title="No shared packs">
              Packs are listed here as soon as an officer shares them with you.
            </EmptyState>
          ) : (
            shared.map((pack) => <OnePack key={pack.id} pack={pack} />)
          )
        }
      </Ask>
    </Page>
  )
}

function OnePack({ pack }: { readonly pack: SharedPack }) {
  const open = useAction('portal.open')
  const { id, run } = pack
  const title = `shared-${id}`
  return (
    <section aria-labelledby={title} className="shared-pack">
      <div className="section-head">
        <h2 id={title}>{firstUp(visible(packSubject(run)))}</h2>
        <Button
          kind="primary"
          busy={open.busy}
          label={`Verify and open ${visible(packSubject(run))}`}
          onPress={() =>
            void open.run({ id }).then((review) => {
              if (review !== null) showShared(true)
            })
          }
        >
          Verify and open
        </Button>
      </div>
      <SharedBy pack={pack} />
      {open.error !== null && <FailureNote error={open.error} />}
      <SharedFiles pack={pack} />
    </section>
  )
}

import { useState } from 'react'
import type { SharedPack } from '../../schemas/ipc-portal.ts'
import { useAction } from '../actions.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { Ask } from '../parts/Ask.tsx'
import { EndDialog } from '../parts/EndDialog.tsx'
import { Page } from '../parts/Page.tsx'
import { SharedBy, SharedFiles } from '../parts/SharedFiles.tsx'
import { isOffered } from '../routes.ts'
import { go, useStore } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'

/** What officers share with auditors of the server. */
export function Auditors() {
  const { portal } = useStore()
  const packs = useKept(useAnswer('portal.packs', null, portal), 'packs for auditors')
  return (
    <Page
      title="Auditors"
      under="Auditors read the packs that are shared with them, and nothing of the results that are shown here."
    >
      <section aria-labelledby="shared-packs">
        <h2 id="shared-packs">Shared packs</h2>
        <Ask answer={packs}>
          {(shared) =>
            shared.length === 0 ? (
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
            ) : (
              shared.map((pack) => <OnePack key={pack.id} pack={pack} />)
            )
          }
        </Ask>
      </section>
    </Page>
  )
}

function OnePack({ pack }: { readonly pack: SharedPack }) {
  const [ending, setEnding] = useState(false)
  const unshare = useAction('portal.unshare')
  const { id, run, ended } = pack
  const title = `shared-${id}`
  return (
    <section aria-labelledby={title} className="shared-pack">
      <div className="section-head">
        <h3 id={title}>Run {visible(run)}</h3>
        {ended === null && (
          <Button label={`Stop sharing run ${visible(run)}`} onPress={() => setEnding(true)}>
            Stop sharing…
          </Button>
        )}
      </div>
      <SharedBy pack={pack} />
      {ended === null ? (
        <SharedFiles pack={pack} />
      ) : (
        <p>
          Shared no longer: ended by {visible(ended.by)}, {when(ended.at)}. {visible(ended.reason)}
        </p>
      )}
      {ending && (
        <EndDialog
          title="Stop sharing"
          verb="Stop sharing"
          done={`Run ${run} is shared no longer.`}
          about={
            <p>
              Auditors can no longer open or download run {visible(run)} here. Files that they downloaded remain with
              them, and their worksheets remain on the server.
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

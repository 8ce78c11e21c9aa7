import { IconFileSearch, IconPlayerPlay, IconServerBolt } from '@tabler/icons-react'
import { useState } from 'react'
import { isOffered } from '../models/routes.ts'
import { may } from '../models/team.ts'
import { visible } from '../models/text.ts'
import { FailureNote } from '../parts/Ask.tsx'
import { OpeningProgress } from '../parts/OpeningRun.tsx'
import { Page } from '../parts/Page.tsx'
import { collect, useAction } from '../state/actions.ts'
import { announce, go, type Opening, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'

/** The purpose in one sentence and the ways to start; if there are results already, the progress of opening them. */
export function FirstRun() {
  const { opening } = useStore()
  return opening === null ? <WaysToStart /> : <OpeningLatest opening={opening} />
}

const OpeningLatest = ({ opening }: { readonly opening: Opening }) => (
  <Page
    title="Opening the latest results"
    under="Stored recordings are read and evaluated as of now; no node is contacted."
  >
    <OpeningProgress opening={opening} />
  </Page>
)

function WaysToStart() {
  const [busy, setBusy] = useState(false)
  const open = useAction('pack.choose-and-verify')
  const tryDemo = async (): Promise<void> => {
    setBusy(true)
    await collect('demo')
    setBusy(false)
  }
  return (
    <Page
      title="Collect audit evidence from your servers"
      under="Barewitness collects evidence of isolation, encryption, location and access from dedicated servers. It maps the evidence to HIPAA and SOC 2, states its limitations, and seals it for independent verification."
    >
      <div className="starts">
        {may('demo.open') && (
          <section aria-labelledby="start-demo">
            <h2 id="start-demo">Try the demo fleet</h2>
            <p id="start-demo-note">
              Recorded nodes on this computer, collected in about ten seconds. One is a virtual machine disguised as
              hardware; one is unreachable.
            </p>
            <Button
              kind="primary"
              icon={IconPlayerPlay}
              busy={busy}
              describedBy="start-demo-note"
              onPress={() => void tryDemo()}
            >
              Open demo fleet
            </Button>
          </section>
        )}
        {isOffered({ screen: 'nodes', part: 'import' }) && (
          <section aria-labelledby="start-own">
            <h2 id="start-own">Add your servers</h2>
            <p id="start-own-note">
              Import an SSH config, a CSV file or an Ansible inventory. No node is contacted before you start a
              collection, and every command is listed first.
            </p>
            <Button
              icon={IconServerBolt}
              describedBy="start-own-note"
              onPress={() => go({ screen: 'nodes', part: 'import' })}
            >
              Import nodes
            </Button>
          </section>
        )}
      </div>
      {may('pack.choose-and-verify') && (
        <p>
          <Button
            kind="link"
            icon={IconFileSearch}
            busy={open.busy}
            onPress={() =>
              void open.run(null).then((review) => {
                if (review !== null) announce(`${visible(review.file)} is open in the review window.`)
              })
            }
          >
            Open evidence pack
          </Button>
        </p>
      )}
      {open.error !== null && <FailureNote error={open.error} />}
      <p className="quiet assurance">
        Barewitness contacts only the nodes you list, the time-stamp authority you choose, and the receivers you enter
        in a schedule. It sends nothing else and does not check for updates.
      </p>
    </Page>
  )
}

import { IconFileSearch, IconPlayerPlay, IconServerBolt } from '@tabler/icons-react'
import { useState } from 'react'
import { collect, useAction } from '../actions.ts'
import { FailureNote } from '../parts/Failure.tsx'
import { Page } from '../parts/Page.tsx'
import { go, say } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'

/** What this is in one sentence, and three ways to start. */
export function FirstRun() {
  const [busy, setBusy] = useState(false)
  const open = useAction('pack.choose-and-verify')
  const tryDemo = async (): Promise<void> => {
    setBusy(true)
    await collect('demo')
    setBusy(false)
  }
  return (
    <Page
      title="See what your servers can show an auditor."
      under="Barewitness reads isolation, encryption, location and access from dedicated servers. It says what that supports and what it does not show, and seals it so that a stranger can check it."
    >
      <div className="starts">
        <section aria-labelledby="start-demo">
          <h2 id="start-demo">No servers at hand?</h2>
          <p id="start-demo-note">
            Recorded nodes answer on this computer, in about ten seconds. One is a virtual machine that poses as
            hardware; one cannot be reached.
          </p>
          <Button
            kind="primary"
            icon={IconPlayerPlay}
            busy={busy}
            describedBy="start-demo-note"
            onPress={() => void tryDemo()}
          >
            Try with a demo fleet
          </Button>
        </section>
        <section aria-labelledby="start-own">
          <h2 id="start-own">Your own fleet</h2>
          <p id="start-own-note">
            From an SSH config, a CSV file or an Ansible inventory. Nothing is contacted until you ask for it, and every
            command is shown first.
          </p>
          <Button
            icon={IconServerBolt}
            describedBy="start-own-note"
            onPress={() => go({ screen: 'nodes', part: 'import' })}
          >
            Add my servers
          </Button>
        </section>
      </div>
      <p>
        <Button
          kind="link"
          icon={IconFileSearch}
          busy={open.busy}
          onPress={() =>
            void open.run(null).then((review) => {
              if (review !== null) say(`${visible(review.file)} is open in the review window.`)
            })
          }
        >
          Open a pack I was sent
        </Button>
      </p>
      {open.error !== null && <FailureNote error={open.error} />}
      <p className="quiet promise">
        Barewitness contacts only the nodes you list and the time-stamp authority you choose. It sends nothing to
        anybody else, and looks for no updates.
      </p>
    </Page>
  )
}

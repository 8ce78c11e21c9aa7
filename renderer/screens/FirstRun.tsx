import { clearProgress, showRun, useAction } from '../actions.ts'
import { FailureNote } from '../parts/Failure.tsx'
import { Page } from '../parts/Page.tsx'
import { go } from '../store.ts'

/** What this is in one sentence, and three ways to start. */
export function FirstRun() {
  const demo = useAction('demo.open')
  const start = async (): Promise<void> => {
    clearProgress()
    if ((await demo.run(null)) !== null) await showRun()
  }
  return (
    <Page title="See what your servers can show an auditor.">
      <p className="lead">
        Barewitness reads evidence of isolation, encryption, location and access from dedicated servers, says what it
        supports and what it does not show, and seals it so that a stranger can check it.
      </p>
      {demo.error !== null && <FailureNote error={demo.error} />}
      <div className="starts">
        <section>
          <h2>Try the demo fleet</h2>
          <p>
            Eight recorded nodes answer over SSH on this computer. One is a virtual machine dressed up as hardware; one
            cannot be reached.
          </p>
          <button type="button" className="primary" disabled={demo.busy} onClick={() => void start()}>
            Try the demo fleet
          </button>
        </section>
        <section>
          <h2>Add my servers</h2>
          <p>
            Read them from an SSH config, a CSV file or an Ansible inventory. Nothing is contacted until you say so.
          </p>
          <button type="button" onClick={() => go({ screen: 'nodes' })}>
            Add my servers
          </button>
        </section>
        <section>
          <h2>Open a pack I was sent</h2>
          <p>Check its seal, its completeness and every verdict in it, on this computer, without a network.</p>
          <button type="button" onClick={() => go({ screen: 'review' })}>
            Open a pack
          </button>
        </section>
      </div>
      <p className="quiet">
        Barewitness contacts only the nodes you list. It sends nothing to anybody else, and looks for no updates.
      </p>
    </Page>
  )
}

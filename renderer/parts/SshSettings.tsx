import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { useSettings } from '../use-settings.ts'
import { FailureNote } from './Failure.tsx'

const MOST = 256

/** How nodes are asked, and with which rights. */
export function SshSettings() {
  const { settings, busy, error, keep } = useSettings()
  const [count, setCount] = useState(settings.concurrency)
  const wrong = !Number.isInteger(count) || count < 1 || count > MOST
  return (
    <section aria-labelledby="ssh" className="settings-part">
      <h2 id="ssh">SSH</h2>
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!wrong) void keep({ concurrency: count })
        }}
      >
        <NumberField
          label="Nodes asked at a time"
          description="Fewer is gentler on jump hosts and on networks that count new connections."
          minValue={1}
          maxValue={MOST}
          value={count}
          onChange={setCount}
          error={wrong ? `Give a whole number from 1 to ${MOST}.` : undefined}
        />
        <div className="actions">
          <Button type="submit" kind="primary" busy={busy} isDisabled={wrong || count === settings.concurrency}>
            Keep number
          </Button>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      <dl className="told">
        <div>
          <dt>Logging in</dt>
          <dd>
            Your SSH agent, and the key files that the SSH configuration or the fleet file names. One attempt a run, so
            that no account gets locked. A locked key file is opened with a passphrase that a small window asks you for.
          </dd>
        </div>
        <div>
          <dt>Passwords</dt>
          <dd>
            Asked for in a small window, where a node takes nothing else. It is sent to that node, and never kept.
          </dd>
        </div>
        <div>
          <dt>Host keys</dt>
          <dd>Checked before any login. A node with an unknown or changed key is not logged in to.</dd>
        </div>
        <div>
          <dt>Administrator rights (sudo)</dt>
          <dd>
            Decided node by node, under Nodes. Where allowed, each question runs alone with “sudo -n”, exactly as listed
            under “What we will run”. No shell is opened as root, and no password is typed. Without these rights, the
            same questions stay “Not enough evidence”.
          </dd>
        </div>
        <div>
          <dt>On the node</dt>
          <dd>
            We install nothing and write nothing. The node’s own logs record our login, and each command with sudo.
            Agent and X11 forwarding are never asked for.
          </dd>
        </div>
      </dl>
    </section>
  )
}

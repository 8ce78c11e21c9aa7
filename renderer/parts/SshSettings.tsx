import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { useSettings } from '../use-settings.ts'
import { FailureNote } from './Failure.tsx'

const MOST = 256

/** SSH connections and privileges. */
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
          label="Concurrent nodes"
          description="Use fewer for jump hosts and networks that limit new connections."
          minValue={1}
          maxValue={MOST}
          value={count}
          onChange={setCount}
          error={wrong ? `Enter a whole number from 1 to ${MOST}.` : undefined}
        />
        <div className="actions">
          <Button type="submit" kind="primary" busy={busy} isDisabled={wrong || count === settings.concurrency}>
            Save setting
          </Button>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      <dl className="told">
        <div>
          <dt>Login</dt>
          <dd>
            Uses your SSH agent, and the key files named in the SSH configuration or the fleet file. One attempt per
            run, to avoid account lockout. A separate window asks for the passphrase of an encrypted key file.
          </dd>
        </div>
        <div>
          <dt>Passwords</dt>
          <dd>
            Requested in a separate window, if a node accepts no other method. Sent to that node only, and never stored.
          </dd>
        </div>
        <div>
          <dt>Host keys</dt>
          <dd>Verified before login. No login to a node with an unverified or changed key.</dd>
        </div>
        <div>
          <dt>Privileged checks (sudo)</dt>
          <dd>
            Set by node under Nodes. If allowed, each command runs separately with “sudo -n”, exactly as listed in the
            command preview. No root shell is opened, and no password is entered. Without sudo, the checks are not
            tested.
          </dd>
        </div>
        <div>
          <dt>On the node</dt>
          <dd>
            Nothing is installed and nothing is written. The logs of the node record the login and each sudo command.
            Agent and X11 forwarding are never requested.
          </dd>
        </div>
      </dl>
    </section>
  )
}

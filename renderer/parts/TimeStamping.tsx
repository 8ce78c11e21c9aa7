import { useState } from 'react'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/TextField.tsx'
import { useSettings } from '../use-settings.ts'
import { FailureNote } from './Failure.tsx'

const ADDRESS = /^https?:\/\/[!-~]{1,490}$/

/** Whose clock says by when a pack existed, and what that authority gets to see. */
export function TimeStamping() {
  const { settings, busy, error, keep } = useSettings()
  const [address, setAddress] = useState(settings.authority ?? '')
  const typed = address.trim()
  const wrong = typed !== '' && !ADDRESS.test(typed)
  return (
    <section aria-labelledby="time-stamping" className="settings-part">
      <h2 id="time-stamping">Time-stamp authority</h2>
      <p className="prose">
        An authority signs the digest of a seal with its own clock (RFC 3161). Without one, a pack states the time of
        this computer only, and says so.
      </p>
      <p>{settings.authority === null ? 'None is set.' : `In use: ${visible(settings.authority)}`}</p>
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!wrong) void keep({ authority: typed === '' ? null : typed })
        }}
      >
        <TextField
          label="Address of the authority"
          description="Begins with https:// or http://. Empty for none."
          isRequired={false}
          mono
          maxLength={498}
          value={address}
          onChange={setAddress}
          error={wrong ? 'An address begins with https:// or http:// and holds no spaces.' : undefined}
        />
        <div className="actions">
          <Button type="submit" kind="primary" busy={busy} isDisabled={wrong || typed === (settings.authority ?? '')}>
            Keep address
          </Button>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      <h3>What the authority gets</h3>
      <p className="prose">
        A digest of 32 bytes, and the network address of this computer. No evidence, no names, no report. It is asked
        only while a pack is sealed, and only when you choose it there.
      </p>
      <h3>Testing it</h3>
      <p className="prose">
        There is no test without sealing: Barewitness makes no connection that you did not ask for. If the authority
        does not answer while sealing, the pack is sealed without an outside time, and you are told before you save it.
      </p>
    </section>
  )
}

import { useState } from 'react'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/TextField.tsx'
import { useSettings } from '../use-settings.ts'
import { FailureNote } from './Failure.tsx'

const ADDRESS = /^https?:\/\/[!-~]{1,490}$/

/** The time-stamp authority, and the data it receives. */
export function TimeStamping() {
  const { settings, busy, error, keep } = useSettings()
  const [address, setAddress] = useState(settings.authority ?? '')
  const typed = address.trim()
  const wrong = typed !== '' && !ADDRESS.test(typed)
  return (
    <section aria-labelledby="time-stamping" className="settings-part">
      <h2 id="time-stamping">Time-stamp authority</h2>
      <p className="prose">
        A time-stamp authority signs the digest of a seal and its time (RFC 3161 time-stamp). Without one, a pack states
        only the time of this computer.
      </p>
      <p>{settings.authority === null ? 'Not set.' : `In use: ${visible(settings.authority)}`}</p>
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!wrong) void keep({ authority: typed === '' ? null : typed })
        }}
      >
        <TextField
          label="Authority address"
          description="Begins with https:// or http://. Leave empty for none."
          isRequired={false}
          mono
          maxLength={498}
          value={address}
          onChange={setAddress}
          error={wrong ? 'Enter an address that begins with https:// or http:// and contains no spaces.' : undefined}
        />
        <div className="actions">
          <Button type="submit" kind="primary" busy={busy} isDisabled={wrong || typed === (settings.authority ?? '')}>
            Save address
          </Button>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      <h3>Data sent to the authority</h3>
      <p className="prose">
        A 32-byte digest, and the network address of this computer. No evidence, names or report. The request is sent
        only during sealing, and only if you choose it there.
      </p>
      <h3>Test</h3>
      <p className="prose">
        The address is tested during sealing only, because Barewitness makes no connection that you did not start. If
        the authority does not respond, the pack is sealed without a time-stamp, and you are notified before you save
        it.
      </p>
    </section>
  )
}

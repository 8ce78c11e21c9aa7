import { useState } from 'react'
import type { HostKeyRow } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'
import { Copy } from './Copy.tsx'

export interface DecideKeyProps {
  readonly row: HostKeyRow
  readonly onClose: () => void
  readonly onDone: (rows: readonly HostKeyRow[]) => void
}

/** A decision about one key and how it was verified. Closing changes nothing: a changed key continues to block its node. */
export function DecideKey({ row, onClose, onDone }: DecideKeyProps) {
  const [how, setHow] = useState('')
  const confirm = useAction('hostkeys.confirm')
  const fingerprint = row.fingerprint ?? ''
  const changed = row.state === 'changed'
  const send = async (): Promise<void> => {
    const rows = await confirm.run({ node: row.node, fingerprint, howVerified: how.trim() })
    if (rows !== null) onDone(rows)
  }
  return (
    <Dialog
      title={changed ? `Host key of ${visible(row.node)} changed` : `Confirm host key of ${visible(row.node)}`}
      onClose={onClose}
      actions={
        <>
          <Button
            kind={changed ? 'danger' : 'primary'}
            type="submit"
            form="decide-key"
            busy={confirm.busy}
            isDisabled={how.trim().length < 3}
          >
            {changed ? 'Replace host key' : 'Confirm host key'}
          </Button>
          <Button autoFocus={changed} onPress={onClose}>
            {changed ? 'Keep blocking' : 'Cancel'}
          </Button>
        </>
      }
    >
      <form
        id="decide-key"
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p>
          {changed
            ? 'A different machine may be answering at this address, or the node was reinstalled. Confirm the change with the node’s owner before you replace the key.'
            : 'The node presents this key. Compare every character with a fingerprint from your provider or from the console of the node.'}
        </p>
        <dl className="keys">
          {row.onRecord !== null && (
            <>
              <dt>On record</dt>
              <dd className="mono fingerprint">{row.onRecord}</dd>
            </>
          )}
          <dt>{changed ? 'Presented now' : 'Presented'}</dt>
          <dd>
            <span className="mono fingerprint">{fingerprint}</span>
            {row.keyType !== null && <span className="note">{visible(row.keyType)}</span>}
            <Copy text={fingerprint} what="the fingerprint" />
          </dd>
        </dl>
        <TextField
          label="Verification method"
          value={how}
          onChange={setHow}
          maxLength={500}
          placeholder="Provider console, read aloud by the owner, …"
          description="How you verified the key. Stored as evidence with the time and the fingerprint."
        />
        {confirm.error !== null && <FailureNote error={confirm.error} />}
      </form>
    </Dialog>
  )
}

import { useState } from 'react'
import type { FleetNodeView } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { announce, change } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Choice.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'

/** Address, account and privileged checks of a node. The name cannot change: evidence is stored under it. */
export function EditNode({ node, onClose }: { readonly node: FleetNodeView; readonly onClose: () => void }) {
  const [address, setAddress] = useState(node.address)
  const [port, setPort] = useState(node.port)
  const [user, setUser] = useState(node.user)
  const [sudo, setSudo] = useState(node.sudo)
  const save = useAction('fleet.edit-node')
  const wrongAddress = address.trim() === '' ? 'Enter a host name or an IP address.' : undefined
  const wrongPort = Number.isNaN(port) ? 'Enter a number from 1 to 65535.' : undefined
  const send = async (): Promise<void> => {
    const fleet = await save.run({ node: node.name, address: address.trim(), port, user: user.trim(), sudo })
    if (fleet === null) return
    change({ fleet })
    announce(`${node.name} saved.`)
    onClose()
  }
  return (
    <Dialog
      title={`Edit ${visible(node.name)}`}
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            type="submit"
            form="edit-node"
            busy={save.busy}
            isDisabled={wrongAddress !== undefined || wrongPort !== undefined}
          >
            Save node
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form
        id="edit-node"
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <div className="form-row">
          <TextField label="Address" value={address} onChange={setAddress} mono error={wrongAddress} maxLength={253} />
          <NumberField label="Port" value={port} onChange={setPort} minValue={1} maxValue={65_535} error={wrongPort} />
        </div>
        <TextField
          label="Account"
          isRequired={false}
          value={user}
          onChange={setUser}
          mono
          maxLength={64}
          description="If empty, your SSH configuration applies."
        />
        <Checkbox
          isSelected={sudo}
          onChange={setSudo}
          note="Some probes need root. Without sudo, their checks are not tested. No password is ever entered."
        >
          Run privileged checks with sudo
        </Checkbox>
        {node.jump.length > 0 && <p className="quiet">Reached through {visible(node.jump.join(', '))}.</p>}
        {save.error !== null && <FailureNote error={save.error} />}
      </form>
    </Dialog>
  )
}

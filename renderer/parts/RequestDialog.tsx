import { today } from '@internationalized/date'
import { type FormEvent, useId, useState } from 'react'
import { useAction } from '../actions.ts'
import type { Slot } from '../control-tree.ts'
import { say } from '../store.ts'
import { day } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'

export interface RequestDialogProps {
  readonly slot: Pick<Slot, 'framework' | 'control' | 'need' | 'request'>
  readonly onClose: () => void
  readonly onDone: () => void
}

const USUAL_DAYS = 30

/** Who is to bring a record that no server can show, and by when. */
export function RequestDialog({ slot, onClose, onDone }: RequestDialogProps) {
  const form = useId()
  const set = useAction('requests.set')
  const [owner, setOwner] = useState(slot.request?.owner ?? '')
  const [due, setDue] = useState(slot.request?.due.slice(0, 10) ?? today('UTC').add({ days: USUAL_DAYS }).toString())
  const [tried, setTried] = useState(false)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (owner.trim() === '' || due === '') return
    const { framework, control, need } = slot
    if ((await set.run({ framework, control, need, owner, due })) === null) return
    say(`${owner} is to bring the record by ${day(due)}.`)
    onDone()
  }
  return (
    <Dialog
      title="Set owner and date"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={set.busy}>
            Set owner and date
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>{slot.need}</p>
        <TextField
          label="Owner"
          description="Who is to bring this record."
          value={owner}
          onChange={setOwner}
          maxLength={200}
          error={tried && owner.trim() === '' ? 'Name who is to bring it.' : undefined}
          isRequired
          autoFocus
        />
        <DateField
          label="Due"
          value={due}
          onChange={setDue}
          error={tried && due === '' ? 'Choose a day.' : undefined}
          isRequired
        />
        {set.error !== null && <FailureNote error={set.error} />}
      </form>
    </Dialog>
  )
}

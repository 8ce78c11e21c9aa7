import { today } from '@internationalized/date'
import { type FormEvent, useId, useState } from 'react'
import type { ControlDocumentView } from '../../schemas/ipc-results.ts'
import { useAction } from '../actions.ts'
import type { DocumentTarget } from '../document-model.ts'
import { announce } from '../store.ts'
import { day } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'

export interface RequestDialogProps {
  readonly target: DocumentTarget
  readonly askedOf: ControlDocumentView['askedOf']
  readonly onClose: () => void
  readonly onDone: () => void
}

const USUAL_DAYS = 30

/** Owner and due date of an evidence request. */
export function RequestDialog({ target, askedOf, onClose, onDone }: RequestDialogProps) {
  const form = useId()
  const set = useAction('requests.set')
  const [owner, setOwner] = useState(askedOf?.owner ?? '')
  const [due, setDue] = useState(askedOf?.due.slice(0, 10) ?? today('UTC').add({ days: USUAL_DAYS }).toString())
  const [tried, setTried] = useState(false)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (owner.trim() === '' || due === '') return
    const { framework, control, need } = target
    if ((await set.run({ framework, control, need, owner, due })) === null) return
    announce(`Requested from ${owner}, due ${day(due)}.`)
    onDone()
  }
  return (
    <Dialog
      title="Set owner and due date"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={set.busy}>
            Set owner and due date
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>{target.need}</p>
        <TextField
          label="Owner"
          description="The person who provides this document."
          value={owner}
          onChange={setOwner}
          maxLength={200}
          error={tried && owner.trim() === '' ? 'Enter the owner.' : undefined}
          isRequired
          autoFocus
        />
        <DateField
          label="Due"
          value={due}
          onChange={setDue}
          error={tried && due === '' ? 'Choose a due date.' : undefined}
          isRequired
        />
        {set.error !== null && <FailureNote error={set.error} />}
      </form>
    </Dialog>
  )
}

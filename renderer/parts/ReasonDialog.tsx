import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { announce, outdated } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea } from '../ui/Field.tsx'
import { FailureNote } from './Ask.tsx'
import { useSigningKey } from './TrustAnchors.tsx'

export interface ReasonDialogProps {
  readonly title: string
  /** The subject of the entry and its effect. */
  readonly about: ReactNode
  readonly verb: string
  /** Announced when done. */
  readonly done: string
  readonly label: string
  readonly action: { readonly busy: boolean; readonly error: CallFailure | null }
  /** Whether the entry was made. */
  readonly send: (why: string, identity: string | null) => Promise<boolean>
  readonly onClose: () => void
}

/** A signed entry about runs: text, signature, and a permanent entry in the run chain. */
export function ReasonDialog({ title, about, verb, done, label, action, send, onClose }: ReasonDialogProps) {
  const form = useId()
  const { identity, choice } = useSigningKey()
  const [why, setWhy] = useState('')
  const [tried, setTried] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (why.trim().length < 3 || !(await send(why.trim(), identity))) return
    announce(done)
    outdated()
    onClose()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={action.busy}>
            {verb}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void submit(event)} noValidate>
        {about}
        <TextArea
          label={label}
          value={why}
          onChange={setWhy}
          maxLength={1000}
          error={tried && why.trim().length < 3 ? 'Enter at least 3 characters.' : undefined}
          isRequired
          autoFocus
        />
        {choice}
        <p className="quiet">The entry is digitally signed and permanent in the run chain. Removal is detectable.</p>
        {action.error !== null && <FailureNote error={action.error} />}
      </form>
    </Dialog>
  )
}

/** Records why a scheduled run did not take place. */
export function GapDialog({
  schedule,
  due,
  about,
  onClose,
}: {
  readonly schedule: string | null
  readonly due: string
  readonly about: string
  readonly onClose: () => void
}) {
  const action = useAction('history.record-gap')
  return (
    <ReasonDialog
      title="Record missed run"
      about={<p>{about}</p>}
      verb="Record missed run"
      done="Missed run recorded."
      label="Reason"
      action={action}
      send={async (why, identity) => (await action.run({ schedule, due, why, identity })) !== null}
      onClose={onClose}
    />
  )
}

/** Sets the run that later runs are compared with. */
export function BaselineDialog({
  run,
  about,
  onClose,
}: {
  readonly run: string
  readonly about: string
  readonly onClose: () => void
}) {
  const action = useAction('history.set-baseline')
  return (
    <ReasonDialog
      title="Set baseline"
      about={<p>{about} Later runs are compared with it until you set another one.</p>}
      verb="Set baseline"
      done="Baseline set."
      label="Reason"
      action={action}
      send={async (why, identity) => (await action.run({ run, why, identity })) !== null}
      onClose={onClose}
    />
  )
}

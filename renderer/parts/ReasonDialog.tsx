import { type ReactNode, useState } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { useAction } from '../state/actions.ts'
import { announce, outdated } from '../state/store.ts'
import { TextArea } from '../ui/Field.tsx'
import { FormDialog } from './FormDialog.tsx'
import { useSigningKey } from './SignEntry.tsx'

interface ReasonFormProps {
  readonly title: string
  /** The subject and the effect. */
  readonly about: ReactNode
  readonly verb: string
  /** `danger`: the effect ends something. */
  readonly kind: 'primary' | 'danger'
  /** Announced when done. */
  readonly done: string
  readonly maxLength: number
  readonly action: { readonly busy: boolean; readonly error: CallFailure | null }
  /** Returns whether it was done. */
  readonly send: (reason: string) => Promise<boolean>
  readonly onClose: () => void
  /** Below the reason. */
  readonly children?: ReactNode
}

const SHORTEST = 3

/** A dialog for an action that needs only a reason. */
export function ReasonForm(props: ReasonFormProps) {
  const { title, about, verb, kind, done, maxLength, action, send, onClose, children } = props
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const isShort = reason.trim().length < SHORTEST
  const submit = async (): Promise<void> => {
    setTried(true)
    if (isShort || !(await send(reason.trim()))) return
    announce(done)
    onClose()
  }
  return (
    <FormDialog title={title} verb={verb} kind={kind} action={action} onSubmit={submit} onClose={onClose}>
      {about}
      <TextArea
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={maxLength}
        error={tried && isShort ? `Enter at least ${SHORTEST} characters.` : undefined}
        isRequired
        autoFocus
      />
      {children}
    </FormDialog>
  )
}

interface ReasonDialogProps extends Omit<ReasonFormProps, 'kind' | 'maxLength' | 'send' | 'children'> {
  /** Returns whether the entry was made. */
  readonly send: (why: string, identity: string | null) => Promise<boolean>
}

/** A signed entry about runs: text, signature, and a permanent entry in the run chain. */
function ReasonDialog({ send, ...form }: ReasonDialogProps) {
  const { identity, choice } = useSigningKey()
  return (
    <ReasonForm
      {...form}
      kind="primary"
      maxLength={1000}
      send={async (why) => {
        const isMade = await send(why, identity)
        if (isMade) outdated()
        return isMade
      }}
    >
      {choice}
      <p className="quiet">The entry is digitally signed and permanent in the run chain. Removal is detectable.</p>
    </ReasonForm>
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
      action={action}
      send={async (why, identity) => (await action.run({ run, why, identity })) !== null}
      onClose={onClose}
    />
  )
}

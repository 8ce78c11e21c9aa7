import { type ReactNode, useState } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { announce } from '../store.ts'
import { TextArea } from '../ui/Field.tsx'
import { FormDialog } from './FormDialog.tsx'

export interface ReasonFormProps {
  readonly title: string
  /** The subject and the effect. */
  readonly about: ReactNode
  readonly verb: string
  /** Whether the effect is an end. */
  readonly kind: 'primary' | 'danger'
  /** Announced when done. */
  readonly done: string
  readonly maxLength: number
  readonly action: { readonly busy: boolean; readonly error: CallFailure | null }
  /** Whether it was done. */
  readonly send: (reason: string) => Promise<boolean>
  readonly onClose: () => void
  /** Below the reason. */
  readonly children?: ReactNode
}

const SHORTEST = 3

/** A dialog for what needs a reason and nothing else. */
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

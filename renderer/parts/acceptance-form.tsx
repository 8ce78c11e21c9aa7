import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'
import { daysFromToday, SamePerson, UntilField } from './UntilField.tsx'

const USUAL_DAYS = 90

export interface AcceptanceForm {
  readonly texts: AcceptanceTexts
  /** A date in UTC, YYYY-MM-DD. */
  readonly until: string
  /** Whether the form was submitted, so that missing values are reported. */
  readonly tried: boolean
  /** Marks the form as submitted. Whether it can be sent. */
  readonly submit: () => boolean
  readonly reasons: ReactNode
  readonly people: ReactNode
}

/** What is stated of every risk acceptance, and of a request for one (`approved` is false), with its fields. */
export function useAcceptanceForm(approved: boolean): AcceptanceForm {
  const [texts, setTexts] = useState(EMPTY_ACCEPTANCE)
  const [until, setUntil] = useState(daysFromToday(USUAL_DAYS))
  const [tried, setTried] = useState(false)
  const lacks = acceptanceLacks(texts, approved)
  const field = (name: keyof AcceptanceTexts, label: string) => ({
    label,
    value: texts[name],
    onChange: (value: string) => setTexts({ ...texts, [name]: value }),
    error: tried ? lacks[name] : undefined,
    isRequired: true,
  })
  const submit = (): boolean => {
    setTried(true)
    return Object.keys(lacks).length === 0 && until !== ''
  }
  const reasons = (
    <>
      <TextArea {...field('reason', 'Reason')} maxLength={2000} autoFocus />
      <TextArea {...field('compensatingControl', 'Compensating control')} maxLength={2000} />
    </>
  )
  const people = (
    <>
      <div className="form-pair">
        <TextField {...field('owner', 'Owner')} maxLength={200} />
        <UntilField label="Expires" value={until} onChange={setUntil} tried={tried} />
        <TextField {...field('requestedBy', 'Requested by')} maxLength={200} />
        {approved && (
          <>
            <TextField {...field('approvedBy', 'Approved by')} maxLength={200} />
            <TextField {...field('approverRole', 'Approver’s role')} maxLength={200} />
          </>
        )}
      </div>
      {approved && <SamePerson requestedBy={texts.requestedBy} approvedBy={texts.approvedBy} />}
    </>
  )
  return { texts, until, tried, submit, reasons, people }
}

export interface AcceptanceDialogProps {
  readonly verb: string
  readonly busy: boolean
  readonly isDisabled?: boolean
  readonly error: CallFailure | null
  readonly onSend: () => Promise<void>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The dialog in which a risk is accepted. No verdict changes. */
export function AcceptanceDialog({
  verb,
  busy,
  isDisabled = false,
  error,
  onSend,
  onClose,
  children,
}: AcceptanceDialogProps) {
  const form = useId()
  const send = (event: FormEvent): void => {
    event.preventDefault()
    void onSend()
  }
  return (
    <Dialog
      title="Add risk acceptance"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={busy} isDisabled={isDisabled}>
            {verb}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={send} noValidate>
        {children}
        {error !== null && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}

/** What a person enters for a risk acceptance; the last two are empty for a request. */
export const EMPTY_ACCEPTANCE = {
  reason: '',
  compensatingControl: '',
  owner: '',
  requestedBy: '',
  approvedBy: '',
  approverRole: '',
}

type AcceptanceTexts = typeof EMPTY_ACCEPTANCE
type Field = keyof AcceptanceTexts

const PROBLEMS: Readonly<Record<Field, string>> = {
  reason: 'Enter a reason of at least 3 characters.',
  compensatingControl: 'Describe the compensating control, or enter “None” and the reason.',
  owner: 'Enter the owner.',
  requestedBy: 'Enter the requester.',
  approvedBy: 'Enter the approver.',
  approverRole: 'Enter the approver’s role.',
}

const SHORTEST: Readonly<Partial<Record<Field, number>>> = { reason: 3, compensatingControl: 3 }
const OF_APPROVAL: readonly Field[] = ['approvedBy', 'approverRole']

/** What is missing from an acceptance, or from a request for one, by field; empty when it can be sent. */
export function acceptanceLacks(texts: AcceptanceTexts, approved: boolean): Readonly<Partial<Record<Field, string>>> {
  const fields = (Object.keys(PROBLEMS) as Field[]).filter((name) => approved || !OF_APPROVAL.includes(name))
  return Object.fromEntries(
    fields.flatMap((name) => (texts[name].trim().length < (SHORTEST[name] ?? 1) ? [[name, PROBLEMS[name]]] : [])),
  )
}

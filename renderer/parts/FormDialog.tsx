import { type FormEvent, type ReactNode, useId } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { focusProblemSoon } from '../state/first-problem.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, type DialogProps } from '../ui/Dialog.tsx'
import { FailureNote } from './Ask.tsx'

interface FormDialogProps extends Pick<DialogProps, 'title' | 'size' | 'alert' | 'onClose' | 'children'> {
  /** Label of the button that submits. */
  readonly verb: string
  /** `danger`: submitting ends or removes something. */
  readonly kind?: 'primary' | 'danger'
  readonly isDisabled?: boolean
  /** Id of the text that states why the button is disabled. */
  readonly describedBy?: string
  /** The call that submitting makes. */
  readonly action: { readonly busy: boolean; readonly error: CallFailure | null }
  readonly onSubmit: () => void | Promise<void>
  /** Further buttons, before the one that closes the dialog. */
  readonly more?: ReactNode
}

/** Handles the submission of a form. Enter sends nothing more while the call that submitting made is in progress. */
export const submitOnce =
  ({ busy }: { readonly busy: boolean }, onSubmit: () => void | Promise<void>) =>
  (event: Pick<FormEvent<HTMLFormElement>, 'preventDefault' | 'currentTarget'>): void => {
    event.preventDefault()
    if (busy) return
    void onSubmit()
    focusProblemSoon(event.currentTarget)
  }

/** A dialog with one form, sent by its first button or by Enter. Its fields state what is missing, so the browser does not check them. */
export function FormDialog({
  verb,
  isDisabled = false,
  describedBy,
  kind = 'primary',
  action,
  onSubmit,
  more,
  onClose,
  children,
  ...dialog
}: FormDialogProps) {
  const form = useId()
  const submitting = { isDisabled, ...(describedBy === undefined ? {} : { describedBy }) }
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      actions={
        <>
          <Button kind={kind} type="submit" form={form} busy={action.busy} {...submitting}>
            {verb}
          </Button>
          {more}
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={submitOnce(action, onSubmit)} noValidate>
        {children}
        {action.error !== null && <FailureNote error={action.error} />}
      </form>
    </Dialog>
  )
}

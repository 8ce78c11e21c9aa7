import { type ReactNode, useState } from 'react'
import { findingStatusWords } from '../../schemas/conclusion-words.ts'
import type { ResponseView } from '../../schemas/ipc-findings.ts'
import { plural } from '../models/text.ts'
import { type Action, useAction } from '../state/actions.ts'
import { focusProblemSoon } from '../state/first-problem.ts'
import {
  draftOf,
  formOf,
  keepResponse,
  keptResponse,
  lackingIn,
  RESPONSE_STATUSES,
  type ResponseForm,
  type ResponseStatus,
  recorded,
  rememberStatedBy,
  statesMore,
} from '../state/response-model.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { bound, TextArea, TextField } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { daysFromToday } from './Acceptances.tsx'
import { FailureNote } from './Ask.tsx'
import { FormDialog } from './FormDialog.tsx'
import { useSignature } from './SignEntry.tsx'

const LONGEST_DUE_DAYS = 1096
const KEEP = 'keep'

interface Responding {
  readonly action: Pick<Action<'responses.set'>, 'busy' | 'error'>
  readonly fields: ReactNode
  readonly send: () => Promise<void>
  /** Drops unsaved input; null if there is none. */
  readonly discard: (() => void) | null
}

interface RespondingTo {
  readonly current: ResponseView | null
  /** The name under which unsaved input is kept; null if it is dropped with its dialog. */
  readonly draft: string | null
  readonly onDone: () => void
}

/** The fields of a management response, and the function that records them. A response changes no verdict. */
function useResponding(checks: readonly string[], { current, draft, onDone }: RespondingTo): Responding {
  const action = useAction('responses.set')
  const stored = formOf(current)
  const [form, setForm] = useState<ResponseForm>(() => keptResponse(draft) ?? stored)
  const [tried, setTried] = useState(false)
  const show = (next: ResponseForm): void => {
    keepResponse(draft, statesMore(next, stored) ? next : null)
    setForm(next)
  }
  // The form remains when its response is recorded or withdrawn, so that the focus remains too.
  const [shown, setShown] = useState(current?.id ?? null)
  if (shown !== (current?.id ?? null)) {
    setShown(current?.id ?? null)
    setTried(false)
    show(stored)
  }
  const { identity, choice } = useSignature('respondent')
  const lacking = tried ? lackingIn(form) : {}
  const put = (part: Partial<ResponseForm>): void => show({ ...form, ...part })
  const isOne = checks.length === 1
  const send = async (): Promise<void> => {
    setTried(true)
    if (Object.keys(lackingIn(form)).length > 0) return
    const saved = await action.run(draftOf(form, checks, identity))
    if (saved === null) return
    rememberStatedBy(form.statedBy)
    keepResponse(draft, null)
    const text =
      saved.ids.length === 0
        ? 'Nothing changed: these findings already state this.'
        : `Response saved for ${plural(saved.ids.length, 'finding')}${saved.isSigned ? ', signed' : ', not signed'}.`
    recorded(text, saved.ids, { method: 'responses.withdraw', by: form.statedBy.trim() })
    onDone()
  }
  const fields = (
    <>
      <TextField label="Owner" {...bound(form, put, 'owner')} maxLength={200} error={lacking.owner} />
      <DateField
        label="Due"
        {...bound(form, put, 'due')}
        min={daysFromToday(0)}
        max={daysFromToday(LONGEST_DUE_DAYS)}
      />
      <Select
        label="Status"
        value={form.status ?? (isOne ? 'open' : KEEP)}
        onChange={(id) => put({ status: id === KEEP ? null : id })}
        options={[
          ...(isOne ? [] : [{ id: KEEP as ResponseStatus | typeof KEEP, title: 'Unchanged' }]),
          ...RESPONSE_STATUSES.map((id) => ({ id, title: findingStatusWords[id] })),
        ]}
      />
      <TextArea
        label="Plan"
        {...bound(form, put, 'plan')}
        maxLength={2000}
        placeholder="What will be done, and how it will be tested"
        error={lacking.plan}
      />
      {isOne && <TextArea label="Cause" {...bound(form, put, 'cause')} maxLength={2000} rows={2} />}
      <TextField
        label="Stated by"
        {...bound(form, put, 'statedBy')}
        maxLength={200}
        error={lacking.statedBy}
        isRequired
      />
      {choice}
    </>
  )
  const discard = (): void => {
    setTried(false)
    show(stored)
  }
  return { action, fields, send, discard: draft !== null && statesMore(form, stored) ? discard : null }
}

interface OneResponseProps {
  /** The finding. Unsaved input is kept under it while other screens are open. */
  readonly reference: string
  readonly check: string
  readonly current: ResponseView | null
}

/** The response to one finding, shown beside it. */
export function OneResponse({ reference, check, current }: OneResponseProps) {
  const { action, fields, send, discard } = useResponding([check], {
    current,
    draft: reference,
    onDone: () => undefined,
  })
  return (
    <form
      className="response-form"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
        focusProblemSoon(event.currentTarget)
      }}
      noValidate
    >
      {fields}
      {action.error !== null && <FailureNote error={action.error} />}
      <p className="note">A response does not change the verdict. A later run confirms a remediation.</p>
      <div className="actions">
        <Button type="submit" busy={action.busy}>
          Save response
        </Button>
        {discard !== null && (
          <Button kind="quiet" onPress={discard}>
            Discard changes
          </Button>
        )}
      </div>
      {discard !== null && <p className="note">Not saved yet. It is kept until you close this window.</p>}
    </form>
  )
}

interface ResponseDialogProps {
  readonly checks: readonly string[]
  readonly onDone: () => void
  /** Closed without a response. */
  readonly onClose: () => void
}

/** One response to several findings. */
export function ResponseDialog({ checks, onDone, onClose }: ResponseDialogProps) {
  const { action, fields, send } = useResponding(checks, { current: null, draft: null, onDone })
  return (
    <FormDialog
      title={`Respond to ${plural(checks.length, 'finding')}`}
      verb="Save response"
      action={action}
      onSubmit={send}
      onClose={onClose}
    >
      {checks.length > 1 && <p className="quiet">An empty field keeps what each finding has.</p>}
      {fields}
      <p className="note">A response does not change the verdict.</p>
    </FormDialog>
  )
}

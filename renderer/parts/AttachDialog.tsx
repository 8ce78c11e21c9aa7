import { today } from '@internationalized/date'
import { type FormEvent, useId, useState } from 'react'
import { EVIDENCE_LEVELS, levelWords } from '../../schemas/conclusion-words.ts'
import type { AttachmentDraft } from '../../schemas/ipc-packs.ts'
import type { AssessmentView, EvidenceRequestView } from '../../schemas/ipc-results.ts'
import { useAction } from '../actions.ts'
import {
  type AttachForm,
  attachLacks,
  attachmentInput,
  emptyForm,
  isSamePerson,
  needsInspection,
  SAME_PERSON,
} from '../attach-model.ts'
import { isBelow, minimumOf } from '../document-model.ts'
import { say } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { AnswersField } from './AnswersField.tsx'
import { FailureNote } from './Failure.tsx'

export interface AttachDialogProps {
  readonly view: AssessmentView
  /** The evidence request that it answers; null for a need of a customer’s own mapping, or for a control itself. */
  readonly request: EvidenceRequestView | null
  readonly controls: AttachmentDraft['controls']
  /** What is asked for, or null for the control itself. */
  readonly need: string | null
  /** What it is attached to, in words. */
  readonly about: string
  readonly onClose: () => void
  readonly onDone: () => void
}

const LEVELS = EVIDENCE_LEVELS.map((id) => ({ id, title: levelWords[id].label, note: levelWords[id].meaning }))

/** The text fields of a form. */
type Texts = 'name' | 'note' | 'shows' | 'saidBy' | 'owner' | 'inspectedBy' | 'lookedAt'

/** A file or a note that answers an evidence request: what it shows, who provided it, its level, and until when it is valid. */
export function AttachDialog({ view, request, controls, need, about, onClose, onDone }: AttachDialogProps) {
  const formId = useId()
  const add = useAction('attachments.add')
  const note = useAction('attachments.note')
  const [form, setForm] = useState(() => emptyForm(today('UTC').toString(), today('UTC').add({ years: 1 }).toString()))
  const [tried, setTried] = useState(false)
  const put = (part: Partial<AttachForm>): void => setForm({ ...form, ...part })
  const lacks = tried ? attachLacks(form) : {}
  const text = (field: Texts) => ({
    value: form[field],
    onChange: (value: string) => put({ [field]: value }),
    error: lacks[field],
    isRequired: true,
  })
  const minimum = minimumOf({ request })
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    const draft = attachmentInput({ controls, need }, form)
    if (draft === null) return
    const done =
      form.kind === 'file' ? await add.run(draft) : await note.run({ ...draft, name: form.name, text: form.note })
    if (done === null) return
    say(form.kind === 'file' ? 'File attached.' : 'Note attached.')
    onDone()
  }
  const error = form.kind === 'file' ? add.error : note.error
  return (
    <Dialog
      title="Attach document"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={formId} busy={add.busy || note.busy}>
            {form.kind === 'file' ? 'Choose file and attach' : 'Attach note'}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={formId} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>
          {request !== null && <span className="mono">{request.id} </span>}
          {about}
          {request !== null && <span className="note">Inspected for: {request.inspects}</span>}
          {request !== null && (
            <span className="note">It answers this evidence request in every control that the request serves.</span>
          )}
          {need === null && <span className="note">It answers no evidence request and does not count.</span>}
        </p>
        <RadioGroup
          label="What is attached"
          inline
          value={form.kind}
          onChange={(kind) => put({ kind })}
          options={[
            { id: 'file', title: 'A file' },
            { id: 'note', title: 'A note' },
          ]}
        />
        {form.kind === 'note' && (
          <>
            <TextField label="Title of the note" maxLength={255} {...text('name')} />
            <TextArea label="Text of the note" rows={6} maxLength={100_000} {...text('note')} />
          </>
        )}
        <TextArea
          label="What it shows"
          description="In your words. Reports and packs print it with the document."
          maxLength={2000}
          {...text('shows')}
        />
        <div className="form-pair">
          <TextField label="Provided by" maxLength={200} {...text('saidBy')} />
          <TextField label="Owner" maxLength={200} {...text('owner')} />
        </div>
        <RadioGroup
          label="Level"
          description={
            need === null
              ? undefined
              : `It counts from “${levelWords[minimum].label}” on, with a conclusion that supports.`
          }
          value={form.level}
          onChange={(level) => put({ level })}
          options={LEVELS}
        />
        {need !== null && isBelow(form.level, minimum) && (
          <p className="quiet" role="status">
            At this level the request stays outstanding.
          </p>
        )}
        {needsInspection(form.level) && <InspectionFields form={form} lacks={lacks} put={put} text={text} />}
        <AnswersField view={view} request={request} form={form} lacks={lacks} put={put} />
        <Checkbox
          isSelected={form.ends}
          onChange={(ends) => put({ ends })}
          note="After that day it no longer counts. Without one it counts for a year."
        >
          It is valid until a day
        </Checkbox>
        {form.ends && (
          <DateField
            label="Valid until"
            value={form.validUntil}
            onChange={(validUntil) => put({ validUntil })}
            min={today('UTC').add({ days: 1 }).toString()}
            error={lacks.validUntil}
            isRequired
          />
        )}
        <p className="quiet">
          Its bytes are stored by their SHA-256 digest and never run. Reports and packs list it; packs hold a copy.
        </p>
        {error !== null && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}

interface InspectionFieldsProps {
  readonly form: AttachForm
  readonly lacks: ReturnType<typeof attachLacks>
  readonly put: (part: Partial<AttachForm>) => void
  readonly text: (field: Texts) => {
    readonly value: string
    readonly onChange: (value: string) => void
    readonly error: string | undefined
    readonly isRequired: boolean
  }
}

/** Who inspected the document, when, what was looked at, and the conclusion (AT-C 205). */
function InspectionFields({ form, lacks, put, text }: InspectionFieldsProps) {
  return (
    <>
      <div className="form-pair">
        <TextField
          label={form.level === 'reperformed' ? 'Reperformed by' : 'Inspected by'}
          description={isSamePerson(form.inspectedBy, form.saidBy) ? SAME_PERSON : undefined}
          maxLength={200}
          {...text('inspectedBy')}
        />
        <DateField
          label="Inspected on"
          value={form.inspectedOn}
          onChange={(inspectedOn) => put({ inspectedOn })}
          max={today('UTC').toString()}
          error={lacks.inspectedOn}
          isRequired
        />
      </div>
      <TextArea
        label="What was looked at"
        description="Population, sample, and what it was compared with."
        maxLength={2000}
        {...text('lookedAt')}
      />
      <RadioGroup
        label="Conclusion"
        inline
        value={form.conclusion}
        onChange={(conclusion) => put({ conclusion })}
        error={lacks.conclusion}
        options={[
          { id: 'supports', title: 'Supports' },
          {
            id: 'does-not-support',
            title: 'Does not support',
            note: 'It is a deviation in every control that it serves.',
          },
        ]}
      />
    </>
  )
}

import { today } from '@internationalized/date'
import { type FormEvent, useId, useState } from 'react'
import type { AttachmentDraft } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'

export interface AttachDialogProps {
  readonly controls: AttachmentDraft['controls']
  /** The listed record that this fills, or null for the control as a whole. */
  readonly need: string | null
  /** What it is attached to, in words. */
  readonly about: string
  readonly onClose: () => void
  readonly onDone: () => void
}

const EMPTY = { shows: '', saidBy: '', owner: '', name: '', note: '' }
type Texts = typeof EMPTY
const METHODS = [
  { id: 'examined', title: 'Examined', note: 'Somebody looked at it.' },
  { id: 'asked', title: 'Asked', note: 'Somebody was asked and answered.' },
  { id: 'received', title: 'Received', note: 'It was received from somebody.' },
] as const

/** A file or a note as evidence that no server can give: what it shows, who says so, how it came, and until when it holds. */
export function AttachDialog({ controls, need, about, onClose, onDone }: AttachDialogProps) {
  const form = useId()
  const add = useAction('attachments.add')
  const note = useAction('attachments.note')
  const [kind, setKind] = useState<'file' | 'note'>('file')
  const [texts, setTexts] = useState(EMPTY)
  const [method, setMethod] = useState<AttachmentDraft['method']>('examined')
  const [ends, setEnds] = useState(true)
  const [validUntil, setValidUntil] = useState(today('UTC').add({ years: 1 }).toString())
  const [tried, setTried] = useState(false)
  const put = (field: keyof Texts) => (value: string) => setTexts({ ...texts, [field]: value })
  const wrong = (field: keyof Texts, least: number, words: string): { readonly error: string | undefined } => ({
    error: tried && texts[field].trim().length < least ? words : undefined,
  })
  const isReady =
    texts.shows.trim().length >= 3 &&
    texts.saidBy.trim() !== '' &&
    texts.owner.trim() !== '' &&
    (!ends || validUntil !== '') &&
    (kind === 'file' || (texts.name.trim() !== '' && texts.note.trim() !== ''))
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (!isReady) return
    const { shows, saidBy, owner, name, note: text } = texts
    const draft = { controls, need, shows, saidBy, method, owner, validUntil: ends ? validUntil : null }
    const done = kind === 'file' ? await add.run(draft) : await note.run({ ...draft, name, text })
    if (done === null) return
    say(kind === 'file' ? 'File attached.' : 'Note attached.')
    onDone()
  }
  const error = kind === 'file' ? add.error : note.error
  return (
    <Dialog
      title={need === null ? 'Attach a record' : 'Attach the record'}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={add.busy || note.busy}>
            {kind === 'file' ? 'Choose file and attach' : 'Attach note'}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>{about}</p>
        <RadioGroup
          label="What is attached"
          inline
          value={kind}
          onChange={setKind}
          options={[
            { id: 'file', title: 'A file' },
            { id: 'note', title: 'A note' },
          ]}
        />
        {kind === 'note' && (
          <>
            <TextField
              label="Title of the note"
              value={texts.name}
              onChange={put('name')}
              maxLength={255}
              {...wrong('name', 1, 'Give the note a title.')}
              isRequired
            />
            <TextArea
              label="Text of the note"
              rows={6}
              value={texts.note}
              onChange={put('note')}
              maxLength={100_000}
              {...wrong('note', 1, 'Write the note.')}
              isRequired
            />
          </>
        )}
        <TextArea
          label="What it shows"
          description="In your words; it stands beside the record in reports and packs."
          value={texts.shows}
          onChange={put('shows')}
          maxLength={2000}
          {...wrong('shows', 3, 'Say what it shows.')}
          isRequired
        />
        <RadioGroup label="How it came" inline value={method} onChange={setMethod} options={METHODS} />
        <div className="form-pair">
          <TextField
            label="Who says so"
            value={texts.saidBy}
            onChange={put('saidBy')}
            maxLength={200}
            {...wrong('saidBy', 1, 'Name the person or body.')}
            isRequired
          />
          <TextField
            label="Owner"
            value={texts.owner}
            onChange={put('owner')}
            maxLength={200}
            {...wrong('owner', 1, 'Name who keeps it current.')}
            isRequired
          />
        </div>
        <Checkbox isSelected={ends} onChange={setEnds} note="After that day it no longer counts as attached.">
          It is valid until a day
        </Checkbox>
        {ends && (
          <DateField
            label="Valid until"
            value={validUntil}
            onChange={setValidUntil}
            min={today('UTC').add({ days: 1 }).toString()}
            error={tried && validUntil === '' ? 'Choose a day, or say that it has no end.' : undefined}
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

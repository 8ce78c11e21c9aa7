import { today } from '@internationalized/date'
import { type FormEvent, useId, useState } from 'react'
import type { CheckView } from '../../schemas/ipc-results.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { day, plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'

export interface ExceptionDialogProps {
  readonly check: CheckView
  readonly node: string
  readonly verdict: Verdict
  /** Every declared node on which the same check came out the same, this one included. */
  readonly alike: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}

const LONGEST_DAYS = 366
const USUAL_DAYS = 90
const EMPTY = { reason: '', compensatingMeasure: '', owner: '', requestedBy: '', approvedBy: '' }
type Texts = typeof EMPTY

/** What is missing of an acceptance, by field. Nothing is missing of one that can be sent. */
const missingOf = (texts: Texts): Partial<Record<keyof Texts, string>> => ({
  ...(texts.reason.trim().length < 3 ? { reason: 'Say why the finding is accepted.' } : {}),
  ...(texts.compensatingMeasure.trim().length < 3
    ? { compensatingMeasure: 'Say what is done instead, or “none” and why.' }
    : {}),
  ...(texts.owner.trim() === '' ? { owner: 'Name who answers for it.' } : {}),
  ...(texts.requestedBy.trim() === '' ? { requestedBy: 'Name who asked for it.' } : {}),
  ...(texts.approvedBy.trim() === '' ? { approvedBy: 'Name who approved it.' } : {}),
})

/** A finding that somebody accepts until a day. The verdict stays what it is, and the dialog says so. */
export function ExceptionDialog({ check, node, verdict, alike, onClose, onDone }: ExceptionDialogProps) {
  const form = useId()
  const accept = useAction('exceptions.accept')
  const [texts, setTexts] = useState(EMPTY)
  const [scope, setScope] = useState<'node' | 'alike'>('node')
  const [until, setUntil] = useState(today('UTC').add({ days: USUAL_DAYS }).toString())
  const [tried, setTried] = useState(false)
  const missing = missingOf(texts)
  const nodes = scope === 'node' ? [node] : alike
  const put = (field: keyof Texts) => (value: string) => setTexts({ ...texts, [field]: value })
  const field = (name: keyof Texts, label: string) => ({
    label,
    value: texts[name],
    onChange: put(name),
    error: tried ? missing[name] : undefined,
    isRequired: true,
  })
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (Object.keys(missing).length > 0 || until === '') return
    const done = await accept.run({ check: check.id, nodes, until, ...texts })
    if (done === null) return
    say(`Acceptance recorded on ${plural(nodes.length, 'node')} until ${day(until)}.`)
    onDone()
  }
  return (
    <Dialog
      title="Accept this finding until a day"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={accept.busy}>
            Record acceptance
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>
          {check.claim} <span className="note mono">{check.id}</span>
        </p>
        <p className="preview-line">
          This will still appear as {verdictWords[verdict].label}, with your acceptance beside it.
        </p>
        <TextArea {...field('reason', 'Reason')} maxLength={2000} autoFocus />
        <TextArea {...field('compensatingMeasure', 'Compensating measure')} maxLength={2000} />
        <div className="form-pair">
          <TextField {...field('owner', 'Owner')} maxLength={200} />
          <TextField {...field('requestedBy', 'Requested by')} maxLength={200} />
          <TextField {...field('approvedBy', 'Approved by')} maxLength={200} />
          <DateField
            label="Accepted until"
            description={`At most ${LONGEST_DAYS} days from today.`}
            value={until}
            onChange={setUntil}
            min={today('UTC').add({ days: 1 }).toString()}
            max={today('UTC').add({ days: LONGEST_DAYS }).toString()}
            error={tried && until === '' ? 'Choose the day on which it ends.' : undefined}
            isRequired
          />
        </div>
        {alike.length > 1 && (
          <RadioGroup
            label="Which nodes"
            value={scope}
            onChange={setScope}
            options={[
              { id: 'node', title: `Only ${node}` },
              {
                id: 'alike',
                title: `All ${alike.length} nodes where this check is ${verdictWords[verdict].label.toLowerCase()}`,
                note: alike.join(', '),
              },
            ]}
          />
        )}
        {accept.error !== null && <FailureNote error={accept.error} />}
      </form>
    </Dialog>
  )
}

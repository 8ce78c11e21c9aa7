import { type FormEvent, useId, useState } from 'react'
import type { CheckView } from '../../schemas/ipc-results.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { say } from '../store.ts'
import { day, plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'
import { UnsignedNote } from './UnsignedNote.tsx'
import { daysFromToday, UntilField } from './UntilField.tsx'

export interface ExceptionDialogProps {
  readonly check: CheckView
  readonly node: string
  readonly verdict: Verdict
  /** Every declared node on which the same check came out the same, this one included. */
  readonly alike: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}

const USUAL_DAYS = 90
const EMPTY = { reason: '', compensatingMeasure: '', owner: '', requestedBy: '', approvedBy: '', approverRole: '' }
type Texts = typeof EMPTY

/** What is missing of an acceptance or a request, by field. Nothing is missing of one that can be sent. */
const missingOf = (texts: Texts, approved: boolean): Partial<Record<keyof Texts, string>> => ({
  ...(texts.reason.trim().length < 3 ? { reason: 'Say why the finding is accepted.' } : {}),
  ...(texts.compensatingMeasure.trim().length < 3
    ? { compensatingMeasure: 'Say what is done instead, or “none” and why.' }
    : {}),
  ...(texts.owner.trim() === '' ? { owner: 'Name who answers for it.' } : {}),
  ...(texts.requestedBy.trim() === '' ? { requestedBy: 'Name who asked for it.' } : {}),
  ...(approved && texts.approvedBy.trim() === '' ? { approvedBy: 'Name who approved it.' } : {}),
  ...(approved && texts.approverRole.trim() === '' ? { approverRole: 'Say in which role.' } : {}),
})

/** A finding that somebody accepts until a day. The verdict stays what it is, and the dialog says so. */
export function ExceptionDialog({ check, node, verdict, alike, onClose, onDone }: ExceptionDialogProps) {
  const form = useId()
  const accept = useAction('exceptions.accept')
  const request = useAction('exceptions.request')
  const [approval, setApproval] = useState<'given' | 'asked'>('given')
  const [texts, setTexts] = useState(EMPTY)
  const [scope, setScope] = useState<'node' | 'alike'>('node')
  const [until, setUntil] = useState(daysFromToday(USUAL_DAYS))
  const [tried, setTried] = useState(false)
  const missing = missingOf(texts, approval === 'given')
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
    const { approvedBy, approverRole, ...asked } = texts
    const terms = { check: check.id, nodes, until, ...asked }
    const done =
      approval === 'given' ? await accept.run({ ...terms, approvedBy, approverRole }) : await request.run(terms)
    if (done === null) return
    const what = approval === 'given' ? 'Acceptance' : 'Request'
    say(`${what} recorded on ${plural(nodes.length, 'node')} until ${day(until)}.`)
    onDone()
  }
  return (
    <Dialog
      title="Accept this finding until a day"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={accept.busy || request.busy}>
            {approval === 'given' ? 'Record acceptance' : 'Record request'}
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
          {approval === 'given'
            ? `This will still appear as ${verdictWords[verdict].label}, with your acceptance beside it.`
            : `This will still appear as ${verdictWords[verdict].label}. A request accepts nothing until somebody approves it.`}
        </p>
        <TextArea {...field('reason', 'Reason')} maxLength={2000} autoFocus />
        <TextArea {...field('compensatingMeasure', 'Compensating measure')} maxLength={2000} />
        <RadioGroup
          label="Approval"
          value={approval}
          onChange={setApproval}
          inline
          options={[
            { id: 'given', title: 'Somebody approved it' },
            { id: 'asked', title: 'Ask for it; somebody approves it later' },
          ]}
        />
        <div className="form-pair">
          <TextField {...field('owner', 'Owner')} maxLength={200} />
          <TextField {...field('requestedBy', 'Requested by')} maxLength={200} />
          {approval === 'given' && (
            <>
              <TextField {...field('approvedBy', 'Approved by')} maxLength={200} />
              <TextField {...field('approverRole', 'Role of who approves')} maxLength={200} />
            </>
          )}
          <UntilField label="Accepted until" value={until} onChange={setUntil} tried={tried} />
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
        <UnsignedNote />
        {accept.error !== null && <FailureNote error={accept.error} />}
        {request.error !== null && <FailureNote error={request.error} />}
      </form>
    </Dialog>
  )
}

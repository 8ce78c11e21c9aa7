import { type FormEvent, useId, useState } from 'react'
import type { CheckView } from '../../schemas/ipc-results.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { samePersonLine } from '../register-model.ts'
import { announce, change } from '../store.ts'
import { day, plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'
import { useEntrySigning } from './entry-signing.tsx'
import { daysFromToday, UntilField } from './UntilField.tsx'

export interface RiskAcceptanceDialogProps {
  readonly check: CheckView
  readonly node: string
  readonly verdict: Verdict
  /** Every declared node with the same verdict for this check, including this one. */
  readonly alike: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}

const USUAL_DAYS = 90
const EMPTY = { reason: '', compensatingControl: '', owner: '', requestedBy: '', approvedBy: '', approverRole: '' }
type Texts = typeof EMPTY

/** What is missing from an acceptance or a request, by field; empty when it can be sent. */
const missingOf = (texts: Texts, approved: boolean): Partial<Record<keyof Texts, string>> => ({
  ...(texts.reason.trim().length < 3 ? { reason: 'Enter a reason of at least 3 characters.' } : {}),
  ...(texts.compensatingControl.trim().length < 3
    ? { compensatingControl: 'Describe the compensating control, or enter “None” and the reason.' }
    : {}),
  ...(texts.owner.trim() === '' ? { owner: 'Enter the owner.' } : {}),
  ...(texts.requestedBy.trim() === '' ? { requestedBy: 'Enter the requester.' } : {}),
  ...(approved && texts.approvedBy.trim() === '' ? { approvedBy: 'Enter the approver.' } : {}),
  ...(approved && texts.approverRole.trim() === '' ? { approverRole: 'Enter the approver’s role.' } : {}),
})

/** Adds a risk acceptance or an acceptance request. The verdict does not change, and the dialog states this. */
export function RiskAcceptanceDialog({ check, node, verdict, alike, onClose, onDone }: RiskAcceptanceDialogProps) {
  const form = useId()
  const accept = useAction('acceptances.accept')
  const request = useAction('acceptances.request')
  const [approval, setApproval] = useState<'given' | 'asked'>('given')
  const [texts, setTexts] = useState(EMPTY)
  const [scope, setScope] = useState<'node' | 'alike'>('node')
  const [until, setUntil] = useState(daysFromToday(USUAL_DAYS))
  const [tried, setTried] = useState(false)
  const signing = useEntrySigning(approval === 'given' ? ['approver', 'requester'] : ['requester'])
  const alone = approval === 'given' ? samePersonLine(texts.requestedBy, texts.approvedBy) : null
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
    const entries = approval === 'given' ? done.riskAcceptances : done.acceptanceRequests
    const problem = await signing.sign(entries.at(-1)?.id)
    // The entry is recorded in any case; it can be signed later from the list.
    if (problem !== null) change({ problem })
    const what = approval === 'given' ? 'Risk acceptance' : 'Acceptance request'
    announce(`${what} recorded on ${plural(nodes.length, 'node')} until ${day(until)}.`)
    onDone()
  }
  return (
    <Dialog
      title="Add risk acceptance"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={accept.busy || request.busy}>
            {approval === 'given' ? 'Add risk acceptance' : 'Submit request'}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>
          {check.expected} <span className="note mono">{check.id}</span>
        </p>
        <p className="preview-line">
          {approval === 'given'
            ? `The verdict remains “${verdictWords[verdict].label}”, marked as risk accepted.`
            : `The verdict remains “${verdictWords[verdict].label}”. A request has no effect until approved.`}
        </p>
        <TextArea {...field('reason', 'Reason')} maxLength={2000} autoFocus />
        <TextArea {...field('compensatingControl', 'Compensating control')} maxLength={2000} />
        <RadioGroup
          label="Approval"
          value={approval}
          onChange={setApproval}
          inline
          options={[
            { id: 'given', title: 'Already approved' },
            { id: 'asked', title: 'Request approval' },
          ]}
        />
        <div className="form-pair">
          <TextField {...field('owner', 'Owner')} maxLength={200} />
          <TextField {...field('requestedBy', 'Requested by')} maxLength={200} />
          {approval === 'given' && (
            <>
              <TextField {...field('approvedBy', 'Approved by')} maxLength={200} description={alone ?? undefined} />
              <TextField {...field('approverRole', 'Approver’s role')} maxLength={200} />
            </>
          )}
          <UntilField label="Expires" value={until} onChange={setUntil} tried={tried} />
        </div>
        {alike.length > 1 && (
          <RadioGroup
            label="Nodes"
            value={scope}
            onChange={setScope}
            options={[
              { id: 'node', title: `Only ${node}` },
              {
                id: 'alike',
                title: `All ${alike.length} nodes with the verdict “${verdictWords[verdict].label}” for this check`,
                note: alike.join(', '),
              },
            ]}
          />
        )}
        {signing.choice}
        {accept.error !== null && <FailureNote error={accept.error} />}
        {request.error !== null && <FailureNote error={request.error} />}
      </form>
    </Dialog>
  )
}

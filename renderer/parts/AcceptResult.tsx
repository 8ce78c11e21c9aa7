import { useState } from 'react'
import type { CheckView } from '../../schemas/ipc-results.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { announce, change } from '../store.ts'
import { day, plural } from '../text.ts'
import { RadioGroup } from '../ui/Choice.tsx'
import { AcceptanceDialog, useAcceptanceForm } from './acceptance-form.tsx'
import { useEntrySigning } from './signing.tsx'

export interface AcceptResultProps {
  readonly check: CheckView
  readonly node: string
  readonly verdict: Verdict
  /** Every declared node with the same verdict for this check, including this one. */
  readonly alike: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Accepts the risk of one result, whatever its verdict, or requests its acceptance. The verdict does not change. */
export function AcceptResult({ check, node, verdict, alike, onClose, onDone }: AcceptResultProps) {
  const accept = useAction('acceptances.accept')
  const request = useAction('acceptances.request')
  const [approval, setApproval] = useState<'given' | 'asked'>('given')
  const [scope, setScope] = useState<'node' | 'alike'>('node')
  const isGiven = approval === 'given'
  const { texts, until, submit, reasons, people } = useAcceptanceForm(isGiven)
  const signing = useEntrySigning(isGiven ? ['approver', 'requester'] : ['requester'])
  const nodes = scope === 'node' ? [node] : alike
  const send = async (): Promise<void> => {
    if (!submit()) return
    const { approvedBy, approverRole, ...asked } = texts
    const terms = { check: check.id, nodes, until, ...asked }
    const done = isGiven ? await accept.run({ ...terms, approvedBy, approverRole }) : await request.run(terms)
    if (done === null) return
    const entries = isGiven ? done.riskAcceptances : done.acceptanceRequests
    const problem = await signing.sign(entries.at(-1)?.id)
    // The entry is recorded in any case; it can be signed later from the list.
    if (problem !== null) change({ problem })
    const what = isGiven ? 'Risk acceptance' : 'Acceptance request'
    announce(`${what} recorded on ${plural(nodes.length, 'node')} until ${day(until)}.`)
    onDone()
  }
  return (
    <AcceptanceDialog
      verb={isGiven ? 'Add risk acceptance' : 'Submit request'}
      busy={accept.busy || request.busy}
      error={accept.error ?? request.error}
      onSend={send}
      onClose={onClose}
    >
      <p>
        {check.expected} <span className="note mono">{check.id}</span>
      </p>
      <p className="preview-line">
        {isGiven
          ? `The verdict remains “${verdictWords[verdict].label}”, marked as risk accepted.`
          : `The verdict remains “${verdictWords[verdict].label}”. A request has no effect until approved.`}
      </p>
      {reasons}
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
      {people}
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
    </AcceptanceDialog>
  )
}

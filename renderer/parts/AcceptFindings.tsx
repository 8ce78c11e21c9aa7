import { type FormEvent, useState } from 'react'
import type { FindingRow } from '../../schemas/ipc-findings.ts'
import { useAction } from '../actions.ts'
import { isSamePerson } from '../attach-model.ts'
import { useAnswer } from '../bridge.ts'
import { chosenWords, recorded } from '../response-model.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Notice } from '../ui/Notice.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { useSignChoice } from './SignChoice.tsx'
import { daysFromToday, UntilField } from './UntilField.tsx'

const USUAL_DAYS = 90
const EMPTY = { reason: '', compensatingControl: '', owner: '', requestedBy: '', approvedBy: '', approverRole: '' }
type Texts = typeof EMPTY
const PROBLEMS: Readonly<Record<keyof Texts, string>> = {
  reason: 'Enter a reason of at least 3 characters.',
  compensatingControl: 'Describe the compensating control, or enter “None” and the reason.',
  owner: 'Enter the owner.',
  requestedBy: 'Enter the requester.',
  approvedBy: 'Enter the approver.',
  approverRole: 'Enter the approver’s role.',
}
const SHORTEST: Readonly<Partial<Record<keyof Texts, number>>> = { reason: 3, compensatingControl: 3 }

export interface AcceptFindingsProps {
  readonly rows: readonly FindingRow[]
  readonly onClose: () => void
}

/** Accepts the risk of the chosen findings on their nodes, or on some of them, with one decision. No verdict changes. */
export function AcceptFindings({ rows, onClose }: AcceptFindingsProps) {
  const onNodes = rows.filter(({ what }) => what === 'nodes')
  const checks = onNodes.map(({ check }) => check)
  const action = useAction('acceptances.accept-many')
  const [texts, setTexts] = useState(EMPTY)
  const [until, setUntil] = useState(daysFromToday(USUAL_DAYS))
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const [tried, setTried] = useState(false)
  const { identity, choice } = useSignChoice('Signature of the approver')
  const isOnePerson = texts.approvedBy.trim() !== '' && isSamePerson(texts.approvedBy, texts.requestedBy)
  const isMissing = (name: keyof Texts): boolean => texts[name].trim().length < (SHORTEST[name] ?? 1)
  const field = (name: keyof Texts, label: string) => ({
    label,
    value: texts[name],
    onChange: (value: string) => setTexts({ ...texts, [name]: value }),
    error: tried && isMissing(name) ? PROBLEMS[name] : undefined,
    isRequired: true,
  })
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    const names = Object.keys(EMPTY) as (keyof Texts)[]
    if (names.some(isMissing) || until === '' || chosen?.size === 0) return
    const saved = await action.run({ checks, nodes: [...(chosen ?? [])], ...texts, until, identity })
    if (saved === null) return
    recorded(
      `Risk accepted for ${plural(saved.deviations, 'deviation')} until ${day(until)}${saved.isSigned ? ', signed' : ', not signed'}.`,
      saved.ids,
      { method: 'acceptances.withdraw-many', by: texts.approvedBy.trim() },
    )
    onClose()
  }
  return (
    <Dialog
      title="Add risk acceptance"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form="accept" busy={action.busy} isDisabled={checks.length === 0}>
            Accept risk
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id="accept" className="form" onSubmit={(event) => void send(event)} noValidate>
        <p className="preview-line">
          {chosenWords(onNodes)}. The verdicts remain “Not satisfied”, marked as risk accepted.
          {onNodes.length < rows.length &&
            ' Rows of the provider inventory are declared or excluded, and cannot be accepted.'}
        </p>
        <TextArea {...field('reason', 'Reason')} maxLength={2000} autoFocus />
        <TextArea {...field('compensatingControl', 'Compensating control')} maxLength={2000} />
        <div className="form-pair">
          <TextField {...field('owner', 'Owner')} maxLength={200} />
          <UntilField label="Expires" value={until} onChange={setUntil} tried={tried} />
          <TextField {...field('requestedBy', 'Requested by')} maxLength={200} />
          <TextField {...field('approvedBy', 'Approved by')} maxLength={200} />
          <TextField {...field('approverRole', 'Approver’s role')} maxLength={200} />
        </div>
        {isOnePerson && (
          <Notice
            kind="warning"
            title="Requester and approver are the same person."
            means="The report will print: no segregation of duties."
          />
        )}
        <NodeChoice checks={checks} chosen={chosen} onChange={setChosen} />
        {tried && chosen?.size === 0 && <p className="field-error">Choose at least one node.</p>}
        {choice}
        {action.error !== null && <FailureNote error={action.error} />}
      </form>
    </Dialog>
  )
}

/** Every node that deviates, or some of them by name. Null: every one. */
function NodeChoice({
  checks,
  chosen,
  onChange,
}: {
  readonly checks: readonly string[]
  readonly chosen: ReadonlySet<string> | null
  readonly onChange: (nodes: ReadonlySet<string> | null) => void
}) {
  const answer = useAnswer('findings.nodes', { checks: checks.length === 0 ? ['none'] : checks })
  return (
    <Ask answer={answer}>
      {(nodes) => (
        <>
          <RadioGroup
            label="Nodes"
            inline
            value={chosen === null ? 'all' : 'some'}
            onChange={(id) => onChange(id === 'all' ? null : new Set())}
            options={[
              { id: 'all', title: `All ${plural(nodes.length, 'deviating node')}` },
              { id: 'some', title: 'Only chosen nodes' },
            ]}
          />
          {chosen !== null && (
            <ul className="node-choice" aria-label="Deviating nodes">
              {nodes.map(({ node, findings }) => (
                <li key={node}>
                  <Checkbox
                    isSelected={chosen.has(node)}
                    onChange={(isSelected) =>
                      onChange(new Set(isSelected ? [...chosen, node] : [...chosen].filter((one) => one !== node)))
                    }
                  >
                    {visible(node)} <span className="quiet">{plural(findings, 'finding')}</span>
                  </Checkbox>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Ask>
  )
}

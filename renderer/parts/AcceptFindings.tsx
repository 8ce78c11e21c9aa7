import { useState } from 'react'
import type { FindingRow } from '../../schemas/ipc-findings.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { chosenWords, recorded } from '../response-model.ts'
import { day, plural, visible } from '../text.ts'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { Ask } from './Ask.tsx'
import { AcceptanceDialog, useAcceptanceForm } from './acceptance-form.tsx'
import { useSignature } from './signing.tsx'

export interface AcceptFindingsProps {
  readonly rows: readonly FindingRow[]
  readonly onClose: () => void
}

/** Accepts the risk of the chosen findings on their nodes, or on some of them, with one decision. No verdict changes. */
export function AcceptFindings({ rows, onClose }: AcceptFindingsProps) {
  const onNodes = rows.filter(({ what }) => what === 'nodes')
  const checks = onNodes.map(({ check }) => check)
  const action = useAction('acceptances.accept-many')
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const { texts, until, tried, submit, reasons, people } = useAcceptanceForm(true)
  const { identity, choice } = useSignature('approver')
  const send = async (): Promise<void> => {
    if (!submit() || chosen?.size === 0) return
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
    <AcceptanceDialog
      verb="Add risk acceptance"
      busy={action.busy}
      isDisabled={checks.length === 0}
      error={action.error}
      onSend={send}
      onClose={onClose}
    >
      <p className="preview-line">
        {chosenWords(onNodes)}. The verdicts remain “Not satisfied”, marked as risk accepted.
        {onNodes.length < rows.length &&
          ' Rows of the provider inventory are declared or excluded, and cannot be accepted.'}
      </p>
      {reasons}
      {people}
      <NodeChoice checks={checks} chosen={chosen} onChange={setChosen} />
      {tried && chosen?.size === 0 && <p className="field-error">Choose at least one node.</p>}
      {choice}
    </AcceptanceDialog>
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

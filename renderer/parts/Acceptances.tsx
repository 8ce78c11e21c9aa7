import { today } from '@internationalized/date'
import { type ReactNode, useState } from 'react'
import type { FindingRow } from '../../schemas/ipc-findings.ts'
import type { RiskAcceptanceView } from '../../schemas/ipc-register.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { dayCount } from '../../schemas/words.ts'
import { isSamePerson } from '../models/attach-model.ts'
import { signedLine } from '../models/register-model.ts'
import { day, plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { chosenWords, recorded } from '../state/response-model.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Ask } from './Ask.tsx'
import { FormDialog } from './FormDialog.tsx'
import { SignEntry, useSignature } from './SignEntry.tsx'
import { WithdrawDialog } from './WithdrawDialog.tsx'

export const STATUS = {
  'in-force': 'In effect',
  'not-begun': 'Not yet effective',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
} as const

/** "Risk accepted until 1 Mar 2027 · M. Ortiz", or its end. */
function standingLine({ status, expiresAt, owner, withdrawn }: RiskAcceptanceView): string {
  if (status === 'withdrawn')
    return `Withdrawn ${day(withdrawn?.at ?? '')} by ${visible(withdrawn?.by ?? '')}: ${visible(withdrawn?.reason ?? '')}`
  const words = {
    expired: 'Acceptance expired',
    'in-force': 'Risk accepted until',
    'not-begun': 'Not yet effective, until',
  }
  return `${words[status]} ${day(expiresAt)} · ${visible(owner)}`
}

/** Nodes listed by name; the others are counted. */
const MOST_NODES = 8

export const NamedNodes = ({ of, nodes }: { readonly of: Source; readonly nodes: readonly string[] }) => (
  <span className="acceptance-nodes note">
    {nodes.slice(0, MOST_NODES).map((node) => (
      <Button key={node} kind="link" small onPress={() => go({ screen: 'node', of, node })}>
        {visible(node)}
      </Button>
    ))}
    {nodes.length > MOST_NODES && `and ${plural(nodes.length - MOST_NODES, 'more node')}`}
  </span>
)

/** Expected conditions of checks by their identifiers. */
export type CheckTitles = ReadonlyMap<string, string>

interface AcceptedCheckProps {
  readonly check: string
  readonly nodes: readonly string[]
  readonly of: Source
  readonly titles: CheckTitles
}

/** What is accepted: the condition that a check expects, which opens its results on these nodes, and its identifier. */
export function AcceptedCheck({ check, nodes, of, titles }: AcceptedCheckProps) {
  const title = titles.get(check)
  return (
    <>
      {title !== undefined && (
        <Button kind="link" onPress={() => go({ screen: 'check', of, check, nodes })}>
          {visible(title)}
        </Button>
      )}
      <span className="mono">{check}</span>
    </>
  )
}

interface AcceptancesProps {
  readonly acceptances: readonly RiskAcceptanceView[]
  readonly of: Source
  /** Where the acceptances concern several checks, each shows which. */
  readonly titles?: CheckTitles
}

/** Risk acceptances with all their fields; they can be withdrawn, except in a pack. */
export function Acceptances({ acceptances, of, titles }: AcceptancesProps) {
  const [withdrawn, setWithdrawn] = useState<RiskAcceptanceView | null>(null)
  return (
    <>
      <ul className="acceptances">
        {acceptances.map((one) => (
          <li key={one.id} className={`acceptance status-${one.status}`}>
            <p className="acceptance-head">
              <span className="accepted-tab">{standingLine(one)}</span>
              {titles !== undefined && <AcceptedCheck check={one.check} nodes={one.nodes} of={of} titles={titles} />}
              <NamedNodes of={of} nodes={one.nodes} />
              {one.status !== 'withdrawn' && of === 'run' && (
                <Button small kind="quiet" onPress={() => setWithdrawn(one)}>
                  Withdraw acceptance
                </Button>
              )}
            </p>
            <dl className="facts">
              <Fact term="Reason">{visible(one.reason)}</Fact>
              <Fact term="Compensating control">{visible(one.compensatingControl)}</Fact>
              <Fact term="Requested by">{visible(one.requestedBy)}</Fact>
              <Fact term="Approved by">
                {visible(one.approvedBy)}
                {one.approverRole !== undefined && `, ${visible(one.approverRole)}`}, {day(one.acceptedAt)}
                <NoSegregation of={one} />
              </Fact>
              <Fact term="Signatures">
                {signedLine(one.signatures)}
                {one.status !== 'withdrawn' && of === 'run' && <SignEntry id={one.id} signatures={one.signatures} />}
              </Fact>
            </dl>
          </li>
        ))}
      </ul>
      {withdrawn !== null && (
        <WithdrawDialog
          what="acceptance"
          id={withdrawn.id}
          about={`${withdrawn.check}: ${standingLine(withdrawn)}`}
          onClose={() => setWithdrawn(null)}
        />
      )}
    </>
  )
}

/** Longest period of an acceptance or decision: days after today, in UTC. */
const LONGEST_DAYS = 366

interface UntilFieldProps {
  readonly label: string
  /** A date in UTC, YYYY-MM-DD; empty while none is selected. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Whether the form was submitted, so that a missing date is reported. */
  readonly tried: boolean
}

/** The expiry date of an acceptance or decision. */
export const UntilField = ({ label, value, onChange, tried }: UntilFieldProps) => (
  <DateField
    label={label}
    description={`At most ${dayCount(LONGEST_DAYS)} from today.`}
    value={value}
    onChange={onChange}
    min={daysFromToday(1)}
    max={daysFromToday(LONGEST_DAYS)}
    error={tried && value === '' ? 'Choose an expiry date.' : undefined}
    isRequired
  />
)

export const daysFromToday = (days: number): string => today('UTC').add({ days }).toString()

interface SamePersonProps {
  readonly requestedBy: string
  readonly approvedBy: string
}

/** States that requester and approver are one person, as every report will, before an approval is recorded. */
export const SamePerson = ({ requestedBy, approvedBy }: SamePersonProps) =>
  isSamePerson(approvedBy, requestedBy) && (
    <Notice
      kind="warning"
      title="Requester and approver are the same person."
      means="The report will print: no segregation of duties."
    />
  )

/** The same of a recorded entry, as its report states it. */
export const NoSegregation = ({ of }: { readonly of: SamePersonProps }) =>
  isSamePerson(of.approvedBy, of.requestedBy) && (
    <span className="note">Requester and approver are the same person: no segregation of duties.</span>
  )

const USUAL_DAYS = 90

interface AcceptanceForm {
  readonly texts: AcceptanceTexts
  /** A date in UTC, YYYY-MM-DD. */
  readonly until: string
  /** Whether the form was submitted, so that missing values are reported. */
  readonly tried: boolean
  /** Marks the form as submitted. Returns whether it can be sent. */
  readonly submit: () => boolean
  readonly reasons: ReactNode
  readonly people: ReactNode
}

/** The texts and fields of a risk acceptance, or of a request for one if `approved` is false. */
export function useAcceptanceForm(approved: boolean): AcceptanceForm {
  const [texts, setTexts] = useState(EMPTY_ACCEPTANCE)
  const [until, setUntil] = useState(daysFromToday(USUAL_DAYS))
  const [tried, setTried] = useState(false)
  const lacks = acceptanceLacks(texts, approved)
  const field = (name: keyof AcceptanceTexts, label: string) => ({
    label,
    value: texts[name],
    onChange: (value: string) => setTexts({ ...texts, [name]: value }),
    error: tried ? lacks[name] : undefined,
    isRequired: true,
  })
  const submit = (): boolean => {
    setTried(true)
    return Object.keys(lacks).length === 0 && until !== ''
  }
  const reasons = (
    <>
      <TextArea {...field('reason', 'Reason')} maxLength={2000} autoFocus />
      <TextArea {...field('compensatingControl', 'Compensating control')} maxLength={2000} />
    </>
  )
  const people = (
    <>
      <div className="form-pair">
        <TextField {...field('owner', 'Owner')} maxLength={200} />
        <UntilField label="Expires" value={until} onChange={setUntil} tried={tried} />
        <TextField {...field('requestedBy', 'Requested by')} maxLength={200} />
        {approved && (
          <>
            <TextField {...field('approvedBy', 'Approved by')} maxLength={200} />
            <TextField {...field('approverRole', 'Approver’s role')} maxLength={200} />
          </>
        )}
      </div>
      {approved && <SamePerson requestedBy={texts.requestedBy} approvedBy={texts.approvedBy} />}
    </>
  )
  return { texts, until, tried, submit, reasons, people }
}

/** The texts of a risk acceptance. The last two are empty for a request. */
export const EMPTY_ACCEPTANCE = {
  reason: '',
  compensatingControl: '',
  owner: '',
  requestedBy: '',
  approvedBy: '',
  approverRole: '',
}

type AcceptanceTexts = typeof EMPTY_ACCEPTANCE
type Field = keyof AcceptanceTexts

const PROBLEMS: Readonly<Record<Field, string>> = {
  reason: 'Enter a reason of at least 3 characters.',
  compensatingControl: 'Describe the compensating control, or enter “None” and the reason.',
  owner: 'Enter the owner.',
  requestedBy: 'Enter the requester.',
  approvedBy: 'Enter the approver.',
  approverRole: 'Enter the approver’s role.',
}

const SHORTEST: Readonly<Partial<Record<Field, number>>> = { reason: 3, compensatingControl: 3 }
const OF_APPROVAL: readonly Field[] = ['approvedBy', 'approverRole']

/** The missing fields of an acceptance, or of a request for one, with their messages; empty if it can be sent. */
export function acceptanceLacks(texts: AcceptanceTexts, approved: boolean): Readonly<Partial<Record<Field, string>>> {
  const fields = (Object.keys(PROBLEMS) as Field[]).filter((name) => approved || !OF_APPROVAL.includes(name))
  return Object.fromEntries(
    fields.flatMap((name) => (texts[name].trim().length < (SHORTEST[name] ?? 1) ? [[name, PROBLEMS[name]]] : [])),
  )
}

interface AcceptFindingsProps {
  readonly rows: readonly FindingRow[]
  readonly onDone: () => void
  /** Closed without an acceptance. */
  readonly onClose: () => void
}

/** Accepts the risk of the chosen findings on their nodes, or on some of them, with one decision. No verdict changes. */
export function AcceptFindings({ rows, onDone, onClose }: AcceptFindingsProps) {
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
    onDone()
  }
  return (
    <FormDialog
      title="Add risk acceptance"
      size="large"
      verb="Add risk acceptance"
      isDisabled={checks.length === 0}
      action={action}
      onSubmit={send}
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
    </FormDialog>
  )
}

/** Chooses every deviating node (null), or some of them by name. */
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

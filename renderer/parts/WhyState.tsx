import { useState } from 'react'
import { rowMeaning, rowStateWords } from '../../schemas/conclusion-words.ts'
import type { DecisionDraft } from '../../schemas/ipc-register.ts'
import type { ControlRow, FrameworkView } from '../../schemas/ipc-results.ts'
import type { FrameworkName, Source } from '../../schemas/ipc-views.ts'
import type { ControlDecision } from '../../schemas/types.ts'
import { decisionWords } from '../../schemas/words.ts'
import { stateOf } from '../models/control-tree.ts'
import { decisionChoices, decisionsFor, stateReasons } from '../models/register-model.ts'
import { day, visible } from '../models/text.ts'
import { useAction, useResults } from '../state/actions.ts'
import { recorded } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { daysFromToday, SamePerson, UntilField } from './Acceptances.tsx'
import { Ask } from './Ask.tsx'
import { Decisions } from './Decisions.tsx'
import { FormDialog } from './FormDialog.tsx'
import { useEntrySigning } from './SignEntry.tsx'

interface WhyStateProps {
  readonly of: Source
  readonly frame: FrameworkView
  readonly row: ControlRow
}

/** Basis of a conclusion, how the control is counted, and its decisions. */
export function WhyState({ of, frame, row }: WhyStateProps) {
  const register = useResults('register.get', { of })
  const [decides, setDecides] = useState(false)
  return (
    <section aria-labelledby="why-state">
      <h2 id="why-state">Basis and decisions</h2>
      <Ask answer={register}>
        {(loaded) => {
          const reasons = stateReasons(row, loaded)
          const counted = rowStateWords[stateOf(row)]
          const meaning = row.assessed === null ? counted.meaning : rowMeaning(stateOf(row), row.assessed.server.state)
          const decisions = decisionsFor(loaded, frame.id, row.key)
          const addressable = decisionChoices(row).length > 1
          const undecided = addressable && !decisions.some(({ status }) => status === 'in-force')
          return (
            <>
              <ul className="plain-list">
                {reasons.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
                {reasons.length === 0 && <li>This run has no conclusion for this control.</li>}
                <li>
                  Counted as “{counted.label}”. {meaning}
                </li>
                {undecided && (
                  <li>
                    This specification is addressable, and no control decision is in effect. Addressable does not mean
                    optional.
                  </li>
                )}
              </ul>
              {decisions.length > 0 && <h3>Decisions</h3>}
              <Decisions decisions={decisions} of={of} rowName={null} />
              {of === 'run' && (
                <p>
                  <Button small onPress={() => setDecides(true)}>
                    {addressable ? 'Add control decision…' : 'Document non-applicability…'}
                  </Button>
                </p>
              )}
            </>
          )
        }}
      </Ask>
      {decides && <DecisionDialog framework={frame.id} control={row} onClose={() => setDecides(false)} />}
    </section>
  )
}

interface DecisionDialogProps {
  readonly framework: FrameworkName
  readonly control: Pick<ControlRow, 'key' | 'id' | 'title' | 'level'>
  readonly onClose: () => void
}

/** Default period of a decision. */
const USUAL_DAYS = 180

/** A control decision by a named person: an addressable specification, or non-applicability. It changes no verdict. */
function DecisionDialog({ framework, control, onClose }: DecisionDialogProps) {
  const set = useAction('decisions.set')
  const choices = decisionChoices(control)
  const [decision, setDecision] = useState<ControlDecision['decision']>(choices[0] ?? 'not-applicable')
  const [texts, setTexts] = useState(EMPTY_DECISION)
  const [until, setUntil] = useState(daysFromToday(USUAL_DAYS))
  const [tried, setTried] = useState(false)
  const signing = useEntrySigning(['approver', 'requester'])
  const lacks = decisionLacks(decision, texts)
  const field = (name: keyof DecisionTexts, label: string, isRequired = true) => ({
    label,
    value: texts[name],
    onChange: (value: string) => setTexts({ ...texts, [name]: value }),
    error: tried ? lacks[name] : undefined,
    isRequired,
  })
  const send = async (): Promise<void> => {
    setTried(true)
    if (Object.keys(lacks).length > 0 || until === '') return
    const input = decisionInput({ framework, control: control.key, decision, until }, texts)
    const done = await set.run(input)
    if (done === null) return
    await signing.signRecorded(done.decisions.at(-1)?.id)
    recorded(`Decision recorded until ${day(until)}.`)
    onClose()
  }
  return (
    <FormDialog
      title={choices.length > 1 ? 'Add control decision' : 'Document non-applicability'}
      size="large"
      verb="Record decision"
      action={set}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        {visible(control.id)} {visible(control.title)}
      </p>
      {choices.length > 1 && (
        <RadioGroup
          label="Decision"
          description="Addressable does not mean optional (45 CFR 164.306(d)(3))."
          value={decision}
          onChange={setDecision}
          options={choices.map((id) => ({ id, title: decisionWords[id] }))}
        />
      )}
      <TextArea {...field('reason', 'Reason')} maxLength={2000} autoFocus />
      {weighs(decision) && (
        <TextArea
          {...field('factors', 'Factors considered')}
          description="Size, infrastructure, cost, and probability of harm (45 CFR 164.306(b)(2))."
          maxLength={2000}
        />
      )}
      {decision === 'equivalent-alternative' && (
        <TextArea {...field('alternativeMeasure', 'Equivalent alternative measure')} maxLength={2000} />
      )}
      <TextField {...field('riskAnalysis', 'Reference to the risk analysis', false)} maxLength={500} />
      <div className="form-pair">
        <TextField {...field('owner', 'Owner')} maxLength={200} />
        <TextField {...field('requestedBy', 'Requested by')} maxLength={200} />
        <TextField {...field('approvedBy', 'Approved by')} maxLength={200} />
        <TextField {...field('approverRole', 'Approver’s role')} maxLength={200} />
        <UntilField label="Review by" value={until} onChange={setUntil} tried={tried} />
      </div>
      <SamePerson requestedBy={texts.requestedBy} approvedBy={texts.approvedBy} />
      {signing.choice}
    </FormDialog>
  )
}

export const EMPTY_DECISION = {
  reason: '',
  factors: '',
  alternativeMeasure: '',
  riskAnalysis: '',
  owner: '',
  requestedBy: '',
  approvedBy: '',
  approverRole: '',
}

type DecisionTexts = typeof EMPTY_DECISION
type Kind = DecisionDraft['decision']

/** A decision against implementing a specification requires the factors of 45 CFR 164.306(b)(2). */
const weighs = (decision: Kind): boolean => decision === 'equivalent-alternative' || decision === 'not-implemented'

/** The missing fields of a decision with their messages; empty if it can be sent. */
export function decisionLacks(decision: Kind, texts: DecisionTexts): Partial<Record<keyof DecisionTexts, string>> {
  const lacks: readonly (readonly [keyof DecisionTexts, boolean, string])[] = [
    ['reason', texts.reason.trim().length < 3, 'Enter at least 3 characters.'],
    ['factors', weighs(decision) && texts.factors.trim() === '', 'Enter the factors considered.'],
    [
      'alternativeMeasure',
      decision === 'equivalent-alternative' && texts.alternativeMeasure.trim() === '',
      'Describe the equivalent alternative measure.',
    ],
    ['owner', texts.owner.trim() === '', 'Enter the owner.'],
    ['requestedBy', texts.requestedBy.trim() === '', 'Enter the person who requested the decision.'],
    ['approvedBy', texts.approvedBy.trim() === '', 'Enter the approver.'],
    ['approverRole', texts.approverRole.trim() === '', 'Enter the approver’s role.'],
  ]
  return Object.fromEntries(lacks.flatMap(([field, missing, words]) => (missing ? [[field, words]] : [])))
}

/** The input of `decisions.set`. Fields that this kind of decision does not require are not sent. */
export function decisionInput(
  row: Pick<DecisionDraft, 'framework' | 'control' | 'decision' | 'until'>,
  { factors, alternativeMeasure, riskAnalysis, ...texts }: DecisionTexts,
): DecisionDraft {
  const given = (text: string, asked = true): string | null => (asked && text.trim() !== '' ? text.trim() : null)
  return {
    ...row,
    ...texts,
    factors: given(factors, weighs(row.decision)),
    alternativeMeasure: given(alternativeMeasure, row.decision === 'equivalent-alternative'),
    riskAnalysis: given(riskAnalysis),
  }
}

import { useEffect, useRef } from 'react'
import type { ExportPlan } from '../../schemas/ipc-packs.ts'
import type { RunListItem } from '../../schemas/ipc-views.ts'
import {
  isPartial,
  nodesLine,
  problemAt,
  runOf,
  STEP_TITLES,
  STEPS,
  type Step,
  type StepProps,
  sealProblem,
} from '../models/seal-model.ts'
import { firstUp, plural, visible, when } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { ExportDone, ExportReview, OtherExport } from '../parts/ExportReview.tsx'
import { ExportScope } from '../parts/ExportScope.tsx'
import { ExportSeal } from '../parts/ExportSeal.tsx'
import { Page } from '../parts/Page.tsx'
import { type Answer, useAnswer, useKept } from '../state/bridge.ts'
import {
  announceDraft,
  beginExport,
  canReach,
  changeExport,
  type ExportState,
  isOther,
  openStep,
  sealDraft,
  useExport,
} from '../state/export-store.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { bound, TextField } from '../ui/Field.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'

const TITLE = 'Export evidence pack'

/** From a run to a sealed pack on disk, in four steps. Going back is always possible and loses no choice. */
export function Export({ step, run }: { readonly step: 'seal' | null; readonly run: string | null }) {
  const { runs } = useStore()
  const { identitiesMade } = useExport()
  const plan = useKept(
    useAnswer('export.plan', run === null ? null : { run }, `${runs} ${identitiesMade}`),
    `export ${run ?? ''} ${runs}`,
  )
  const list = useAnswer('runs.list', null, runs)
  const state = useExport()
  if (state.saved !== null) return <ExportDone saved={state.saved} />
  if (isOther(state, 'run')) return <OtherExport title={TITLE} />
  if (plan.state === 'failed' && plan.error.code === 'input.refused') return <NothingToExport />
  return (
    <Ask answer={plan}>
      {(value) => (
        <Wizard plan={value} first={step} run={runOf(value, list.state === 'here' ? list.value : [])} asked={list} />
      )}
    </Ask>
  )
}

const NothingToExport = () => (
  <Page title={TITLE}>
    <EmptyState
      title="Nothing to export yet"
      action={
        <Button kind="primary" onPress={() => go({ screen: 'nodes' })}>
          Open nodes
        </Button>
      }
    >
      A pack contains the evidence of one finished run. Collect evidence, or wait for the current run to finish.
    </EmptyState>
  </Page>
)

function Wizard({
  plan,
  first,
  run,
  asked,
}: {
  readonly plan: ExportPlan
  readonly first: 'seal' | null
  readonly run: RunListItem | null
  readonly asked: Answer<unknown>
}) {
  const state = useExport()
  useEffect(() => beginExport(plan), [plan])
  // Only once: afterwards, the person chooses the step.
  useEffect(() => (first === null ? undefined : openStep(first)), [first])
  useEffect(() => announceDraft, [])
  const { step, choices } = state
  const whole = useRef<HTMLDivElement>(null)
  const seen = useRef(step)
  // The heading of the next step takes the focus. The button that led to it is at the end of the page, and may be
  // gone.
  useEffect(() => {
    if (seen.current === step) return
    seen.current = step
    const heading = whole.current?.querySelector<HTMLElement>('.wizard-step h2')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus()
  }, [step])
  if (choices === null) return null
  const props: StepProps = { plan, choices, onChange: (part) => changeExport({ choices: { ...choices, ...part } }) }
  return (
    <Page
      title={TITLE}
      over={plan.demo ? 'Demo data' : undefined}
      under={run === null ? (asked.state === 'waiting' ? ' ' : visible(plan.run)) : `Run of ${when(run.at)}`}
    >
      <div className="wizard" ref={whole}>
        <StepList
          current={step}
          reachable={(one) => canReach(one, state)}
          onGo={(one) => changeExport({ step: one })}
        />
        <Standing plan={plan} state={state} />
        {step === 'scope' && <ExportScope {...props} />}
        {step === 'redact' && <ExportRedact {...props} />}
        {step === 'seal' && (
          <ExportSeal {...props} problem={sealProblem(choices, plan)} onSeal={() => void sealDraft(plan)} />
        )}
        {step === 'review' && state.draft !== null && <ExportReview draft={state.draft} />}
        <Way state={state} />
      </div>
    </Page>
  )
}

/** Notices on every step: a partial run, and a draft that no longer matches the choices. */
function Standing({ plan, state }: { readonly plan: ExportPlan; readonly state: ExportState }) {
  const { draft, run } = state
  return (
    <>
      {isPartial(plan) && (
        <Notice
          kind="warning"
          title={`Partial run: evidence from ${nodesLine(plan)}`}
          means={`${plural(plan.missing.length, 'node')} without evidence; ${plan.missing.length === 1 ? 'it is' : 'they are'} counted as not collected. The report states this on its first page.`}
        />
      )}
      {draft !== null && run !== plan.run && (
        <Notice
          kind="warning"
          title="Draft of an earlier run"
          means="A newer run has finished. Save or discard the draft, then export the newer run."
        />
      )}
      {draft !== null && draft.from !== state.choices && (
        <Notice
          title="Choices changed after sealing"
          means="The sealed draft does not include your changes. Seal again to include them."
        />
      )}
    </>
  )
}

/** Back and Continue below each step. The seal step continues by sealing, the last step by saving. */
function Way({ state }: { readonly state: ExportState }) {
  const at = STEPS.indexOf(state.step)
  const [before, after] = [STEPS[at - 1], STEPS[at + 1]]
  const problem = state.choices === null ? null : problemAt(state.step, state.choices)
  return (
    <div className="wizard-way">
      {problem !== null && (
        <p id="why-not-on" className="quiet">
          {problem}
        </p>
      )}
      <div className="actions">
        {before !== undefined && (
          <Button isDisabled={state.sealing} onPress={() => changeExport({ step: before })}>
            Back to {STEP_TITLES[before].toLowerCase()}
          </Button>
        )}
        {after !== undefined && (state.step !== 'seal' || canReach('review', state)) && (
          <Button
            kind={state.step === 'seal' ? 'secondary' : 'primary'}
            isDisabled={!canReach(after, state)}
            {...(problem === null ? {} : { describedBy: 'why-not-on' })}
            onPress={() => changeExport({ step: after })}
          >
            Continue
          </Button>
        )}
      </div>
    </div>
  )
}

/** The steps of an export, in order, with the current one marked. A step that cannot be opened yet is text. */
function StepList({
  current,
  reachable,
  onGo,
}: {
  readonly current: Step
  readonly reachable: (step: Step) => boolean
  readonly onGo: (step: Step) => void
}) {
  return (
    <nav aria-label="Export steps">
      <ol className="export-steps">
        {STEPS.map((step, place) => (
          <li key={step} className="export-step" aria-current={step === current ? 'step' : undefined}>
            <span className="export-step-number number">{place + 1}</span>
            {step !== current && reachable(step) ? (
              <Button kind="link" onPress={() => onGo(step)}>
                {STEP_TITLES[step]}
              </Button>
            ) : (
              <span>{STEP_TITLES[step]}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** What a redacted copy omits. The sealed pack remains complete, and the step states this. */
function ExportRedact({ plan, choices, onChange }: StepProps) {
  const toggle = (id: string, on: boolean): void =>
    onChange({
      classes: plan.redactable.map((one) => one.id).filter((one) => (one === id ? on : choices.classes.includes(one))),
    })
  return (
    <section aria-labelledby="redact" className="wizard-step">
      <h2 id="redact">Redacted copy</h2>
      <p>
        The sealed pack remains complete. You can create a second file for distribution, with parts redacted under the
        same seal.
      </p>
      <RadioGroup
        label="Redacted copy"
        value={choices.copy ? 'copy' : 'none'}
        onChange={(id) => onChange({ copy: id === 'copy' })}
        options={[
          { id: 'none', title: 'No redacted copy', note: 'Recipients get the complete pack.' },
          {
            id: 'copy',
            title: 'Create a redacted copy',
            note: 'It shows what was redacted, by whom and why. Some verdicts cannot be reproduced from it; their number is shown after sealing.',
          },
        ]}
      />
      {choices.copy && (
        <>
          <fieldset className="ticks columns">
            <legend>Redact from the copy</legend>
            {plan.redactable.map(({ id, title }) => (
              <Checkbox key={id} isSelected={choices.classes.includes(id)} onChange={(on) => toggle(id, on)}>
                {firstUp(title)}
              </Checkbox>
            ))}
          </fieldset>
          <p className="quiet" role="status">
            {choices.classes.length} of {plural(plan.redactable.length, 'kind')} selected.
          </p>
          <TextField
            label="Redacted by"
            description="Name and role. Printed in the copy."
            {...bound(choices, onChange, 'who')}
            maxLength={200}
          />
          <TextField
            label="Reason"
            description="Printed in the copy."
            {...bound(choices, onChange, 'why')}
            maxLength={500}
          />
        </>
      )}
    </section>
  )
}

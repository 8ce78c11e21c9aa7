import { useEffect } from 'react'
import type { PeriodPlan } from '../../schemas/ipc-periods.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { announceDraft, beginPeriod, changeExport, isOther, sealPeriod, useExport } from '../export-store.ts'
import { Ask } from '../parts/Ask.tsx'
import { ExportDone, ExportReview } from '../parts/ExportReview.tsx'
import { ExportSeal } from '../parts/ExportSeal.tsx'
import { OtherExport } from '../parts/OtherExport.tsx'
import { Page } from '../parts/Page.tsx'
import { PeriodSamples } from '../parts/PeriodSamples.tsx'
import { daysProblem, firstPeriod, type PeriodChoices, periodProblem } from '../period-model.ts'
import { isOffered } from '../routes.ts'
import { go, useStore } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { EmptyState } from '../ui/Notice.tsx'

const TITLE = 'Export period report'

/** From the sealed runs of a period to a signed report in a pack. */
export function PeriodExport() {
  const { runs } = useStore()
  const state = useExport()
  const plan = useKept(useAnswer('period.plan', null, `${runs} ${state.identitiesMade}`), 'period')
  useEffect(() => announceDraft, [])
  if (state.saved !== null) return <ExportDone saved={state.saved} />
  if (isOther(state, 'period')) return <OtherExport title={TITLE} />
  if (state.draft !== null)
    return (
      <Page title={TITLE}>
        <div className="wizard">
          <ExportReview draft={state.draft} />
        </div>
      </Page>
    )
  return (
    <Ask answer={plan}>
      {(value) =>
        value === null || value.demo || value.runs === 0 ? (
          <NothingToReport isDemo={value?.demo === true} />
        ) : (
          <Period plan={value} choices={state.period} />
        )
      }
    </Ask>
  )
}

const NothingToReport = ({ isDemo }: { readonly isDemo: boolean }) => (
  <Page title={TITLE} over={isDemo ? 'Demo data' : undefined}>
    <EmptyState
      title={isDemo ? 'Demo data has no period report' : 'No sealed runs yet'}
      action={
        !isDemo &&
        isOffered({ screen: 'export' }) && (
          <Button kind="primary" onPress={() => go({ screen: 'export' })}>
            Export evidence pack
          </Button>
        )
      }
    >
      {isDemo
        ? 'A period report rests on the run chain. Demo data is never entered into one.'
        : 'A period report rests on sealed runs. Export an evidence pack of each run first.'}
    </EmptyState>
  </Page>
)

function Period({ plan, choices }: { readonly plan: PeriodPlan; readonly choices: PeriodChoices | null }) {
  const { sealing } = useExport()
  useEffect(() => beginPeriod(firstPeriod(plan)), [plan])
  if (choices === null) return null
  const change = (part: Partial<PeriodChoices>): void => changeExport({ period: { ...choices, ...part } })
  return (
    <Page title={TITLE} under={`${visible(plan.fleet)}, ${plural(plan.runs, 'sealed run')} in total`}>
      <div className="wizard">
        {!sealing && <Scope plan={plan} choices={choices} onChange={change} />}
        <ExportSeal
          plan={plan}
          choices={choices}
          onChange={change}
          problem={periodProblem(choices, plan)}
          onSeal={() => void sealPeriod(plan)}
        />
      </div>
    </Page>
  )
}

/** The days of the report, and what is sampled from its lists. */
function Scope({
  plan,
  choices,
  onChange,
}: {
  readonly plan: PeriodPlan
  readonly choices: PeriodChoices
  readonly onChange: (part: Partial<PeriodChoices>) => void
}) {
  const problem = daysProblem(choices, plan)
  return (
    <section aria-labelledby="period" className="wizard-step">
      <h2 id="period">Period</h2>
      <p>
        The report shows coverage, missed runs, changes, deviations and conclusions over the days that you choose. It
        does not show the time between runs. Days are UTC; the last one that has ended is {day(plan.latest)}.
      </p>
      <div className="history-window">
        <DateField label="Start date" value={choices.from} max={plan.latest} onChange={(from) => onChange({ from })} />
        <DateField
          label="End date"
          value={choices.to}
          max={plan.latest}
          onChange={(to) => onChange({ to })}
          error={problem ?? undefined}
        />
      </div>
      <PeriodSamples samples={choices.samples} onChange={(samples) => onChange({ samples })} />
    </section>
  )
}

import { IconPlus } from '@tabler/icons-react'
import { useEffect } from 'react'
import type { PeriodPlan, PeriodSampling } from '../../schemas/ipc-periods.ts'
import {
  daysProblem,
  firstPeriod,
  nextSampling,
  type PeriodChoices,
  periodProblem,
  populationOptions,
  samplingProblem,
} from '../models/period-model.ts'
import { isOffered } from '../models/routes.ts'
import { day, plural, visible } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { ExportDone, ExportReview, OtherExport } from '../parts/ExportReview.tsx'
import { ExportSeal } from '../parts/ExportSeal.tsx'
import { ImportNodes } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { useAnswer, useKept } from '../state/bridge.ts'
import { announceDraft, beginPeriod, changeExport, isOther, sealPeriod, useExport } from '../state/export-store.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { TextField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { Select } from '../ui/Select.tsx'

const TITLE = 'Export period report'

/** From the sealed runs of a period to a signed report in a pack. */
export function PeriodExport() {
  const { runs } = useStore()
  const state = useExport()
  const plan = useKept(useAnswer('period.plan', null, `${runs} ${state.identitiesMade}`), 'period')
  useEffect(() => announceDraft, [])
  if (state.saved !== null) return <ExportDone saved={state.saved} title="Period report exported" />
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
        isDemo ? (
          <ImportNodes />
        ) : (
          isOffered({ screen: 'export' }) && (
            <Button kind="primary" onPress={() => go({ screen: 'export' })}>
              Export evidence pack
            </Button>
          )
        )
      }
    >
      {isDemo
        ? 'A period report rests on the run chain. Demo data is never entered into one. Import your servers for a period report.'
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

interface SamplesProps {
  readonly samples: readonly PeriodSampling[]
  readonly onChange: (samples: readonly PeriodSampling[]) => void
}

/** Samples drawn when the report is made, each with the raw evidence of its items. */
function PeriodSamples({ samples, onChange }: SamplesProps) {
  const next = nextSampling(samples)
  return (
    <section aria-labelledby="period-samples">
      <h3 id="period-samples">Samples</h3>
      <p className="prose">
        The report lists all items. The pack contains the raw evidence of the sampled ones only, so ask the auditor for
        size and seed before you seal.
      </p>
      {samples.map((sample, at) => (
        <Sampled
          // Samples have no name, and are added and removed one at a time.
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields are controlled
          key={at}
          number={at + 1}
          sample={sample}
          onChange={(changed) => onChange(samples.map((one, place) => (place === at ? changed : one)))}
          onRemove={() => onChange(samples.filter((_, place) => place !== at))}
        />
      ))}
      <div className="actions">
        <Button
          icon={IconPlus}
          isDisabled={next === null}
          onPress={() => next !== null && onChange([...samples, next])}
        >
          Add sample
        </Button>
      </div>
    </section>
  )
}

function Sampled({
  number,
  sample,
  onChange,
  onRemove,
}: {
  readonly number: number
  readonly sample: PeriodSampling
  readonly onChange: (sample: PeriodSampling) => void
  readonly onRemove: () => void
}) {
  const problem = samplingProblem(sample)
  return (
    <fieldset className="period-sample">
      <legend className="sample-name">Sample {number}</legend>
      <Select
        label="List"
        value={sample.population}
        options={populationOptions}
        onChange={(population) => onChange({ ...sample, population })}
      />
      <NumberField label="Size" value={sample.size} minValue={1} onChange={(size) => onChange({ ...sample, size })} />
      <TextField
        label="Seed"
        value={sample.seed}
        onChange={(seed) => onChange({ ...sample, seed })}
        maxLength={200}
        error={problem ?? undefined}
      />
      <Button label={`Remove sample ${number}`} onPress={onRemove}>
        Remove
      </Button>
    </fieldset>
  )
}

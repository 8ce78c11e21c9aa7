import { IconPlus } from '@tabler/icons-react'
import type { PeriodSampling } from '../../schemas/ipc-periods.ts'
import { nextSampling, populationOptions, samplingProblem } from '../period-model.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/Field.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { Select } from '../ui/Select.tsx'

interface SamplesProps {
  readonly samples: readonly PeriodSampling[]
  readonly onChange: (samples: readonly PeriodSampling[]) => void
}

/** Samples that are drawn when the report is made, each with the raw evidence of its items. */
export function PeriodSamples({ samples, onChange }: SamplesProps) {
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

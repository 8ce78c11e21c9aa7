import type { StepProps } from '../seal-model.ts'
import { plural } from '../text.ts'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { TextField } from '../ui/TextField.tsx'

/** What a copy to hand out leaves away. The sealed pack itself keeps everything, and this says so. */
export function ExportWithhold({ plan, choices, onChange }: StepProps) {
  const toggle = (id: string, on: boolean): void =>
    onChange({
      classes: plan.withholdable
        .map((one) => one.id)
        .filter((one) => (one === id ? on : choices.classes.includes(one))),
    })
  return (
    <section aria-labelledby="withhold" className="wizard-step">
      <h2 id="withhold">What a copy withholds</h2>
      <p>
        The sealed pack keeps everything. You may make a second file to hand out, with parts withheld under the same
        seal.
      </p>
      <RadioGroup
        label="Copy to hand out"
        value={choices.copy ? 'copy' : 'none'}
        onChange={(id) => onChange({ copy: id === 'copy' })}
        options={[
          { id: 'none', title: 'No copy', note: 'Nothing is withheld from anybody who gets the pack.' },
          {
            id: 'copy',
            title: 'Make a copy with parts withheld',
            note: 'Its reader sees that something is withheld, by whom and why. Some verdicts can then not be derived again from it; the number is shown after sealing.',
          },
        ]}
      />
      {choices.copy && (
        <>
          <fieldset className="ticks columns">
            <legend>Withhold from the copy</legend>
            {plan.withholdable.map(({ id, title }) => (
              <Checkbox key={id} isSelected={choices.classes.includes(id)} onChange={(on) => toggle(id, on)}>
                {title.charAt(0).toUpperCase() + title.slice(1)}
              </Checkbox>
            ))}
          </fieldset>
          <p className="quiet" role="status">
            {choices.classes.length} of {plural(plan.withholdable.length, 'kind')} chosen.
          </p>
          <TextField
            label="Who withholds it"
            description="A person and their role. The copy names them."
            value={choices.who}
            onChange={(who) => onChange({ who })}
            maxLength={200}
          />
          <TextField
            label="Why"
            description="The reason stands in the copy."
            value={choices.why}
            onChange={(why) => onChange({ why })}
            maxLength={500}
          />
        </>
      )}
    </section>
  )
}

import type { StepProps } from '../seal-model.ts'
import { plural } from '../text.ts'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { TextField } from '../ui/TextField.tsx'

/** What a redacted copy omits. The sealed pack remains complete, and the step states this. */
export function ExportRedact({ plan, choices, onChange }: StepProps) {
  const toggle = (id: string, on: boolean): void =>
    onChange({
      classes: plan.withholdable
        .map((one) => one.id)
        .filter((one) => (one === id ? on : choices.classes.includes(one))),
    })
  return (
    <section aria-labelledby="withhold" className="wizard-step">
      <h2 id="withhold">Redacted copy</h2>
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
            {plan.withholdable.map(({ id, title }) => (
              <Checkbox key={id} isSelected={choices.classes.includes(id)} onChange={(on) => toggle(id, on)}>
                {title.charAt(0).toUpperCase() + title.slice(1)}
              </Checkbox>
            ))}
          </fieldset>
          <p className="quiet" role="status">
            {choices.classes.length} of {plural(plan.withholdable.length, 'kind')} selected.
          </p>
          <TextField
            label="Redacted by"
            description="Name and role. Printed in the copy."
            value={choices.who}
            onChange={(who) => onChange({ who })}
            maxLength={200}
          />
          <TextField
            label="Reason"
            description="Printed in the copy."
            value={choices.why}
            onChange={(why) => onChange({ why })}
            maxLength={500}
          />
        </>
      )}
    </section>
  )
}

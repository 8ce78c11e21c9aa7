import { IconMinus, IconPlus } from '@tabler/icons-react'
import { Group, Input, Button as Press, NumberField as Whole } from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldWords } from './Field.tsx'
import { Icon } from './Icon.tsx'

interface NumberFieldProps extends FieldWords {
  readonly value: number
  readonly onChange: (value: number) => void
  readonly minValue?: number
  readonly maxValue?: number
}

const PLAIN: Intl.NumberFormatOptions = { useGrouping: false, maximumFractionDigits: 0 }

/** A whole number with steppers. An emptied field gives NaN. */
export function NumberField({ label, description, error, ...rest }: NumberFieldProps) {
  return (
    <Whole
      className="field number-field"
      isInvalid={error !== undefined}
      validationBehavior="aria"
      formatOptions={PLAIN}
      {...rest}
    >
      <FieldLabel label={label} isRequired={rest.isRequired} />
      <Group className="input-group">
        <Input className="input number" />
        <Press slot="decrement" className="stepper">
          <Icon of={IconMinus} size={14} />
        </Press>
        <Press slot="increment" className="stepper">
          <Icon of={IconPlus} size={14} />
        </Press>
      </Group>
      <FieldNotes description={description} error={error} />
    </Whole>
  )
}

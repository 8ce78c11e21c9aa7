import { IconChevronDown } from '@tabler/icons-react'
import {
  ListBox,
  ListBoxItem,
  Popover,
  Button as Press,
  SelectValue,
  Text,
  Select as Whole,
} from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldWords } from './Field.tsx'
import { Icon } from './Icon.tsx'

export interface SelectOption<Id extends string> {
  readonly id: Id
  readonly title: string
  readonly note?: string
}

interface SelectProps<Id extends string> extends FieldWords {
  readonly options: readonly SelectOption<Id>[]
  readonly value: Id | null
  readonly onChange: (id: Id) => void
  readonly placeholder?: string
  /** The label is for screen readers only, in toolbars where the value is self-explanatory. */
  readonly hideLabel?: boolean
}

/** One of a few. */
export function Select<Id extends string>({
  label,
  description,
  error,
  options,
  value,
  onChange,
  placeholder,
  hideLabel = false,
  ...rest
}: SelectProps<Id>) {
  return (
    <Whole
      {...rest}
      className="field select"
      isInvalid={error !== undefined}
      validationBehavior="aria"
      value={value}
      onChange={(key) => onChange(key as Id)}
      placeholder={placeholder ?? 'Choose'}
      {...(hideLabel ? { 'aria-label': label } : {})}
    >
      {!hideLabel && <FieldLabel label={label} />}
      <Press className="input select-button">
        <SelectValue className="select-value" />
        <Icon of={IconChevronDown} size={16} />
      </Press>
      <FieldNotes description={description} error={error} />
      <Popover className="popover">
        <ListBox className="list-box" items={options}>
          {({ id, title, note }) => (
            <ListBoxItem id={id} className="list-item" textValue={title}>
              <Text slot="label">{title}</Text>
              {note !== undefined && (
                <Text slot="description" className="list-note">
                  {note}
                </Text>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Whole>
  )
}

import { IconCheck, IconChevronDown, IconMinus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import {
  Menu as List,
  MenuItem,
  MenuTrigger,
  Popover,
  Button as Press,
  Radio,
  Checkbox as Ticked,
  RadioGroup as Whole,
} from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldWords } from './Field.tsx'
import { Icon } from './Icon.tsx'

interface CheckBoxProps {
  readonly isSelected: boolean
  readonly isIndeterminate?: boolean
}

/** The box of a choice, as drawn. */
export const CheckBox = ({ isSelected, isIndeterminate = false }: CheckBoxProps) => (
  <span className="check-box" aria-hidden="true">
    {isIndeterminate ? <Icon of={IconMinus} size={14} /> : isSelected && <Icon of={IconCheck} size={14} />}
  </span>
)

interface CheckboxProps {
  readonly isSelected: boolean
  readonly onChange: (selected: boolean) => void
  readonly isIndeterminate?: boolean
  readonly isDisabled?: boolean
  readonly note?: ReactNode
  readonly children: ReactNode
}

/** Yes or no. The note below is part of the label. */
export function Checkbox({ note, children, ...rest }: CheckboxProps) {
  return (
    <Ticked className="check" {...rest}>
      {(state) => (
        <>
          <CheckBox {...state} />
          <span>
            {children}
            {note !== undefined && <span className="note">{note}</span>}
          </span>
        </>
      )}
    </Ticked>
  )
}

interface RadioOption<Id extends string> {
  readonly id: Id
  readonly title: ReactNode
  readonly note?: ReactNode
  readonly isDisabled?: boolean
}

/** One of a few, all visible. */
export function RadioGroup<Id extends string>({
  label,
  description,
  error,
  options,
  value,
  onChange,
  inline = false,
  ...rest
}: FieldWords & {
  readonly options: readonly RadioOption<Id>[]
  readonly value: Id | null
  readonly onChange: (id: Id) => void
  readonly inline?: boolean
}) {
  return (
    <Whole
      className={inline ? 'field radios inline' : 'field radios'}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      value={value}
      onChange={(id) => onChange(id as Id)}
      {...rest}
    >
      <FieldLabel label={label} />
      <div className="radio-list">
        {options.map(({ id, title, note, isDisabled = false }) => (
          <Radio key={id} value={id} className="check" isDisabled={isDisabled}>
            <span className="radio-dot" aria-hidden="true" />
            <span>
              {title}
              {note !== undefined && <span className="note">{note}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <FieldNotes description={description} error={error} />
    </Whole>
  )
}

interface ChoiceMenuProps {
  readonly title: string
  readonly options: readonly { readonly id: string; readonly title: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  /** The last chosen entry cannot be deselected. */
  readonly keepsOne?: boolean
}

/** A button that opens a list in which several entries can be chosen. */
export function ChoiceMenu({ title, options, chosen, onChange, keepsOne = false }: ChoiceMenuProps) {
  return (
    <MenuTrigger>
      <Press className="button quiet small">
        <span>{title}</span>
        <Icon of={IconChevronDown} size={14} />
      </Press>
      <Popover className="popover" placement="bottom end">
        <List
          className="list-box"
          aria-label={title}
          items={options}
          selectionMode="multiple"
          disallowEmptySelection={keepsOne}
          selectedKeys={chosen}
          onSelectionChange={(keys) => onChange(keys === 'all' ? options.map(({ id }) => id) : [...keys].map(String))}
        >
          {({ id, title: words }) => (
            <MenuItem id={id} className="list-item" textValue={words}>
              {({ isSelected }) => (
                <>
                  <CheckBox isSelected={isSelected} />
                  {words}
                </>
              )}
            </MenuItem>
          )}
        </List>
      </Popover>
    </MenuTrigger>
  )
}

import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import { Menu as List, MenuItem, MenuTrigger, Popover, Button as Press } from 'react-aria-components'
import { Icon } from './Icon.tsx'

export interface ChoiceMenuProps {
  readonly title: string
  readonly options: readonly { readonly id: string; readonly title: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** A button that opens a list in which several entries can be chosen. */
export function ChoiceMenu({ title, options, chosen, onChange }: ChoiceMenuProps) {
  return (
    <MenuTrigger>
      <Press className="button quiet small">
        <span className="button-words">{title}</span>
        <Icon of={IconChevronDown} size={14} />
      </Press>
      <Popover className="popover" placement="bottom end">
        <List
          className="list-box"
          aria-label={title}
          items={options}
          selectionMode="multiple"
          selectedKeys={chosen}
          onSelectionChange={(keys) => onChange(keys === 'all' ? options.map(({ id }) => id) : [...keys].map(String))}
        >
          {({ id, title: words }) => (
            <MenuItem id={id} className="list-item" textValue={words}>
              {({ isSelected }) => (
                <>
                  <span className="check-box" aria-hidden="true">
                    {isSelected && <Icon of={IconCheck} size={14} />}
                  </span>
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

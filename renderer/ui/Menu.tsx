import { IconChevronDown } from '@tabler/icons-react'
import { Menu as List, MenuItem, MenuTrigger, Popover, Button as Press } from 'react-aria-components'
import { Icon, type TablerIcon } from './Icon.tsx'

interface MenuEntry {
  readonly id: string
  readonly title: string
  readonly icon?: TablerIcon
  readonly isDisabled?: boolean
  readonly danger?: boolean
  readonly onAction: () => void
}

interface MenuProps {
  readonly title: string
  /** Where the title does not name the object of the actions. */
  readonly label?: string
  readonly small?: boolean
  readonly kind?: 'secondary' | 'quiet'
  readonly entries: readonly MenuEntry[]
}

/** A button that opens a short list of actions. */
export function Menu({ title, label, small = false, kind = 'secondary', entries }: MenuProps) {
  return (
    <MenuTrigger>
      <Press
        className={`button ${kind}${small ? ' small' : ''}`}
        {...(label === undefined ? {} : { 'aria-label': label })}
      >
        <span>{title}</span>
        <Icon of={IconChevronDown} size={14} />
      </Press>
      <Popover className="popover" placement="bottom end">
        <List className="list-box" items={entries}>
          {({ id, title: words, icon, isDisabled = false, danger = false, onAction }) => (
            <MenuItem
              id={id}
              className={danger ? 'list-item danger' : 'list-item'}
              textValue={words}
              isDisabled={isDisabled}
              onAction={onAction}
            >
              {icon !== undefined && <Icon of={icon} size={16} />}
              {words}
            </MenuItem>
          )}
        </List>
      </Popover>
    </MenuTrigger>
  )
}

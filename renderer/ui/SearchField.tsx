import { IconSearch, IconX } from '@tabler/icons-react'
import { Input, Button as Press, SearchField as Whole } from 'react-aria-components'
import { Icon } from './Icon.tsx'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  /** The field that `/` focuses. One per screen. */
  readonly isFilter?: boolean
}

/** Searches the current screen. Escape clears it. */
export function SearchField({ label, value, onChange, placeholder, isFilter = false }: SearchFieldProps) {
  return (
    <Whole
      className="field search"
      value={value}
      onChange={onChange}
      aria-label={label}
      {...(isFilter ? { 'data-filter': true } : {})}
    >
      <span className="search-box">
        <Icon of={IconSearch} size={16} />
        <Input className="input" placeholder={placeholder ?? label} spellCheck="false" autoComplete="off" />
        <Press className="button quiet icon-only search-clear" aria-label="Clear search">
          <Icon of={IconX} size={14} />
        </Press>
      </span>
    </Whole>
  )
}

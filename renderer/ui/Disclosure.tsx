import { IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { DisclosurePanel, Heading, Button as Press, Disclosure as Whole } from 'react-aria-components'
import { Icon } from './Icon.tsx'

interface DisclosureProps {
  readonly title: ReactNode
  /** At the right of the title: a count or a state. */
  readonly aside?: ReactNode
  readonly startsOpen?: boolean
  readonly isOpen?: boolean
  readonly onToggle?: (open: boolean) => void
  readonly level?: 2 | 3 | 4
  readonly className?: string
  readonly children: ReactNode
}

/** Folded detail under a heading that is a button. */
export function Disclosure({
  title,
  aside,
  startsOpen = false,
  isOpen,
  onToggle,
  level = 3,
  className,
  children,
}: DisclosureProps) {
  return (
    <Whole
      className={className === undefined ? 'disclosure' : `disclosure ${className}`}
      defaultExpanded={startsOpen}
      {...(isOpen === undefined ? {} : { isExpanded: isOpen })}
      {...(onToggle === undefined ? {} : { onExpandedChange: onToggle })}
    >
      <Heading level={level} className="disclosure-head">
        <Press slot="trigger" className="disclosure-button">
          <Icon of={IconChevronRight} size={16} />
          <span className="disclosure-title">{title}</span>
          {aside !== undefined && <span className="disclosure-aside">{aside}</span>}
        </Press>
      </Heading>
      <DisclosurePanel className="disclosure-panel">
        <div className="disclosure-body">{children}</div>
      </DisclosurePanel>
    </Whole>
  )
}

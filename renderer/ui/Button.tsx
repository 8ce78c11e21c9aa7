import type { ReactNode } from 'react'
import { Button as Press, type PressEvent } from 'react-aria-components'
import { Icon, type TablerIcon } from './Icon.tsx'

interface ButtonProps {
  /** `link` reads as text in a sentence. */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'link'
  readonly small?: boolean
  readonly icon?: TablerIcon
  /** Keeps the focus; the button cannot be pressed again. */
  readonly busy?: boolean
  readonly isDisabled?: boolean
  readonly type?: 'button' | 'submit'
  readonly form?: string
  /** Only where the visible text does not name its object. */
  readonly label?: string
  /** Id of the text that explains why the button is disabled, or what it does. */
  readonly describedBy?: string
  readonly current?: boolean
  readonly className?: string
  readonly autoFocus?: boolean
  readonly onPress?: (event: PressEvent) => void
  readonly children: ReactNode
}

/** A button: verb and object. Its width does not change while busy. */
export function Button({
  kind = 'secondary',
  small = false,
  icon,
  busy = false,
  label,
  describedBy,
  current,
  className,
  type = 'button',
  onPress,
  children,
  ...rest
}: ButtonProps) {
  const classes = ['button', kind, small ? 'small' : '', className ?? ''].filter((name) => name !== '').join(' ')
  return (
    <Press
      {...rest}
      className={classes}
      // Not the library’s own pending state: its announcement leaves unnamed images in the page.
      type={busy ? 'button' : type}
      {...(busy ? { 'data-pending': true, 'aria-disabled': true } : onPress === undefined ? {} : { onPress })}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(describedBy === undefined ? {} : { 'aria-describedby': describedBy })}
      {...(current === true ? { 'aria-current': 'page' as const } : {})}
    >
      {icon !== undefined && <Icon of={icon} size={small ? 15 : 17} />}
      <span>{children}</span>
      {busy && <span className="button-busy" aria-hidden="true" />}
    </Press>
  )
}

import { IconAlertTriangle, IconInfoCircle, IconSquareX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Icon, type TablerIcon } from './Icon.tsx'

export interface NoticeProps {
  readonly kind?: 'info' | 'warning' | 'failure'
  /** What happened. */
  readonly title: ReactNode
  /** Effect on the evidence. */
  readonly means?: ReactNode
  /** What to do next. */
  readonly next?: ReactNode
  /** A technical line, folded away and copyable. */
  readonly detail?: ReactNode
  readonly actions?: ReactNode
  /** A direct result of a user action, so it is announced at once. */
  readonly interrupts?: boolean
}

const ICONS: Readonly<Record<NonNullable<NoticeProps['kind']>, TablerIcon>> = {
  info: IconInfoCircle,
  warning: IconAlertTriangle,
  failure: IconSquareX,
}

/** A notice: what happened, effect, what to do. */
export function Notice({ kind = 'info', title, means, next, detail, actions, interrupts = false }: NoticeProps) {
  return (
    <div className={`notice ${kind}`} {...(interrupts ? { role: 'alert' } : {})}>
      <Icon of={ICONS[kind]} />
      <div className="notice-body">
        <p className="notice-title">{title}</p>
        {means !== undefined && <p>{means}</p>}
        {next !== undefined && <p>{next}</p>}
        {detail !== undefined && (
          <details>
            <summary>Technical detail</summary>
            <p className="mono source">{detail}</p>
          </details>
        )}
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
    </div>
  )
}

import { IconAlertTriangle, IconInfoCircle, IconSquareX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Label, ProgressBar } from 'react-aria-components'
import { Icon, type TablerIcon } from './Icon.tsx'

interface NoticeProps {
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

/** States what will appear here, why it is empty, and what to do. */
export function EmptyState({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className="empty-state">
      <p className="empty-title">{title}</p>
      <p>{children}</p>
      {action}
    </div>
  )
}

interface ProgressProps {
  readonly label: string
  /** Out of `max`; null while there is no count. */
  readonly value: number | null
  readonly max?: number
  /** Shown and announced instead of a percentage: "23 of 40 nodes". */
  readonly words: string
  readonly showWords?: boolean
}

/** Progress in counts. */
export function Progress({ label, value, max = 100, words, showWords = true }: ProgressProps) {
  const share = value === null || max === 0 ? 0 : Math.min(1, value / max)
  return (
    <ProgressBar
      className="progress"
      value={value ?? 0}
      maxValue={Math.max(1, max)}
      isIndeterminate={value === null}
      valueLabel={words}
    >
      <span className="progress-words">
        <Label>{label}</Label>
        {showWords && <span className="number">{words}</span>}
      </span>
      <span className="progress-track" aria-hidden="true">
        <span className="progress-fill" style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </ProgressBar>
  )
}

import type { ReactNode } from 'react'

/** What appears here, why it is empty, and the action to take. */
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

import type { ReactNode } from 'react'
import { SHORTCUTS } from '../state/shortcuts.ts'
import { change, isReviewWindow, useStore } from '../state/store.ts'
import { Dialog } from '../ui/Dialog.tsx'

interface ShortcutTableProps {
  readonly className: string
  readonly caption?: ReactNode
  /** Note on a shortcut that is turned off. */
  readonly off: string
}

/** The shortcuts of this window, and which are turned off. */
export function ShortcutTable({ className, caption, off }: ShortcutTableProps) {
  const { settings } = useStore()
  const here = isReviewWindow() ? 'review' : 'main'
  return (
    <table className={className}>
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          <th scope="col">Keys</th>
          <th scope="col">Action</th>
        </tr>
      </thead>
      <tbody>
        {SHORTCUTS.filter(({ only = here }) => only === here).map(({ keys, does, single }) => (
          <tr key={keys}>
            <th scope="row">
              <kbd>{keys}</kbd>
            </th>
            <td>
              {does}
              {single && !settings.singleKeys && <span className="note">{off}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The list of shortcuts, over the current screen. */
export const ShortcutList = () => (
  <Dialog title="Keyboard shortcuts" read onClose={() => change({ over: null })}>
    <ShortcutTable className="shortcuts" off="Turned off in settings." />
  </Dialog>
)

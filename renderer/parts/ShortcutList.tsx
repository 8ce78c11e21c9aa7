import { change } from '../store.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { ShortcutTable } from './ShortcutTable.tsx'

/** The list of shortcuts, over the current screen. */
export const ShortcutList = () => (
  <Dialog title="Keyboard shortcuts" read onClose={() => change({ over: null })}>
    <ShortcutTable className="shortcuts" off="Turned off in settings." />
  </Dialog>
)

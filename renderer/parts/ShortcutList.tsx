import { change } from '../store.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { ShortcutTable } from './ShortcutTable.tsx'

/** The shortcuts, over whatever is shown. */
export const ShortcutList = () => (
  <Dialog title="Keyboard shortcuts" read onClose={() => change({ over: null })}>
    <ShortcutTable className="shortcuts" off="Turned off in the settings." />
  </Dialog>
)

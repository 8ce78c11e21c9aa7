import { SHORTCUTS } from '../shortcuts.ts'
import { change, useStore } from '../store.ts'
import { Dialog } from '../ui/Dialog.tsx'

/** Every shortcut of the window. */
export function ShortcutList() {
  const { settings } = useStore()
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => change({ over: null })}>
      <table className="shortcuts">
        <thead>
          <tr>
            <th scope="col">Keys</th>
            <th scope="col">What they do</th>
          </tr>
        </thead>
        <tbody>
          {SHORTCUTS.map(({ keys, does, single }) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>
                {does}
                {single && !settings.singleKeys && <span className="note">Turned off in the settings.</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}

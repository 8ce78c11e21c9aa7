import type { Settings } from '../../schemas/ipc-views.ts'
import { SHORTCUTS } from '../shortcuts.ts'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { useSettings } from '../use-settings.ts'
import { FailureNote } from './Failure.tsx'

const THEMES: readonly { readonly id: Settings['theme']; readonly title: string }[] = [
  { id: 'system', title: 'As the system' },
  { id: 'light', title: 'Light' },
  { id: 'dark', title: 'Dark' },
]

/** How the window looks, and what the keyboard does in it. */
export function Appearance() {
  const { settings, error, keep } = useSettings()
  return (
    <section aria-labelledby="appearance" className="settings-part">
      <h2 id="appearance">Appearance and keyboard</h2>
      <RadioGroup
        label="Theme"
        inline
        options={THEMES}
        value={settings.theme}
        onChange={(theme) => void keep({ theme })}
      />
      <Checkbox
        isSelected={settings.singleKeys}
        onChange={(singleKeys) => void keep({ singleKeys })}
        note="Turn them off if you speak to your computer, or if letters are pressed by accident."
      >
        Shortcuts of single keys
      </Checkbox>
      {error !== null && <FailureNote error={error} />}
      <div className="scroll">
        <table className="told-table">
          <caption>Keyboard shortcuts</caption>
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
                  {single && !settings.singleKeys && <span className="note">Turned off</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

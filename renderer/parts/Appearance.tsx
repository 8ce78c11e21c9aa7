import type { Settings } from '../../schemas/ipc-views.ts'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { useSettings } from '../use-settings.ts'
import { FailureNote } from './Failure.tsx'
import { ShortcutTable } from './ShortcutTable.tsx'

const THEMES: readonly { readonly id: Settings['theme']; readonly title: string }[] = [
  { id: 'system', title: 'System' },
  { id: 'light', title: 'Light' },
  { id: 'dark', title: 'Dark' },
]

/** Theme and keyboard shortcuts. */
export function Appearance() {
  const { settings, error, keep } = useSettings()
  return (
    <section aria-labelledby="appearance" className="settings-part">
      <h2 id="appearance">Appearance</h2>
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
        note="Turn them off if you use speech input or press keys by accident."
      >
        Single-key shortcuts
      </Checkbox>
      {error !== null && <FailureNote error={error} />}
      <div className="scroll">
        <ShortcutTable className="told-table" caption="Keyboard shortcuts" off="Turned off" />
      </div>
    </section>
  )
}

import type { CallFailure } from '../schemas/ipc.ts'
import type { Settings } from '../schemas/ipc-views.ts'
import { useAction } from './actions.ts'
import { change, getState, say, useStore } from './store.ts'

export interface SettingsInUse {
  readonly settings: Settings
  readonly busy: boolean
  readonly error: CallFailure | null
  /** Saves the changes. They are shown only when saved; true then. */
  readonly keep: (part: Partial<Settings>) => Promise<boolean>
}

/** The settings and a function to change them. */
export function useSettings(): SettingsInUse {
  const { settings } = useStore()
  const { busy, error, run } = useAction('settings.set')
  const keep = async (part: Partial<Settings>): Promise<boolean> => {
    const kept = await run({ ...getState().settings, ...part })
    if (kept === null) return false
    change({ settings: kept })
    say('Setting saved.')
    return true
  }
  return { settings, busy, error, keep }
}

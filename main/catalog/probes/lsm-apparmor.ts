import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { asRecord, readJson } from '../read-text.ts'

export interface AppArmorProfiles {
  readonly enforcing: number
  readonly complaining: number
  readonly confinedProcesses: number
}

/** aa-status(8) --json: profiles by mode, and processes by profile. */
export const lsmApparmor = defineProbe({
  id: 'lsm.apparmor',
  title: 'AppArmor profiles',
  why: 'Shows how many programs AppArmor confines, and whether it only logs or enforces.',
  ignoredInDrift: {
    why: 'Processes start and end.',
    normalize: ({ confinedProcesses: _, ...profiles }: AppArmorProfiles) => profiles,
  },
  commands: { status: runAsRoot(['aa-status', '--json']) },
  parse({ status }) {
    const json =
      status.exitCode === 0 ? readJson(status.text, 'aa-status') : unknown('AppArmor’s state could not be read')
    if (!json.ok) return json
    const document = asRecord(json.fact)
    if (document.profiles === undefined) return unknown('the output of aa-status has an unexpected format')
    const modes = Object.values(asRecord(document.profiles))
    return known<AppArmorProfiles>({
      enforcing: modes.filter((mode) => mode === 'enforce').length,
      complaining: modes.filter((mode) => mode === 'complain').length,
      confinedProcesses: Object.keys(asRecord(document.processes)).length,
    })
  },
})

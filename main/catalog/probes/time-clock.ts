import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { properties } from '../read-text.ts'

export interface ClockState {
  /** The kernel's own flag: some program disciplines the clock (adjtimex(2), STA_UNSYNC clear). */
  readonly synchronized: boolean
  readonly timezone: string
}

/** timedatectl(1) show needs the system bus; without it this stays unread. */
export const timeClock = defineProbe({
  id: 'time.clock',
  title: 'State of the system clock',
  why: 'Shows whether the kernel considers its clock synchronized, and which time zone is set.',
  commands: { clock: run(['timedatectl', 'show']) },
  parse({ clock }) {
    const values = properties(clock.text)
    const flag = values.get('NTPSynchronized')
    if (clock.exitCode !== 0 || (flag !== 'yes' && flag !== 'no')) return unknown('the clock’s state could not be read')
    return known<ClockState>({ synchronized: flag === 'yes', timezone: values.get('Timezone') ?? '' })
  },
})

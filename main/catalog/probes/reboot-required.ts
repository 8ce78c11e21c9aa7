import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface RebootState {
  readonly running: string
  /** Versions of the kernels in /boot. */
  readonly installed: readonly string[]
  /** The distribution's tools requires a restart (/run/reboot-required of Debian and Ubuntu, /run/reboot-needed of SUSE). */
  readonly asked: boolean
}

export const rebootRequired = defineProbe({
  id: 'reboot.required',
  title: 'Running and installed kernels',
  why: 'Shows whether an installed kernel update needs a restart.',
  commands: {
    running: run(['uname', '-r']),
    boot: run(['ls', '-1', '/boot']),
    // /run stands first so that a missing flag can be distinguished from a folder that no one could look into.
    flag: run(['ls', '-d', '/run', '/run/reboot-required', '/run/reboot-needed']),
  },
  parse({ running, boot, flag }) {
    const version = running.text.trim()
    if (running.exitCode !== 0 || version === '') return unknown('the running kernel’s version could not be read')
    if (boot.exitCode !== 0)
      return unknown(
        isAbsent(boot)
          ? 'there is no folder of installed kernels'
          : 'the folder of installed kernels could not be read',
      )
    const flags = lines(flag.text)
    if (!flags.includes('/run')) return unknown('the folder of the restart flag could not be read')
    return known<RebootState>({
      running: version,
      installed: lines(boot.text).flatMap((name) => {
        const [, installed] = /^(?:vmlinu[xz]|Image)-(?!0-rescue)(\d\S*)$/.exec(name) ?? []
        return installed === undefined ? [] : [installed]
      }),
      asked: flags.includes('/run/reboot-required') || flags.includes('/run/reboot-needed'),
    })
  },
})

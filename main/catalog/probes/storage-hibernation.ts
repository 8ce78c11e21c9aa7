import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { sysfsLines } from '../storage/sysfs-lines.ts'

/** Where a hibernation image would be written. */
export type Hibernation =
  | { readonly kind: 'not-offered' }
  | { readonly kind: 'no-device' }
  | { readonly kind: 'device'; readonly device: string }

export const storageHibernation = defineProbe({
  id: 'storage.hibernation',
  title: 'Hibernation device',
  why: 'Hibernation writes all of memory to a drive.',
  commands: {
    power: run([
      'grep',
      '-sH',
      '',
      '/sys/power/state',
      '/sys/power/disk',
      '/sys/power/resume',
      '/sys/power/pm_freeze_timeout',
    ]),
  },
  parse: ({ power }) => parseHibernation(power.text),
})

/**
 * Reads /sys/power (Documentation/ABI/testing/sysfs-power). The files `disk` and `resume` exist only where hibernation is built in, so
 * their absence means something once another file of the folder was shown. `resume` is the device number, 0:0 for none.
 */
export function parseHibernation(text: string): Parsed<Hibernation> {
  const files = sysfsLines(text)
  if (files.size === 0) return unknown('the kernel’s power settings were not shown')
  const mode = files.get('/sys/power/disk')
  const resume = files.get('/sys/power/resume')?.trim()
  if (mode === undefined && resume === undefined) return known({ kind: 'not-offered' })
  // On a locked-down kernel the mode reads [disabled]; nothing can then be written.
  if (mode?.includes('[disabled]') === true) return known({ kind: 'not-offered' })
  if (resume === undefined || !/^\d+:\d+$/.test(resume)) return unknown('the hibernation device was not shown')
  return known(resume === '0:0' ? { kind: 'no-device' } : { kind: 'device', device: resume })
}

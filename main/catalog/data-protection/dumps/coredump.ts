import { defineProbe, known, run, unknown } from '../../../core/recording/probe.ts'
import { isAbsent } from '../../base/read-text.ts'

export interface CoredumpSettings {
  /** Nothing of a dump is written: neither to keep it nor to look at it first. */
  readonly writesNothing: boolean
}

const PLACES = [
  '/etc/systemd/coredump.conf',
  '/etc/systemd/coredump.conf.d',
  '/run/systemd/coredump.conf.d',
  '/usr/lib/systemd/coredump.conf',
  '/usr/lib/systemd/coredump.conf.d',
] as const

/**
 * coredump.conf(5), as systemd merges it. Storage=none alone keeps no dump, but writes it to disk for a look at the stack; with
 * ProcessSizeMax=0 as well, it is not written at all (src/coredump/coredump.c, save_external_coredump). The CIS Benchmarks set both.
 */
export const coredumpSettings = defineProbe({
  id: 'memory.coredump-settings',
  title: 'Settings of systemd-coredump',
  why: 'Shows whether the memory of a program that crashed is written to a drive at all.',
  commands: {
    config: run(['systemd-analyze', 'cat-config', 'systemd/coredump.conf'], { needsPath: PLACES }),
  },
  parse({ config }) {
    if (isAbsent(config)) return known<CoredumpSettings>({ writesNothing: false })
    if (config.exitCode !== 0) return unknown('the settings of systemd-coredump could not be read')
    const values = new Map<string, string>()
    let section = ''
    for (const line of config.text.split(/\r?\n/)) {
      // Each file is preceded by its path as a comment; a section of the previous file does not continue in it.
      if (/^# \/\S+\.conf$/.test(line)) section = ''
      const name = /^\s*\[([^\]]{1,100})\]\s*$/.exec(line)?.[1]
      if (name !== undefined) section = name
      const [, key, value = ''] = /^\s*(Storage|ProcessSizeMax)\s*=(.*)$/.exec(line) ?? []
      if (key === undefined) continue
      if (section !== 'Coredump') return unknown('a setting of systemd-coredump is in no section of its own')
      values.set(key, value.trim().toLowerCase())
    }
    return known<CoredumpSettings>({
      writesNothing: values.get('Storage') === 'none' && values.get('ProcessSizeMax') === '0',
    })
  },
})

import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface JournalConfig {
  /** journald.conf(5) keys as merged from all files; the last assignment wins. */
  readonly settings: ReadonlyMap<string, string>
  /** Whether /var/log/journal exists: with Storage=auto, the default, it decides if the journal outlives a reboot. */
  readonly hasFolder: boolean
}

export const journaldConfig = defineProbe({
  id: 'journald.config',
  title: 'Settings of the system journal',
  why: 'Shows whether the journal is kept across reboots, how large it may grow and how old it may get.',
  commands: {
    config: run(['systemd-analyze', 'cat-config', 'systemd/journald.conf']),
    folders: run(['ls', '-d', '/var/log', '/var/log/journal']),
  },
  parse({ config, folders }) {
    if (config.exitCode !== 0) return unknown('the settings of the journal could not be read')
    const entries = lines(config.text).flatMap((line) => {
      const [, key, value] = /^([A-Z][A-Za-z]+)=(.*)$/.exec(line) ?? []
      return key === undefined || value === undefined ? [] : [[key, value.trim()] as const]
    })
    return known<JournalConfig>({
      settings: new Map(entries),
      hasFolder: lines(folders.text).includes('/var/log/journal'),
    })
  },
})

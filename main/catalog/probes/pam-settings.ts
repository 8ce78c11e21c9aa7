import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface PamSettings {
  /** File name (faillock.conf, pwquality.conf, pwhistory.conf) → key → value; a key without a value maps to an empty text. */
  readonly files: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/**
 * faillock.conf(5), pwquality.conf(5), pwhistory.conf(5). A file that does not exist leaves the module its defaults. What is in
 * pwquality.conf.d is read first, and the main file overrides it (pwquality.conf(5), DESCRIPTION).
 */
export const pamSettings = defineProbe({
  id: 'pam.settings',
  title: 'Settings of the lockout and password modules',
  why: 'Shows after how many failures an account is locked, for how long, and which passwords are accepted.',
  commands: {
    settings: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*[a-z]',
      '/etc/security/faillock.conf',
      glob('/etc/security/pwquality.conf.d/*.conf'),
      '/etc/security/pwquality.conf',
      '/etc/security/pwhistory.conf',
    ]),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every settings file of the login modules could be read')
    const files = new Map<string, Map<string, string>>()
    for (const { path, line } of foundLines(settings.text)) {
      const file = path.includes('/pwquality.conf.d/') ? 'pwquality.conf' : path.replace(/^.*\//, '')
      const values = files.get(file) ?? new Map<string, string>()
      files.set(file, values)
      const [, key = '', value = ''] = /^\s*([a-z_]+)\s*=?\s*([^#]*)/.exec(line) ?? []
      values.set(key, value.trim())
    }
    return known<PamSettings>({ files })
  },
})

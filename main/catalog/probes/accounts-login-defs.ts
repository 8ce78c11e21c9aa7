import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface LoginDefs {
  /** Setting → value. The files of the administrator come before those of the distribution. */
  readonly settings: ReadonlyMap<string, string>
}

/** login.defs(5): ages of passwords, scheme of their hashes, and where the ids of people begin. SUSE keeps its own part below /usr/etc. */
export const accountsLoginDefs = defineProbe({
  id: 'accounts.login-defs',
  title: 'Rules for new accounts and passwords',
  why: 'Shows how long a password may stay unchanged and how a new one is stored.',
  commands: {
    settings: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*(ENCRYPT_METHOD|PASS_MAX_DAYS|PASS_MIN_DAYS|PASS_WARN_AGE|UID_MIN)[[:space:]]',
      '/usr/etc/login.defs',
      '/etc/login.defs',
      glob('/etc/login.defs.d/*.defs'),
    ]),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every file of rules for accounts could be read')
    const values = new Map<string, string>()
    for (const { line } of foundLines(settings.text)) {
      const [key = '', value = ''] = line.trim().split(/\s+/)
      values.set(key, value)
    }
    if (values.size === 0) return unknown('there are no rules for accounts in the default locations')
    return known<LoginDefs>({ settings: values })
  },
})

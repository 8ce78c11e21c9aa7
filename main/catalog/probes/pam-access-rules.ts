import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

/** A line of access.conf(5): whether it permits, whom and from where. The first line that matches decides. */
export interface AccessRule {
  readonly permits: boolean
  readonly who: string
  readonly from: string
}
export interface AccessRules {
  readonly rules: readonly AccessRule[]
}

/** access.conf(5): rules of pam_access, which count only where that module is among those asked. */
export const pamAccessRules = defineProbe({
  id: 'pam.access-rules',
  title: 'Login access rules (pam_access)',
  why: 'Shows whether logins are limited to named accounts or groups in addition to the SSH server’s own list.',
  commands: {
    rules: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*[+-][[:space:]]*:',
      '/etc/security/access.conf',
      glob('/etc/security/access.d/*.conf'),
    ]),
  },
  parse({ rules }) {
    if (!grepIsComplete(rules)) return unknown('not every file of rules about logins could be read')
    const read = foundLines(rules.text).map(({ line }) => {
      const [sign = '', who, ...from] = line.replace(/#.*/, '').split(':')
      return who === undefined || from.length === 0
        ? null
        : { permits: sign.trim() === '+', who: who.trim(), from: from.join(':').trim() }
    })
    if (read.includes(null)) return unknown('a rule about logins has an unexpected format')
    return known<AccessRules>({ rules: read.filter((rule) => rule !== null) })
  },
})

import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'
import { readRule } from './auditd-rules.ts'

export interface AuditRuleFiles {
  /** Rules as they are in the files, in the syntax of auditctl(8). */
  readonly rules: readonly string[]
}

/** augenrules(8) makes the rules that are loaded at boot from the files *.rules in rules.d; other files there do not count. */
export const auditdRuleFiles = defineProbe({
  id: 'auditd.rule-files',
  title: 'Audit rules for the next boot',
  why: 'Shows whether the active rules are the ones in the files, and so are loaded again after a restart.',
  commands: {
    rules: runAsRoot(['grep', '-r', '-H', '-E', '^[[:space:]]{0,}-[aAw][[:space:]]', '/etc/audit/rules.d']),
  },
  parse({ rules }) {
    if (!grepIsComplete(rules)) return unknown('the files of audit rules could not be read')
    return known<AuditRuleFiles>({
      rules: foundLines(rules.text)
        .filter(({ path }) => /^\/etc\/audit\/rules\.d\/[^/]+\.rules$/.test(path))
        .map(({ line }) => line.trim())
        .filter((line) => readRule(line) !== null),
    })
  },
})

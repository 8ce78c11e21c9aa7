import { defineCheck } from '../../core/check.ts'
import { auditdStatus } from '../probes/auditd-status.ts'
import { contradicts, decide, supports } from '../steps.ts'

export const auditImmutableRules = defineCheck({
  id: 'audit.immutable-rules',
  property: 'audit',
  expected: 'The audit rules are locked: no user, including root, can change them until the next boot.',
  limitations:
    'A restart lifts the lock, and files that the rules are loaded from can be changed for the next boot. Stored records can still be altered by root.',
  requires: { status: auditdStatus },
  evaluate: ({ status }) =>
    decide([
      status.enabled === 2
        ? supports('The kernel reports “enabled 2”: the rules are locked until the next boot.', auditdStatus)
        : contradicts(
            `The kernel reports “enabled ${status.enabled}”: the rules can be changed at any time.`,
            auditdStatus,
          ),
    ]),
})

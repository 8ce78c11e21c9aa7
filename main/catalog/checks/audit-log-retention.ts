import { defineCheck, type Step } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { type JournalConfig, journaldConfig } from '../probes/journald-config.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const auditLogRetention = defineCheck({
  id: 'audit.log-retention',
  property: 'audit',
  claim: 'The system journal is kept on disk and outlives a restart.',
  limits:
    'How long entries stay depends on their volume and the size limit; the six years of 45 CFR 164.316 concern documentation, and no such period is judged here. Text log files and central retention are not covered.',
  needs: { journal: journaldConfig },
  evaluate: ({ journal }) => weigh([storage(journal), ...limits(journal)]),
})

// journald.conf(5), Storage=: auto, the default, writes to disk only when /var/log/journal exists.
function storage({ settings, hasFolder }: JournalConfig): Step {
  const mode = settings.get('Storage')?.toLowerCase() ?? 'auto'
  if (mode === 'persistent') return speaksFor('The journal’s storage is set to persistent.', journaldConfig, 'config')
  if (mode === 'volatile' || mode === 'none')
    return speaksAgainst(`The journal’s storage is set to ${mode}: it ends with a restart.`, journaldConfig, 'config')
  if (mode !== 'auto')
    return leavesUnclear(
      `The journal’s storage is set to ${quote(mode)}, which we do not know.`,
      journaldConfig,
      'config',
    )
  return hasFolder
    ? speaksFor('The journal’s storage is automatic, and its folder on disk exists.', journaldConfig)
    : speaksAgainst(
        'The journal’s storage is automatic, and its folder on disk does not exist: it ends with a restart.',
        journaldConfig,
      )
}

const limits = ({ settings }: JournalConfig): readonly Step[] =>
  ['SystemMaxUse', 'MaxRetentionSec'].flatMap((key) => {
    const value = settings.get(key)
    return value === undefined || value === ''
      ? []
      : [speaksFor(`${key} is set to ${quote(value)}.`, journaldConfig, 'config')]
  })

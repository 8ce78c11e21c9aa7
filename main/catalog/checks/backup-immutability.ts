import { defineCheck, unclearAbout } from '../../core/check.ts'
import { backupSettings, toolOfSettings } from '../probes/backup-settings.ts'
import { backupUnits } from '../probes/backup-units.ts'
import { decide, named, supports, unclear } from '../steps.ts'

export const backupImmutability = defineCheck({
  id: 'backup.immutability',
  property: 'operations',
  expected:
    'The settings of a backup tool on this node require an immutable target: append-only, or with locked objects.',
  ends: 'supported-or-recorded',
  limitations:
    'A lock is usually set at the target, where this node cannot see it: the absence of such a setting here is recorded, not counted as a deviation. Not shown: that the target enforces it, and that no administrator of the node can undo it.',
  requires: { settings: backupSettings },
  optional: { units: backupUnits },
  evaluate({ settings: { files, locking } }, { units }) {
    const tools = [
      ...new Set([
        ...files.flatMap((file) => toolOfSettings(file) ?? []),
        ...(units.ok
          ? units.fact.units.filter(({ tool }) => tool.isSnapshot !== true).map(({ tool }) => tool.name)
          : []),
      ]),
    ]
    if (locking.length > 0) return decide([supports(`Required in ${named(locking, 5)}.`, backupSettings, 'locking')])
    if (tools.length > 0)
      return {
        verdict: 'informational',
        observations: [
          supports(
            `Found: ${named(tools)}. No setting on this node requires an immutable target.`,
            backupSettings,
            'files',
            'locking',
          ),
        ],
      }
    return decide([
      unclear('No settings of a backup tool known to this catalog were found.', backupSettings, 'files'),
      ...unclearAbout(backupUnits, units),
    ])
  },
})

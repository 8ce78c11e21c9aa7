import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { BACKUP_UNITS, type BackupTool } from '../operations/backup-tools.ts'
import { unitBlocks } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface BackupUnit {
  readonly tool: BackupTool
  readonly unit: string
  /** A job ends; an agent keeps running. */
  readonly isJob: boolean
  readonly activeState: string
  /** systemd's word for how it ended last: success, exit-code, timeout, … It is success before the first run, too. */
  readonly result: string
  /** Exit status of the main process of the last run; null where it is no number. */
  readonly exitStatus: number | null
  /** When the last run ended, in seconds since the kernel started; null where it has not run since then. */
  readonly endedAtSeconds: number | null
}
export interface BackupUnits {
  /** Those that the service manager knows. */
  readonly units: readonly BackupUnit[]
}

/**
 * systemctl(1) show; org.freedesktop.systemd1(5) for the properties. The monotonic time is in microseconds since the start of the kernel
 * and so knows no time zone, whose short name in the printed date cannot be reported.
 */
export const backupUnits = defineProbe({
  id: 'backup.units',
  title: 'Backup jobs and agents',
  why: 'Shows which backup tools the service manager runs, and how their last run ended.',
  ignoredInDrift: {
    why: 'Jobs start and end.',
    normalize: ({ units }: BackupUnits) => ({
      units: inOrder(
        units.map(({ tool, unit, isJob, activeState }) => ({
          tool,
          unit,
          isJob,
          activeState: isJob ? null : activeState,
        })),
      ),
    }),
  },
  commands: {
    units: run([
      'systemctl',
      'show',
      '--property=Id,LoadState,ActiveState,Result,ExecMainStatus,ExecMainExitTimestampMonotonic',
      ...BACKUP_UNITS.map(({ unit }) => `${unit}.service`),
    ]),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    const blocks = unitBlocks(units.text, BACKUP_UNITS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    const isWhole = (block: ReadonlyMap<string, string>): boolean =>
      block.get('LoadState') !== 'loaded' || WANTED.every((name) => (block.get(name) ?? '') !== '')
    if (!blocks.every(isWhole)) return unknown('the service manager did not report the result of every job')
    return known<BackupUnits>({
      units: BACKUP_UNITS.flatMap(({ tool, unit, isJob }, at): readonly BackupUnit[] => {
        const block = blocks[at]
        if (block?.get('LoadState') !== 'loaded') return []
        const ended = whole(block.get('ExecMainExitTimestampMonotonic'))
        return [
          {
            tool,
            unit,
            isJob,
            activeState: block.get('ActiveState') ?? '',
            result: block.get('Result') ?? '',
            exitStatus: whole(block.get('ExecMainStatus')),
            endedAtSeconds: ended === null || ended === 0 ? null : ended / 1_000_000,
          },
        ]
      }),
    })
  },
})

const WANTED = ['ActiveState', 'Result', 'ExecMainStatus', 'ExecMainExitTimestampMonotonic'] as const

const whole = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null

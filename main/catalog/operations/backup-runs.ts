import type { BackupUnit } from '../probes/backup-units.ts'

/** How a backup job ended last, as far as the service manager still knows. */
export type LastRun =
  | { readonly is: 'succeeded'; readonly endedAtSeconds: number }
  /** It ended with a status that its own unit file counts as a success, such as a warning. */
  | { readonly is: 'warned'; readonly endedAtSeconds: number; readonly status: number }
  | { readonly is: 'failed'; readonly result: string }
  | { readonly is: 'running' }
  /** It has not run since the node started, and systemd keeps nothing from before. */
  | { readonly is: 'not-run' }

export function lastRun({ activeState, result, exitStatus, endedAtSeconds }: BackupUnit): LastRun {
  if (activeState === 'failed' || result !== 'success') return { is: 'failed', result }
  if (activeState === 'activating' || activeState === 'active') return { is: 'running' }
  if (endedAtSeconds === null || exitStatus === null) return { is: 'not-run' }
  return exitStatus === 0 ? { is: 'succeeded', endedAtSeconds } : { is: 'warned', endedAtSeconds, status: exitStatus }
}

/** Jobs that make copies away from what they protect: snapshots on the same drives do not count. */
export const backupJobs = (units: readonly BackupUnit[]): readonly BackupUnit[] =>
  units.filter(({ isJob, tool }) => isJob && tool.isSnapshot !== true)

/** Hours between the end of a run and now; null where the node's figures contradict each other. */
export function hoursSince(endedAtSeconds: number, uptimeSeconds: number): number | null {
  const seconds = uptimeSeconds - endedAtSeconds
  // The figures were read moments apart, so that a run may seem to end a little later than now.
  return seconds < -120 ? null : Math.max(0, seconds) / 3600
}

/** "less than an hour", "7 hours", "3 days". */
export function hoursText(hours: number): string {
  if (hours < 1) return 'less than an hour'
  const whole = Math.floor(hours)
  if (whole < 49) return `${whole} ${whole === 1 ? 'hour' : 'hours'}`
  return `${Math.floor(whole / 24)} days`
}

import { captureKey, known, type Parsed, readProbe, unknown } from '../core/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../core/recording.ts'
import { type LoggedCommand, reconcileSudo, type SudoReconciliation } from '../core/report/sudo-reconciliation.ts'
import { sudoLog } from './probes/sudo-log.ts'
import { timeNow } from './probes/time-now.ts'
import { readCtime, readYearless, type ShownZone, secondsOf } from './stamps.ts'

/**
 * How far sudo's own log and the recording agree, or why that cannot be stated: not collected through sudo, no such log, no clock. The
 * node's response to date(1) ties its clock to ours, so that a clock that is wrong does not matter here.
 */
export function sudoReconciliation(loaded: LoadedRecording): Parsed<SudoReconciliation> {
  const { recording, captures } = loaded
  if (recording.session?.privilege !== 'sudo') return unknown('root’s rights did not come through sudo')
  const byKey = new Map(captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one]))
  const [log, now] = [readProbe(sudoLog, byKey), readProbe(timeNow, byKey)]
  if (!log.ok) return log
  if (!now.ok) return now
  if (log.fact.entries === null) return unknown('sudo keeps no log file of its own for this login')
  const [logAt, nowAt] = [
    startOf(byKey, captureKey(sudoLog.id, 'entries')),
    startOf(byKey, captureKey(timeNow.id, 'now')),
  ]
  const onNode = (ours: string): number => now.fact.seconds + (Date.parse(ours) - Date.parse(nowAt)) / 1000
  const entries = log.fact.entries.flatMap(({ when, user, refused, command }): readonly LoggedCommand[] => {
    const at = loggedAt(when, now.fact.seconds, now.fact.zone)
    return at === null ? [] : [{ at, user, refused, command }]
  })
  return known(reconcileSudo(loaded, entries, { from: onNode(recording.startedAt), to: onNode(logAt), readAt: logAt }))
}

const startOf = (byKey: ReadonlyMap<string, CapturedAnswer>, key: string): string =>
  byKey.get(key)?.meta.startedAt ?? ''

const loggedAt = (when: string, now: number, zone: ShownZone): number | null =>
  secondsOf(/ \d{4}$/.test(when) ? readCtime(`Mon ${when}`) : readYearless(when, now + zone.minutes * 60), zone)

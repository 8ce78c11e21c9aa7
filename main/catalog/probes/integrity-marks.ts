import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface IntegrityMarks {
  /** Files and folders that exist: path → last change, seconds since 1970. Nothing of their content is read. */
  readonly changedAt: ReadonlyMap<string, number>
}

const FILES = [
  '/usr/bin/aide',
  '/usr/sbin/aide',
  '/var/lib/aide/aide.db',
  '/var/lib/aide/aide.db.gz',
  '/var/log/aide/aide.log',
  '/usr/sbin/tripwire',
  '/var/lib/tripwire',
  '/var/lib/tripwire/report',
  '/var/ossec/bin/wazuh-syscheckd',
  '/var/ossec/bin/ossec-syscheckd',
  '/var/ossec/queue/fim/db/fim.db',
  '/var/lib/clamav/daily.cvd',
  '/var/lib/clamav/daily.cld',
  '/var/log/lynis-report.dat',
  '/opt/nessus_agent/var/nessus/logs/nessusd.messages',
  '/var/log/qualys/qualys-cloud-agent.log',
  '/opt/rapid7/ir_agent/components/insight_agent/common/agent.log',
] as const
export type MarkPath = (typeof FILES)[number]

/** stat(1). Their folders are closed to ordinary users. */
export const integrityMarks = defineProbe({
  id: 'integrity.marks',
  title: 'Last file writes of integrity and malware tools',
  why: 'Shows when a baseline was made, a check last ran and signatures last changed. Only times are read.',
  ignoredInDrift: {
    why: 'Tools rewrite their files; only which files are present is compared.',
    normalize: ({ changedAt }: IntegrityMarks) => ({ files: inOrder(changedAt.keys()) }),
  },
  commands: { files: runAsRoot(['stat', '-c', '%Y:%n', ...FILES]) },
  parse({ files }) {
    if (lines(files.errorText).some((said) => !/No such file or directory$/.test(said)))
      return unknown('not every file could be looked at')
    if (files.exitCode > 1) return unknown('the files could not be looked at')
    return known<IntegrityMarks>({
      changedAt: new Map(
        lines(files.text).flatMap((line) => {
          const [, seconds, path] = /^(\d{1,12}):(\/\S{1,200})$/.exec(line) ?? []
          return seconds === undefined || path === undefined ? [] : [[path, Number(seconds)] as const]
        }),
      ),
    })
  },
})

/** The newest of the named files: when it last changed. Null where none of them exists. */
export function lastChange({ changedAt }: IntegrityMarks, paths: readonly MarkPath[]): number | null {
  const times = paths.flatMap((path) => changedAt.get(path) ?? [])
  return times.length === 0 ? null : Math.max(...times)
}

/** Whole days from a moment (seconds since 1970) to the time of the collection; negative for the future. */
export const daysBefore = (seconds: number, observedAt: string): number =>
  Math.floor((Date.parse(observedAt) / 1000 - seconds) / 86_400)

import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete, lines } from '../read-text.ts'
import { kindsOf, withoutRotation } from '../steady.ts'

export interface PackageLog {
  readonly path: string
  /** Lines that record an installation, an upgrade or a removal. */
  readonly changes: number
  /** The day that its first line carries, as YYYY-MM-DD; null where no line begins with a date. */
  readonly since: string | null
  /** When it was last written to, in seconds since 1970. */
  readonly writtenAt: number | null
}
export interface PackageLogs {
  readonly logs: readonly PackageLog[]
}

const FILES = [
  '/var/log/dpkg.log',
  '/var/log/dpkg.log.1',
  '/var/log/dnf.rpm.log',
  '/var/log/yum.log',
  '/var/log/zypp/history',
] as const

const CHANGE =
  '^[0-9-]{10} [0-9:]{8} (install|upgrade|remove|purge) |SUBDEBUG (Install|Installed|Upgrade|Reinstall|Downgrade|Erase|Remove): |^[0-9-]{10} [0-9:]{8}\\|(install|remove )\\||^[A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} (Installed|Updated|Erased): '

/**
 * dpkg(1) --log, dnf.conf(5) (dnf.rpm.log), yum.log, and zypp's history (https://doc.opensuse.org, zypp history format). Only counts and
 * dates are read: zypp's log also holds the command lines that were typed.
 */
export const packageLogs = defineProbe({
  id: 'change.package-logs',
  title: 'Logs of package changes',
  why: 'Shows how many packages were installed, upgraded and removed, since when, and when last. Names are not read.',
  ignoredInDrift: {
    why: 'Logs are written and rotated; installed packages are compared separately.',
    normalize: ({ logs }: PackageLogs) => ({ logs: kindsOf(logs.map(({ path }) => withoutRotation(path))) }),
  },
  commands: {
    counts: run(['grep', '-HcE', CHANGE, ...FILES]),
    since: run(['grep', '-m1', '-HoE', '^[0-9]{4}-[0-9]{2}-[0-9]{2}', ...FILES]),
    written: run(['stat', '-c', '%Y %n', ...FILES]),
  },
  parse({ counts, since, written }) {
    if (!grepIsComplete(counts)) return unknown('the logs of package changes could not all be read')
    const days = foundLines(since.text).filter(({ line }) => /^\d{4}-\d{2}-\d{2}$/.test(line.trim()))
    const first = new Map(days.map(({ path, line }) => [path, line.trim()]))
    const times = new Map(
      lines(written.text).flatMap((line) => {
        const [, seconds, path] = /^(\d{1,12}) (\/\S+)$/.exec(line) ?? []
        return path === undefined ? [] : [[path, Number(seconds)] as const]
      }),
    )
    const logs = foundLines(counts.text).flatMap(({ path, line }): readonly PackageLog[] =>
      /^\d{1,9}$/.test(line)
        ? [{ path, changes: Number(line), since: first.get(path) ?? null, writtenAt: times.get(path) ?? null }]
        : [],
    )
    return logs.length === 0 ? unknown('there is no log of package changes') : known<PackageLogs>({ logs })
  },
})

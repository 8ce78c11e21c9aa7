import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import {
  foundLines,
  grepIsComplete,
  isAbsent,
  kindsOf,
  lines,
  properties,
  withoutRotation,
} from '../../base/read-text.ts'

export interface Distribution {
  readonly id: string
  /** The operating system without its version, such as “CentOS Stream”; empty where not named. */
  readonly name: string
  /** Empty for rolling releases and for releases that are not out yet. */
  readonly version: string
  /** SUPPORT_END as stated by the distribution, YYYY-MM-DD; null where it states none. */
  readonly supportEnd: string | null
  readonly family: 'debian' | 'rhel' | 'suse' | 'other'
}

/** os-release(5). */
export const packagesDistribution = defineProbe({
  id: 'packages.distribution',
  title: 'Distribution and version',
  why: 'Determines which package manager reports pending updates, and how long the distribution is supported.',
  commands: { release: run(['grep', '-E', '^(ID|ID_LIKE|NAME|VERSION_ID|SUPPORT_END)=', '/etc/os-release']) },
  parse({ release }) {
    const values = properties(release.text)
    const text = (key: string): string => (values.get(key) ?? '').replace(/^["']|["']$/g, '').trim()
    if (text('ID') === '') return unknown('the distribution could not be read')
    const end = text('SUPPORT_END')
    return known<Distribution>({
      id: text('ID'),
      name: text('NAME'),
      version: text('VERSION_ID'),
      supportEnd: /^\d{4}-\d{2}-\d{2}$/.test(end) && !Number.isNaN(Date.parse(end)) ? end : null,
      family: familyOf(`${text('ID')} ${text('ID_LIKE')}`.toLowerCase().split(/\s+/)),
    })
  },
})

function familyOf(words: readonly string[]): Distribution['family'] {
  if (words.some((word) => word === 'debian' || word === 'ubuntu')) return 'debian'
  if (words.some((word) => word === 'suse' || word === 'sles')) return 'suse'
  return words.some((word) => word === 'rhel' || word === 'fedora' || word === 'centos') ? 'rhel' : 'other'
}

export interface PackageList {
  /** “name version”, sorted, each once; architectures of one package count as several where the tool lists them so. */
  readonly packages: readonly string[]
}

const FIELDS = ['db:Status-Abbrev', 'binary:Package', 'Version'].map((name) => `$\{${name}}`)

/** dpkg-query(1), -W. Packages that were removed and left their configuration have no version to show and are left out. */
export const packagesListDpkg = defineProbe({
  id: 'packages.list-dpkg',
  title: 'Installed packages (dpkg)',
  why: 'Lists what is installed, with versions, so that two runs can be compared.',
  commands: { packages: run(['dpkg-query', '-W', `-f=${FIELDS.join('\\t')}\\n`]) },
  parse: ({ packages }) => read(packages, /^[ihurp]i[ R]\t(\S{1,200})\t(\S{1,200})$/),
})

/** rpm(8), -qa. Public keys that were imported are listed as packages of their own (gpg-pubkey). */
export const packagesListRpm = defineProbe({
  id: 'packages.list-rpm',
  title: 'Installed packages (rpm)',
  why: 'Lists what is installed, with versions, so that two runs can be compared.',
  commands: {
    packages: run(['rpm', '-qa', '--qf', '%{NAME}.%{ARCH}\\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n'], {
      timeoutSeconds: 30,
    }),
  },
  parse: ({ packages }) => read(packages, /^(\S{1,200})\t(\S{1,200})$/),
})

function read({ exitCode, text }: Answer, form: RegExp): Parsed<PackageList> {
  if (exitCode !== 0) return unknown('the package database could not be read')
  const packages = lines(text).flatMap((line) => {
    const [, name, version] = form.exec(line) ?? []
    return name === undefined || version === undefined ? [] : [`${name} ${version}`]
  })
  return packages.length === 0
    ? unknown('the package database lists no package')
    : known({ packages: [...new Set(packages)].sort() })
}

export interface PackageLog {
  readonly path: string
  /** Lines that record an installation, an upgrade or a removal. */
  readonly changes: number
  /** The day that its first line carries, as YYYY-MM-DD; null where no line begins with a date. */
  readonly since: string | null
  /** When it was last written to, in seconds since 1970. */
  readonly writtenAt: number | null
}

interface PackageLogs {
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

export interface RebootState {
  readonly running: string
  /** Versions of the kernels in /boot. */
  readonly installed: readonly string[]
  /** The distribution's tools requires a restart (/run/reboot-required of Debian and Ubuntu, /run/reboot-needed of SUSE). */
  readonly asked: boolean
}

export const rebootRequired = defineProbe({
  id: 'reboot.required',
  title: 'Running and installed kernels',
  why: 'Shows whether an installed kernel update needs a restart.',
  commands: {
    running: run(['uname', '-r']),
    boot: run(['ls', '-1', '/boot']),
    // /run comes first, so that a missing flag can be distinguished from a folder that could not be read.
    flag: run(['ls', '-d', '/run', '/run/reboot-required', '/run/reboot-needed']),
  },
  parse({ running, boot, flag }) {
    const version = running.text.trim()
    if (running.exitCode !== 0 || version === '') return unknown('the running kernel’s version could not be read')
    if (boot.exitCode !== 0)
      return unknown(
        isAbsent(boot)
          ? 'there is no folder of installed kernels'
          : 'the folder of installed kernels could not be read',
      )
    const flags = lines(flag.text)
    if (!flags.includes('/run')) return unknown('the folder of the restart flag could not be read')
    return known<RebootState>({
      running: version,
      installed: lines(boot.text).flatMap((name) => {
        const [, installed] = /^(?:vmlinu[xz]|Image)-(?!0-rescue)(\d\S*)$/.exec(name) ?? []
        return installed === undefined ? [] : [installed]
      }),
      asked: flags.includes('/run/reboot-required') || flags.includes('/run/reboot-needed'),
    })
  },
})

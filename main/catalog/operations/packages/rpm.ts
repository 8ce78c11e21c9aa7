import { type Answer, defineProbe, glob, known, run, unknown } from '../../../core/recording/probe.ts'
import { grepIsComplete, isAbsent, lines, oneLineFiles } from '../../base/read-text.ts'

export interface DnfLists {
  /** When the newest list was last fetched or found unchanged, in seconds since 1970; null without lists. */
  readonly listsChangedAt: number | null
  /** A release that the package sources are held at, as an administrator wrote it; null where they follow the newest. */
  readonly heldAt: string | null
}

const VARIABLES = ['/etc/dnf/vars/releasever', '/etc/yum/vars/releasever']

/**
 * dnf itself is not queried: even with -C it writes its logs (root: /var/log/dnf.log and others) or a cache below /var/tmp (any other
 * party). Nor is its updateinfo.xml read: which advisories apply is for its solver to state (modules, excluded and disabled sources), and
 * the rows of one release are more than a recording may hold. The age of a list is that of its file *primary.xml*, which dnf goes by
 * (libdnf, Repo::getAge); the folder above changes whenever dnf runs. dnf.conf(5), “Variables”: a file releasever holds the sources at one
 * release.
 */
export const packagesDnf = defineProbe({
  id: 'packages.dnf',
  title: 'Package lists of dnf',
  why: 'Shows when the server last fetched the lists of package updates, and whether they are held at one release. dnf is not run.',
  ignoredInDrift: {
    why: 'Lists are refreshed.',
    normalize: ({ heldAt }: DnfLists) => ({ heldAt }),
  },
  commands: {
    lists: run([
      'stat',
      '-c',
      '%Y %n',
      glob('/var/cache/dnf/*/repodata/*primary.xml*'),
      glob('/var/cache/libdnf5/*/repodata/*primary.xml*'),
    ]),
    release: run(['grep', '-H', '', ...VARIABLES]),
  },
  parse({ lists, release }) {
    if (!grepIsComplete(release)) return unknown('the release that dnf is held at could not be read')
    return known<DnfLists>({
      listsChangedAt: newest(lists),
      heldAt: [...oneLineFiles(release.text).values()].find((value) => value !== '' && value !== 'latest') ?? null,
    })
  },
})

/** Newest of the times that stat(1) printed as `%Y %n`; null where there was none, or one that exists could not be read. */
export function newest(stamps: Answer): number | null {
  if (stamps.exitCode !== 0 && !isAbsent(stamps)) return null
  const times = [...stamps.text.matchAll(/^(\d{1,12}) \//gm)].map(([, seconds]) => Number(seconds))
  return times.length === 0 ? null : times.reduce((best, time) => Math.max(best, time))
}

export interface ZypperLists {
  /** When the newest list was last fetched or found unchanged, in seconds since 1970; null without lists. */
  readonly listsChangedAt: number | null
}

/**
 * zypper itself is not queried: even to list it writes (as root /var/log/zypper.log, /run/zypp.pid and its cache, as any other party
 * folders in /var/tmp; seen with strace of zypper 1.14.59). libzypp touches repomd.xml whenever it finds a list unchanged
 * (RepoManager::touchIndexFile).
 */
export const packagesZypper = defineProbe({
  id: 'packages.zypper',
  title: 'Package lists of zypper',
  why: 'Shows when the server last fetched the lists of patches. zypper is not run.',
  ignoredInDrift: {
    why: 'Lists are refreshed.',
    normalize: () => null,
  },
  commands: { lists: run(['stat', '-c', '%Y %n', glob('/var/cache/zypp/raw/*/repodata/repomd.xml')]) },
  parse: ({ lists }) => known<ZypperLists>({ listsChangedAt: newest(lists) }),
})

export interface RpmRestart {
  /** Packages, among those that only a restart puts to use, that were installed after the kernel started. */
  readonly installedSinceBoot: readonly string[]
}

// The packages that needs-restarting(1) -r and /etc/zypp/needreboot examine.
const PACKAGES = [
  'kernel',
  'kernel-core',
  'kernel-default',
  'glibc',
  'linux-firmware',
  'microcode_ctl',
  'systemd',
  'udev',
  'dbus-daemon',
  'dbus-broker',
  'dbus-1',
  'openssl-libs',
  'libopenssl3',
  'gnutls',
]

/**
 * The same comparison as needs-restarting(1) -r, without its log and cache: rpm(8) states the time of installation,
 * proc_stat(5) the boot time.
 */
export const packagesRpmRestart = defineProbe({
  id: 'packages.rpm-restart',
  title: 'Core packages installed since the start',
  why: 'Shows whether the kernel or a core library was updated after the server started, so that a restart is pending.',
  commands: {
    packages: run(['rpm', '-q', '--qf', '%{INSTALLTIME} %{NAME}\\n', ...PACKAGES]),
    boot: run(['grep', '^btime ', '/proc/stat']),
  },
  parse({ packages, boot }) {
    const started = /^btime (\d{1,12})$/m.exec(boot.text)?.[1]
    if (started === undefined) return unknown('the time of the start could not be read')
    const found = lines(packages.text).flatMap((line) => {
      const [, seconds, name] = /^(\d{1,12}) (\S{1,80})$/.exec(line) ?? []
      return seconds === undefined || name === undefined ? [] : [{ name, installed: Number(seconds) }]
    })
    if (found.length === 0) return unknown('the package database named none of the core packages')
    return known<RpmRestart>({
      installedSinceBoot: [
        ...new Set(found.filter(({ installed }) => installed > Number(started)).map(({ name }) => name)),
      ],
    })
  },
})

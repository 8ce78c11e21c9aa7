import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface RpmRestart {
  /** Packages, among those that only a restart puts to use, that were installed after the kernel started. */
  readonly installedSinceBoot: readonly string[]
}

// What needs-restarting(1) -r and /etc/zypp/needreboot look at.
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
 * The same comparison as needs-restarting(1) -r makes, without its log and cache: rpm(8) gives the time of installation, proc_stat(5)
 * that of the start.
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

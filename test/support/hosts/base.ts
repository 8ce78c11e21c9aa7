import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The Debian releases that hosts are built from. */
export const SUITES = ['bullseye', 'bookworm', 'trixie', 'sid'] as const
export type Suite = (typeof SUITES)[number]

const MIRROR = 'http://deb.debian.org/debian'
/** Kept between test runs, outside version control; delete it to build from the archive as it is today. */
const CACHE = resolve('.cache/hosts')

/** What every base has. Servers among them are switched off in the base, and each host starts what it is about. */
const PACKAGES: readonly string[] = [
  ...['systemd', 'systemd-sysv', 'dbus', 'libpam-systemd', 'udev', 'kmod', 'procps', 'iproute2', 'nftables', 'cron'],
  ...['openssh-server', 'sudo', 'rsyslog', 'csh', 'ca-certificates', 'libpam-pwquality', 'apparmor', 'logrotate'],
  ...['dropbear-bin', 'rpcbind', 'vsftpd', 'openssl'],
]
const STARTED_BY_HOSTS = ['rpcbind.socket', 'rpcbind.service', 'vsftpd.service', 'rsyslog.service']

/** Why no host can be built or booted here, or null. For the name of a skipped test. */
export function whyNoHosts(): string | null {
  if (process.getuid?.() !== 0) return 'needs root'
  const absent = ['mmdebstrap', 'systemd-nspawn', 'nft', 'ip', 'nsenter', 'ssh-keygen', 'cp', 'chroot'].filter(
    (program) => spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${program}`]).status !== 0,
  )
  if (absent.length > 0) return `${absent.join(', ')} absent`
  const name = `bw-probe-${process.pid}`
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return 'no network namespace can be made'
  spawnSync('ip', ['netns', 'del', name])
  return spawnSync('unshare', ['-m', '-p', '-f', '-u', '-i', '-C', 'true']).status === 0
    ? null
    : 'no namespaces can be made'
}

/**
 * The folder of a root file system of this release with the packages above, built by mmdebstrap from Debian's archive the first time.
 * No one may change it: hosts are copies. Rejects with mmdebstrap's words where the archive cannot be reached.
 */
export async function baseRoot(suite: Suite): Promise<string> {
  const digest = createHash('sha256')
    .update([suite, ...PACKAGES].join(' '))
    .digest('hex')
    .slice(0, 12)
  const folder = join(CACHE, `${suite}-${digest}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  // Built under another name, so that a build that was cut short is never taken for a base. Two test files may build at once.
  const unfinished = `${folder}.unfinished-${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  await mmdebstrap([
    '--variant=minbase',
    '--quiet',
    // A mirror may lag behind; the signature of the release file is checked all the same.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    `--include=${PACKAGES.join(',')}`,
    `--customize-hook=chroot "$1" systemctl disable ${STARTED_BY_HOSTS.join(' ')}`,
    // Each host gets its own; a base that had them would make all of them clones.
    '--customize-hook=rm -f "$1"/etc/ssh/ssh_host_* "$1"/etc/machine-id',
    suite,
    unfinished,
    MIRROR,
  ])
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true })
  else renameSync(unfinished, folder)
  return folder
}

function mmdebstrap(argv: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn('mmdebstrap', argv, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said = `${said}${String(chunk)}`.slice(-4000)
    })
    child.once('error', fail)
    child.once('close', (code) => (code === 0 ? done() : fail(new Error(`mmdebstrap ended with ${code}: ${said}`))))
  })
}

/** Runs a script of sh inside a root file system that is not booted, as its root. Throws with what it said where it fails. */
export function inside(root: string, script: string): void {
  execFileSync('chroot', [root, '/bin/sh', '-euc', script], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

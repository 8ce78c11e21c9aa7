import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { baseRoot, inside, type Suite } from './base.ts'

/** What the steps of remediation install, and what a careless server has already. */
const INSTALLABLE: readonly string[] = [
  ...['aide', 'aide-common', 'chrony', 'nginx-light', 'prometheus-node-exporter', 'restic', 'rsyslog-openssl'],
]
/** Installed in every base, and downloaded too, so that they can be installed again. */
const AGAIN: readonly string[] = ['sudo', 'libpam-pwquality', 'nftables', 'rsyslog']

/** Package lists that are older show no pending update (the threshold updates.list-days), so that the root is made anew before that. */
const DAYS = 5
const DAY = 86_400_000

/** Whether Debian's security archive had an update for the base when the root was made: after a point release there may be none. */
export const hasPendingUpdate = (root: string): boolean =>
  readFileSync(join(root, PENDING), 'utf8').includes('-security')
const PENDING = 'root/pending-updates'

/**
 * The base of this release with package lists, and with packages downloaded and not installed, so that hosts without any way to the
 * internet can install them with apt. No one may change it. Rejects with apt's words where the archive cannot be reached.
 */
export async function packagedRoot(suite: Suite): Promise<string> {
  const base = await baseRoot(suite)
  const digest = createHash('sha256')
    .update([base, ...INSTALLABLE, ...AGAIN].join(' '))
    .digest('hex')
    .slice(0, 12)
  const cache = dirname(base)
  const prefix = `${suite}-packages-`
  const name = `${prefix}${digest}-${Math.floor(Date.now() / (DAYS * DAY))}`
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  for (const old of readdirSync(cache).filter((one) => one.startsWith(prefix) && !one.includes('unfinished')))
    rmSync(join(cache, old), { recursive: true, force: true })
  const unfinished = `${folder}.unfinished-${process.pid}`
  execFileSync('cp', ['-a', '--reflink=auto', base, unfinished])
  writeFileSync(
    join(unfinished, 'etc/apt/sources.list'),
    [
      `deb http://deb.debian.org/debian ${suite} main`,
      `deb http://deb.debian.org/debian-security ${suite}-security main`,
      '',
    ].join('\n'),
  )
  execFileSync('cp', ['--remove-destination', '/etc/resolv.conf', join(unfinished, 'etc/resolv.conf')])
  inside(
    unfinished,
    `apt-get -qq update
     apt list --upgradable 2>/dev/null >/${PENDING}
     apt-get -qq --download-only -y upgrade
     apt-get -qq --download-only -y install ${INSTALLABLE.join(' ')}
     apt-get -qq --download-only -y --reinstall install ${AGAIN.join(' ')}
     : >/etc/resolv.conf`,
  )
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true })
  else renameSync(unfinished, folder)
  return folder
}

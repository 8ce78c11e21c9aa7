import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import type { ThresholdValue } from '../../../core/rules/profile.ts'
import { type SshdSettings, sshdEffective } from '../../access/sshd/probes.ts'
import { RUNNING_SSH, runningSsh } from '../../access/sshd/running.ts'
import { type PublicKey, readPublicKey } from '../../base/public-key.ts'
import { listingIsComplete } from '../../base/read-listing.ts'
import { foundLines, grepIsComplete, lines } from '../../base/read-text.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { storageBirth } from '../../hardware/drives/first-use.ts'
import { logFiles } from '../../operations/logs/probes.ts'
import { type Mounts, storageMounts } from '../mounts/probes.ts'

interface SshHostKey {
  /** The file of the private key, which is not read. */
  readonly path: string
  /** Null where the file of the public key is not there or holds no key that could be read. */
  readonly key: PublicKey | null
  /** Seconds since 1970 of the last change of the private key’s file, by the node’s clock of that time. */
  readonly changedAt: number
}

interface SshHostKeys {
  readonly keys: readonly SshHostKey[]
}

const PRIVATE = '/etc/ssh/ssh_host_*_key'

/** sshd(8), FILES: the private keys that distributions make, of which only dates are asked for, and their public keys without comments. */
export const sshHostKeys = defineProbe({
  id: 'ssh.host-keys',
  title: 'Types and dates of SSH host keys',
  why: 'Shows the type and length of each host key, and whether it is older than the system. Private keys are not read, only the dates of their files.',
  commands: {
    public: run(['grep', '-HoE', '^(ssh|ecdsa|sk)-[a-zA-Z0-9@.-]+ AAAA[A-Za-z0-9+/=]+', glob(`${PRIVATE}.pub`)]),
    dates: run(['stat', '-c', '%Y:%n', glob(PRIVATE)]),
  },
  parse({ public: found, dates }): Parsed<SshHostKeys> {
    if (!grepIsComplete(found)) return unknown('not every public host key could be read')
    const rows = lines(dates.text).map((line) => /^(\d{1,12}):(\/\S{1,200})$/.exec(line))
    if (!listingIsComplete(dates) || rows.includes(null)) return unknown('the dates of the host keys could not be read')
    const keys = new Map(
      foundLines(found.text).map(({ path, line }) => {
        const [type = '', base64 = ''] = line.split(' ')
        return [path, readPublicKey(type, base64)]
      }),
    )
    return known({
      keys: rows.map((row) => ({
        path: row?.[2] ?? '',
        key: keys.get(`${row?.[2]}.pub`) ?? null,
        changedAt: Number(row?.[1]),
      })),
    })
  },
})

const DAY = 86_400
const MACHINE_ID = '/etc/machine-id'

export const sshHostKeyQuality = defineCheck({
  id: 'encryption.in-transit.ssh-host-keys',
  property: 'encryption-in-transit',
  expected:
    'The host keys of the SSH server are of current types and lengths, and none is older than this installation.',
  limitations:
    'Types are those of the public key files; a private key that does not belong to its public file is not detected, nor are keys of an agent or of other SSH servers. Dates are those of files: they can be set, and a copy within a day of the installation is not detected. A key that is older came with an image or was kept from an earlier installation; whether another machine has the same key is compared only among the nodes of this population.',
  requires: { keys: sshHostKeys, sshd: sshdEffective, mounts: storageMounts },
  optional: { birth: storageBirth, files: logFiles, ...RUNNING_SSH },
  thresholds: ['ssh.rsa-bits'],
  evaluate({ keys, sshd, mounts }, { birth, files, ...evidence }, context) {
    const running = runningSsh(known(sshd), evidence, { keywords: ['hostkey'] })
    const { used, steps } = usedKeys(keys, sshd)
    const limit = limitOf(context, 'ssh.rsa-bits')
    return decide([
      ...(running.isBearing ? used.map((one) => typeStep(one, limit)) : []),
      ...steps,
      ...(birth.ok ? [] : unclearAbout(storageBirth, birth)),
      ...(files.ok ? [] : unclearAbout(logFiles, files)),
      ...(birth.ok && files.ok && running.isBearing
        ? ages(used, { root: birth.fact.born.get('/') ?? null, setUp: setUpAt(files.fact.setUpAt, mounts) })
        : []),
      ...running.steps,
    ])
  },
})

/** The keys that the settings name (sshd_config(5), HostKey). A default that is not there is left out: the server does the same. */
function usedKeys(
  { keys }: SshHostKeys,
  { settings }: SshdSettings,
): { readonly used: readonly SshHostKey[]; readonly steps: readonly DraftObservation[] } {
  const paths = settings.get('hostkey') ?? []
  const used = keys.filter(({ path }) => paths.includes(path))
  const elsewhere = paths.filter((path) => !/^\/etc\/ssh\/ssh_host_[^/]*_key$/.test(path))
  return {
    used,
    steps: [
      ...(elsewhere.length > 0
        ? [unclear(`Host keys outside the usual files were not read: ${named(elsewhere)}.`, sshdEffective)]
        : []),
      ...(used.length === 0
        ? [unclear('No host key was found that the settings of the SSH server name.', sshHostKeys)]
        : []),
    ],
  }
}

function typeStep({ path, key }: SshHostKey, limit: ThresholdValue): DraftObservation {
  const name = quote(path.replace(/^.*\//, ''))
  if (key === null) return unclear(`${name} has no public key that could be read.`, sshHostKeys, 'public')
  const { type, bits } = key
  if (type === 'ssh-dss')
    return contradicts(
      `${name} is a DSA key, whose signatures can be forged with current means.`,
      sshHostKeys,
      'public',
    )
  if (type === 'ssh-rsa')
    return bits === null || bits < limit.value
      ? contradicts(
          `${name} is RSA of ${bits ?? 'unknown'} bits (at least ${limitText(limit)}).`,
          sshHostKeys,
          'public',
        )
      : supports(`${name} is RSA of ${bits} bits.`, sshHostKeys, 'public')
  return bits === null
    ? unclear(`${name} is of type ${quote(type)}, which this catalog does not list.`, sshHostKeys, 'public')
    : supports(`${name} is of type ${quote(type)}.`, sshHostKeys, 'public')
}

/**
 * When this system was set up, by its machine-id(5); null where there is none, or where a temporary one is mounted
 * over it.
 */
const setUpAt = (changedAt: number | null, { mounts }: Mounts): number | null =>
  mounts.some(({ point }) => point === MACHINE_ID) ? null : changedAt

/**
 * Whether keys are older than the installation. A machine ID is generated when an image becomes a machine; the root
 * file system is created by an installer, or was copied with its content. Clocks of installers can differ by the
 * offset from UTC, hence the day.
 */
function ages(
  used: readonly SshHostKey[],
  { root, setUp }: { readonly root: number | null; readonly setUp: number | null },
): readonly DraftObservation[] {
  return used.map(({ path, changedAt }) => {
    const text = `${quote(path.replace(/^.*\//, ''))} was written on ${dayOf(changedAt)}`
    if (setUp === null) return unclear(`${text}; when this system was set up is not known by its machine ID.`, logFiles)
    if (changedAt < setUp - DAY)
      return contradicts(
        `${text}, before this system was set up (machine ID of ${dayOf(setUp)}): it came with an image or from an earlier installation, and other machines can have the same key.`,
        sshHostKeys,
        'dates',
      )
    if (root !== null && changedAt < root - DAY)
      return unclear(
        `${text}, before the root file system was made (${dayOf(root)}): the system was copied here as files, and its origin can have the same key.`,
        sshHostKeys,
        'dates',
      )
    return supports(`${text}, no earlier than this installation (machine ID of ${dayOf(setUp)}).`, sshHostKeys, 'dates')
  })
}

/** A number of at most twelve digits is within what a date can hold. */
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

import type { Schedule, ScheduleFile } from '../../../schemas/types.ts'
import type { Outcome } from '../base/failure.ts'
import { type Cadence, parseCadence } from '../run-chain/cadence.ts'

/** The cadence of a schedule with its zone, as stored in run chains: `every day at 02:00 in UTC`. */
export const plannedCadence = ({ cadence, zone }: Pick<Schedule, 'cadence' | 'zone'>): string => `${cadence} in ${zone}`

/** Due times of a schedule; null for an invalid cadence. */
export const cadenceOf = (schedule: Pick<Schedule, 'cadence' | 'zone'>): Cadence | null =>
  parseCadence(plannedCadence(schedule))

/** Time allowed for a run itself, in addition to all delays permitted by its schedule. */
const RUN_MINUTES = 120

/** A run of this schedule is in time when it is sealed within this many minutes after it was due. */
export const withinMinutesOf = ({
  jitterMinutes,
  retries,
  sealHours = 0,
}: Pick<Schedule, 'jitterMinutes' | 'retries' | 'sealHours'>): number =>
  jitterMinutes + retries.times * retries.waitMinutes + RUN_MINUTES + sealHours * 60

/**
 * Kind of a private key file, without decrypting it. `locked`: requires a passphrase. `hardware`: requires touching
 * a device. `public`: not secret, selects a key of an agent. `foreign`: PKCS #8, which the system’s ssh program reads but the built-in
 * client does not. `unknown`: unknown key format.
 */
export type KeyFile = 'open' | 'locked' | 'hardware' | 'public' | 'foreign' | 'unknown'

/** Reads only the public part of a key file (OpenSSH’s PROTOCOL.key, RFC 7468, RFC 1421, PuTTY). Never throws. */
export function keyFile(bytes: Uint8Array): KeyFile {
  const text = Buffer.from(bytes).toString('latin1')
  const [, label] = /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----/.exec(text) ?? []
  if (label === 'OPENSSH PRIVATE KEY') return ofOpenSsh(text)
  if (label === 'ENCRYPTED PRIVATE KEY') return 'locked'
  if (label === 'PRIVATE KEY') return 'foreign'
  if (label !== undefined) return /^Proc-Type: *4,ENCRYPTED/m.test(text) ? 'locked' : 'open'
  if (/^sk-(ssh|ecdsa)-\S+ \S/.test(text)) return 'hardware'
  if (/^(ssh|ecdsa)-\S+ \S/.test(text)) return 'public'
  // Of PuTTY’s, our client reads only the older form, and of that only these types.
  const [, cipher] = /^PuTTY-User-Key-File-2: ssh-(?:rsa|dss)\r?\nEncryption: *(\S+)/.exec(text) ?? []
  if (cipher === undefined) return 'unknown'
  return cipher === 'none' ? 'open' : 'locked'
}

const MAGIC = 'openssh-key-v1\0'

function ofOpenSsh(text: string): KeyFile {
  const [, body = ''] = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]*)/.exec(text) ?? []
  const data = Buffer.from(body, 'base64')
  if (data.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) return 'unknown'
  const read = sshStrings(data, MAGIC.length)
  const [cipher = null] = [read(), read(), read()]
  // After the cipher, its key derivation and that one’s options: how many keys there are, always one.
  const blob = read(4)
  if (cipher === null || blob === null) return 'unknown'
  const type = sshStrings(blob, 0)()?.toString('latin1') ?? ''
  if (type.startsWith('sk-')) return 'hardware'
  return cipher.toString('latin1') === 'none' ? 'open' : 'locked'
}

/** Strings of the SSH protocol (RFC 4251 §5), one after the other; null from the first that is cut short. `skip`: bytes passed over before. */
function sshStrings(data: Buffer, from: number): (skip?: number) => Buffer | null {
  let at: number | null = from
  return (skip = 0) => {
    const start: number | null = at === null ? null : at + skip + 4
    const end = start === null || start > data.length ? null : start + data.readUInt32BE(start - 4)
    at = end === null || end > data.length ? null : end
    return start === null || at === null ? null : data.subarray(start, at)
  }
}

/** Members of the public key that stand before the serial number of a certificate, by its type (OpenSSH’s PROTOCOL.certkeys). */
const MEMBERS: readonly (readonly [type: RegExp, members: number])[] = [
  [/^ssh-ed25519-cert-/, 1],
  [/^(ssh-rsa|rsa-sha2-(256|512)|ecdsa-sha2-[a-z0-9]+|sk-ssh-ed25519)-cert-/, 2],
  [/^sk-ecdsa-sha2-[a-z0-9]+-cert-/, 3],
]
const FOR_EVER = 0xffff_ffff_ffff_ffffn

/**
 * Expiry of an OpenSSH certificate: UTC, ISO 8601; `for ever` without expiry. Null for anything but a user certificate of a
 * known type.
 */
export function certificateUntil(bytes: Uint8Array): string | null {
  const [type = '', base64 = ''] = Buffer.from(bytes).toString('latin1').trim().split(/\s+/)
  const members = MEMBERS.find(([known]) => known.test(type))?.[1]
  const data = Buffer.from(base64, 'base64')
  const read = sshStrings(data, 0)
  if (members === undefined || read()?.toString('latin1') !== type) return null
  // The nonce, and the public key.
  for (let left = members + 1; left > 0; left -= 1) read()
  // After the serial number and the kind: whose it is, and for which accounts.
  const [id, principals] = [read(12), read()]
  if (id === null || principals === null) return null
  const at = principals.byteOffset - data.byteOffset + principals.length
  if (at + 16 > data.length || data.readUInt32BE(id.byteOffset - data.byteOffset - 8) !== 1) return null
  const until = data.readBigUInt64BE(at + 8)
  if (until === FOR_EVER) return 'for ever'
  // The last moment that a Date can be of.
  return until > 8_640_000_000_000n ? null : new Date(Number(until) * 1000).toISOString()
}

/** Timer kinds: systemd for this user, systemd for the whole computer, cron, launchd, Windows Task Scheduler. */
export const TIMER_KINDS = ['systemd', 'systemd-system', 'cron', 'launchd', 'task-scheduler'] as const
export type TimerKind = (typeof TIMER_KINDS)[number]

/** One file, or one block of a file. Its adapter chooses the folder. */
export interface Unit {
  readonly name: string
  readonly text: string
}

export interface TimerUnits {
  readonly kind: TimerKind
  readonly schedule: string
  readonly units: readonly Unit[]
  /** Limitations of this kind of timer and their effect, as sentences. */
  readonly warnings: readonly string[]
}

/** Program, account and environment. Paths are absolute. */
export interface StartedBy {
  /** The Node.js executable, then the CLI. */
  readonly program: readonly [node: string, cli: string]
  /** The schedule file. */
  readonly file: string
  /** The time zone of this computer. */
  readonly zone: string
  /** The account that the job runs as; on Windows with its domain. */
  readonly user: string
  /** Environment variables of the job. */
  readonly environment: Readonly<Record<string, string>>
}

/** The schedule file. */
export interface ScheduleStore {
  readonly defaultFile: string
  /** Without a file, no runs are scheduled. Fails with input.refused, naming the field, or input.not-found. */
  readonly read: (file: string) => Promise<Outcome<ScheduleFile>>
  /** Updates the file atomically under a lock. Fails as read() and `next` do, or with store.failed. */
  readonly change: (
    file: string,
    next: (now: ScheduleFile) => Promise<Outcome<ScheduleFile>>,
  ) => Promise<Outcome<ScheduleFile>>
  /** Verifies that a secret file exists and is readable only by its owner. Fails with input.not-found or input.refused. */
  readonly secret: (path: string) => Promise<Outcome<null>>
}

/** The timers of the operating system. */
export interface Timers {
  /** Available kinds, the default first. */
  readonly kinds: () => Promise<readonly TimerKind[]>
  /** Facts about this computer and account required for units. */
  readonly host: Pick<StartedBy, 'zone' | 'user' | 'environment'>
  /** Whether timers of this account run without a login session; null if unknown. */
  readonly lingers: () => Promise<boolean | null>
  /** Installs and enables units. Fails with input.refused and the message of the rejecting program. */
  readonly install: (units: TimerUnits) => Promise<Outcome<null>>
  /** Disables and removes them. Does not fail if there are none. */
  readonly remove: (kind: TimerKind, schedule: string) => Promise<Outcome<null>>
  /** Starts a program now, as a timer would, without waiting for its end. Fails with input.refused. */
  readonly start: (argv: readonly [string, ...string[]]) => Promise<Outcome<null>>
  /** The installed units; null if none. */
  readonly installed: (kind: TimerKind, schedule: string) => Promise<Outcome<InstalledTimer | null>>
}

export interface InstalledTimer {
  readonly units: readonly Unit[]
  /** Whether the operating system will start it. */
  readonly active: boolean
}

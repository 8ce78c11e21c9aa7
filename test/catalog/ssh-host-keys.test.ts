import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Mounts, storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { sshHostKeys } from '../../main/catalog/data-protection/ssh-encryption/host-keys.ts'
import { storageBirth } from '../../main/catalog/hardware/drives/first-use.ts'
import { type LogFiles, logFiles } from '../../main/catalog/operations/logs/probes.ts'
import { known } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { changed, over, stepText, verdict } from '../support/concluded.ts'

const ID = 'encryption.in-transit.ssh-host-keys'
const DAY = 86_400
/** When the model node was set up, by its machine ID, and when its root file system was made. */
const SET_UP = 1_776_849_120
const ROOT = 1_772_445_600

/** A blob of fields, each with its length before it (RFC 4251, section 5). */
const blob = (...fields: readonly (string | Uint8Array)[]): string =>
  Buffer.concat(
    fields.flatMap((field) => {
      const bytes = Buffer.from(field)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  ).toString('base64')
const number = (bits: number): Uint8Array => Uint8Array.from({ length: bits / 8 + 1 }, (_, at) => (at === 0 ? 0 : 0xff))
const rsa = (bits: number): string => `ssh-rsa ${blob('ssh-rsa', Uint8Array.of(1, 0, 1), number(bits))}`
const DSA = `ssh-dss ${blob('ssh-dss', number(1024), number(160), number(1024), number(1024))}`
const ED25519 = `ssh-ed25519 ${blob('ssh-ed25519', new Uint8Array(32))}`
const ECDSA = `ecdsa-sha2-nistp256 ${blob('ecdsa-sha2-nistp256', 'nistp256', new Uint8Array(65))}`

const path = (name: string): string => `/etc/ssh/ssh_host_${name}_key`
const answersOf = (keys: Readonly<Record<string, string | null>>, at: number) => ({
  public: answer(
    Object.entries(keys)
      .flatMap(([name, line]) => (line === null ? [] : [`${path(name)}.pub:${line}\n`]))
      .join(''),
  ),
  dates: answer(
    Object.keys(keys)
      .map((name) => `${at}:${path(name)}\n`)
      .join(''),
  ),
})
const hostKeys = (keys: Readonly<Record<string, string | null>>, at = SET_UP + 60) =>
  [sshHostKeys, sshHostKeys.parse(answersOf(keys, at))] as const

describe('types and lengths', () => {
  test.each([
    [{ ed25519: ED25519 }, 'satisfied'],
    [{ ecdsa: ECDSA, ed25519: ED25519, rsa: rsa(3072) }, 'satisfied'],
    [{ rsa: rsa(4096) }, 'satisfied'],
    [{ rsa: rsa(3064) }, 'not-satisfied'],
    [{ ed25519: ED25519, rsa: rsa(2048) }, 'not-satisfied'],
    [{ rsa: DSA }, 'not-satisfied'],
    // The settings name no such key: it is on the node and not in use.
    [{ ed25519: ED25519, dsa: DSA }, 'satisfied'],
    [{ dsa: DSA }, 'inconclusive'],
    [{ ed25519: null }, 'inconclusive'],
    [{ ed25519: `ssh-unheard ${blob('ssh-unheard', 'x')}` }, 'inconclusive'],
    [{ ed25519: `ssh-ed25519 ${blob('ssh-rsa', 'x')}` }, 'inconclusive'],
    [{}, 'inconclusive'],
  ])('%# %s', (keys, expected) => expect(over(ID, hostKeys(keys)).verdict).toBe(expected))

  test('a key of the settings outside the usual files leaves it open', () =>
    expect(verdict('demo-gpu-01', ID, {}, { hostkey: '/srv/keys/host' })).toBe('inconclusive'))
})

describe('age', () => {
  const born = (seconds: number | null) =>
    changed(storageBirth, (one) => ({ ...one, born: new Map([...one.born, ['/', seconds]]) }))
  const setUp = (seconds: number | null) => changed(logFiles, (one: LogFiles) => ({ ...one, setUpAt: seconds }))
  const mounted = changed(storageMounts, ({ mounts }: Mounts) => ({
    mounts: [
      ...mounts,
      { ...(mounts[0] as Mounts['mounts'][number]), id: '9002', point: '/etc/machine-id', fsType: 'tmpfs' },
    ],
  }))
  const KEYS = { ed25519: ED25519 }

  test.each([
    ['made after the system', [hostKeys(KEYS)], 'satisfied'],
    ['made a day before, by a clock that was off', [hostKeys(KEYS, SET_UP - DAY)], 'satisfied'],
    ['older than that', [hostKeys(KEYS, SET_UP - DAY - 1)], 'not-satisfied'],
    ['older than the root file system as well', [hostKeys(KEYS, ROOT - 2 * DAY)], 'not-satisfied'],
    ['older than the root file system alone', [hostKeys(KEYS, ROOT - 2 * DAY), setUp(ROOT - 3 * DAY)], 'inconclusive'],
    ['beside a file system without dates', [hostKeys(KEYS), born(null)], 'satisfied'],
    ['beside no machine ID', [hostKeys(KEYS), setUp(null)], 'inconclusive'],
    ['beside a machine ID of this start alone', [hostKeys(KEYS, SET_UP - 9 * DAY), mounted], 'inconclusive'],
    ['without dates of file systems', [hostKeys(KEYS), [storageBirth, { ok: false, reason: 'x' }]], 'inconclusive'],
    ['without dates of the machine ID', [hostKeys(KEYS), [logFiles, { ok: false, reason: 'x' }]], 'inconclusive'],
  ] as const)('%s', (_name, readings, expected) => expect(over(ID, ...readings).verdict).toBe(expected))

  test('what was found is stated', () =>
    expect(stepText(over(ID, hostKeys(KEYS, SET_UP - 30 * DAY)))).toContain(
      'contradicts: “ssh_host_ed25519_key” was written on 2026-03-23, before this system was set up (machine ID of 2026-04-22)',
    ))
})

describe('what is read', () => {
  test('the fingerprint is that of ssh-keygen -l', () => {
    const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINQzGpBcMDdg2ItCik9ww58uqKShgNYCAxzh6dTC1kWy'
    const [one] = fact(sshHostKeys.parse(answersOf({ ed25519: line }, 1))).keys
    expect(one?.key).toEqual({
      type: 'ssh-ed25519',
      bits: 256,
      fingerprint: 'SHA256:mCN5a7WBppT1UBebVLGhNlrrhrqE5nqtclLF9sI77Q0',
    })
  })

  const whole = answersOf({ ed25519: ED25519 }, SET_UP)
  const denied = { exitCode: 2, errorText: 'x: Permission denied\n' }
  test.each([
    ['a public key out of reach', { public: answer('', denied) }, 'public host key'],
    ['a date out of reach', { dates: answer('', denied) }, 'dates'],
    ['a row of another form', { dates: answer('yesterday /etc/ssh\n') }, 'dates'],
  ])('%s is no fact', (_name, part, words) => {
    const reading = sshHostKeys.parse({ ...whole, ...part })
    expect(reason(reading)).toContain(words)
    expect(over(ID, [sshHostKeys, reading]).verdict).toBe('inconclusive')
  })

  test('no host key at all is a fact', () =>
    expect(
      sshHostKeys.parse({
        public: answer('', {
          exitCode: 2,
          errorText: 'grep: /etc/ssh/ssh_host_*_key.pub: No such file or directory\n',
        }),
        dates: answer('', {
          exitCode: 1,
          errorText: "stat: cannot statx '/etc/ssh/ssh_host_*_key': No such file or directory\n",
        }),
      }),
    ).toEqual(known({ keys: [] })))

  test('any bytes are read or refused', () =>
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string(),
        fc.integer({ min: 0, max: 255 }),
        (one, two, errorText, exitCode) => {
          const answers = {
            public: answer(`${path('rsa')}.pub:${one}\n${one}`, { exitCode, errorText }),
            dates: answer(two, { exitCode, errorText }),
          }
          expect(typeof sshHostKeys.parse(answers).ok).toBe('boolean')
        },
      ),
    ))
})

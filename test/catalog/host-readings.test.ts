import { describe, expect, test } from 'vitest'
import { accessAuthorizedKeys } from '../../main/catalog/access/authorized-keys/index.ts'
import { KEY_SOURCES } from '../../main/catalog/access/authorized-keys/key-files.ts'
import type { SshdSettings } from '../../main/catalog/access/sshd/probes.ts'
import { encryptionAtRestBlockGraph } from '../../main/catalog/data-protection/disk-encryption/index.ts'
import { encryptionAtRestCrashDumps } from '../../main/catalog/data-protection/dumps/dumps.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { encryptionInTransitSshAlgorithms } from '../../main/catalog/data-protection/ssh-encryption/index.ts'
import { encryptionModuleFipsMode } from '../../main/catalog/operations/crypto-module/index.ts'
import { auditLogContinuity } from '../../main/catalog/operations/logs/index.ts'
import { integrityRepoSigning } from '../../main/catalog/operations/packages/sources.ts'
import { vulnRebootRequired } from '../../main/catalog/operations/packages/updates.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { type Check, type Conclusion, type Context, conclude } from '../../main/core/rules/check.ts'
import { fact } from '../support/answers.ts'
import { BASELINE } from '../support/baseline.ts'
import { fixtureOf } from '../support/evaluated.ts'

const AS_OF = '2026-11-20T09:12:00.000Z'
const CONTEXT: Context = {
  node: { name: 'n', address: '192.0.2.1', port: 22, user: 'a', sudo: false },
  asOf: AS_OF,
  observedAt: AS_OF,
  thresholds: BASELINE,
}

const on = (check: Check, facts: Readonly<Record<string, unknown>>): Conclusion =>
  conclude(
    check,
    new Map(Object.entries(facts).map(([id, one]): [string, Parsed<unknown>] => [id, known(one)])),
    CONTEXT,
  )
const texts = ({ observations }: Conclusion): string =>
  observations.map(({ direction, text }) => `${direction}: ${text}`).join('\n')

/** Sentences and rules that were found wrong when real hosts were read. */
describe('as real hosts read', () => {
  test('FIPS mode needs the policy FIPS where there are policies', () => {
    const judge = (policy: string | null) =>
      on(encryptionModuleFipsMode, { 'crypto.fips-mode': { state: 'on' }, 'crypto.policy': { policy } })
    expect(['FIPS', 'FIPS:OSPP', null, 'DEFAULT', 'FIPSY', 'LEGACY'].map((policy) => judge(policy).verdict)).toEqual([
      'satisfied',
      'satisfied',
      'satisfied',
      'inconclusive',
      'inconclusive',
      'inconclusive',
    ])
    expect(texts(judge('DEFAULT'))).toContain('unclear: The system-wide cryptographic policy is “DEFAULT” and not FIPS')
    expect(on(encryptionModuleFipsMode, { 'crypto.fips-mode': { state: 'on' } }).verdict).toBe('inconclusive')
  })

  test('a journal that holds nothing decides nothing', () => {
    const said = on(auditLogContinuity, {
      'journal.state': { files: [], boots: [] },
      'time.now': { seconds: 1, zone: 'UTC', offsetSeconds: 0 },
    })
    expect(said.verdict).toBe('inconclusive')
    expect(texts(said)).toContain('unclear: The system journal is empty, as where journald does not run')
  })

  test('keys: none, and only what is there', () => {
    const key = { path: '/root/.ssh/authorized_keys', type: 'ssh-ed25519', bits: 256, fingerprint: 'SHA256:x' }
    const judge = (...options: readonly (readonly string[])[]): string =>
      texts(
        on(accessAuthorizedKeys, {
          'authorized-keys': {
            keys: options.map((own, at) => ({ ...key, fingerprint: `SHA256:${at}`, options: own })),
            unreadable: 0,
            doubtful: [],
            links: [],
          },
          'accounts.local': { accounts: [], otherSources: [] },
        }),
      )
    expect(judge()).toContain('supports: No authorized key was found.')
    expect(judge()).not.toMatch(/DSA|several|Of these|No key opens/)
    expect(judge([])).not.toContain('Of these')
    expect(judge(['command'], ['from'], ['from'])).toContain(
      'supports: Of these, 2 open from named addresses only, 1 runs one command only.',
    )
  })

  const keyFile = '/home/eve/.ssh/authorized_keys'
  test.each([
    [[], {}, 'satisfied'],
    [[{ path: keyFile, why: 'link' }], {}, 'inconclusive'],
    [[{ path: keyFile, why: 'hard-link' }], {}, 'inconclusive'],
    [[{ path: keyFile, why: 'no-file' }], {}, 'inconclusive'],
    [null, {}, 'inconclusive'],
    ...[
      'authorizedkeyscommand',
      'trustedusercakeys',
      'authorizedprincipalsfile',
      'authorizedprincipalscommand',
      'authorizedkeysfile',
    ].map((keyword) => [[], { [keyword]: ['/etc/ssh/other'] }, 'inconclusive'] as const),
  ] as const)('key files %j, settings %j: %s', (doubtful, settings, verdict) => {
    const model = fixtureOf('demo-gpu-01')
    const of = (id: string) => (model.readings.get(id) as { fact: object } | undefined)?.fact ?? {}
    const { settings: own } = of('sshd.effective') as SshdSettings
    const said = on(accessAuthorizedKeys, {
      ...Object.fromEntries(Object.values(KEY_SOURCES).map(({ id }) => [id, of(id)])),
      'authorized-keys': { keys: [], unreadable: 0, doubtful, links: [] },
      'accounts.local': { accounts: [], otherSources: [] },
      'sshd.effective': { settings: new Map([...own, ...Object.entries(settings)]) },
    })
    expect(said.verdict).toBe(verdict)
    if (doubtful !== null && doubtful.length > 0) expect(texts(said)).toContain(keyFile)
  })

  test('package sources: whose keys may sign', () => {
    const judge = (...signed: readonly boolean[]): string =>
      texts(
        on(integrityRepoSigning, {
          'packages.distribution': { id: 'debian', name: '', version: '13', supportEnd: null, family: 'debian' },
          'packages.sources-apt': {
            sources: signed.map((signedBy) => ({ file: '/x', scheme: 'https', unverified: false, signedBy })),
            switches: [],
          },
        }),
      )
    expect(judge(false, false)).toContain('Any key that apt trusts may sign for any of them.')
    expect(judge(true)).toContain('1 package source: no exemption from apt’s check of signatures.')
    expect(judge(true, true)).toContain('Each accepts only the keys that are named for it.')
    expect(judge(true, false)).toContain('1 accepts only the keys that are named for it; for the others')
  })

  test('a kernel of the provider', () => {
    const state = { running: '6.1.0-cloud', installed: ['6.8.0-45-generic'], asked: false }
    const said = on(vulnRebootRequired, {
      'reboot.required': state,
      'packages.distribution': { id: 'debian', name: '', version: '13', supportEnd: null, family: 'debian' },
    })
    expect(said.verdict).toBe('inconclusive')
    expect(texts(said)).toContain('as where a provider starts the server with a kernel of its own')
  })

  test('settings of the SSH server that are weaker than those recommended to runs', () => {
    const offer = {
      kex: ['curve25519-sha256', 'kex-strict-s-v00@openssh.com'],
      hostKey: ['ssh-ed25519'],
      cipherToNode: ['aes256-ctr'],
      cipherFromNode: ['aes256-ctr'],
      macToNode: ['hmac-sha2-512'],
      macFromNode: ['hmac-sha2-512'],
    }
    const settings = new Map([
      ['kexalgorithms', ['curve25519-sha256,diffie-hellman-group1-sha1']],
      ['ciphers', ['aes256-ctr,aes128-cbc']],
      ['macs', ['hmac-sha2-512']],
      ['hostkeyalgorithms', ['ssh-ed25519']],
    ])
    const said = texts(on(encryptionInTransitSshAlgorithms, { 'ssh.offers': offer, 'sshd.effective': { settings } }))
    expect(said).toMatch(/unclear: The settings allow weaker key exchange algorithms .*“diffie-hellman-group1-sha1”/)
    expect(said).toMatch(/unclear: The settings allow weaker cipher algorithms .*“aes128-cbc”.*from its next reload on/)
    expect(said).not.toContain('weaker message')
  })

  test('files that a container engine mounts alone stand together', () => {
    const mounts = fact(
      parseMountinfo(
        [
          '1 0 253:1 / / rw - ext4 /dev/vda1 rw',
          '2 1 253:2 /containers/4f/resolv.conf /etc/resolv.conf rw - ext4 /dev/vdb1 rw',
          '3 1 253:2 /containers/4f/hostname /etc/hostname rw - ext4 /dev/vdb1 rw',
          '4 1 253:2 /containers/4f/hosts /etc/hosts rw - ext4 /dev/vdb1 rw',
          '5 1 253:2 /lib/libcuda.so.1 /usr/lib/libcuda.so.1 rw - ext4 /dev/vdb1 rw',
          '6 1 253:2 /data /srv/data rw - ext4 /dev/vdb1 rw',
          '',
        ].join('\n'),
      ),
    )
    const facts = {
      'storage.mounts': mounts,
      'storage.block-devices': { devices: new Map(), btrfs: new Map() },
      'storage.swaps': { areas: [] },
      'memory.core-pattern': { kind: 'file', pattern: 'core' },
      'memory.kdump': { loaded: false, configured: false, targets: [] },
    }
    const graph = texts(on(encryptionAtRestBlockGraph, facts))
    expect(graph).toContain('4 bind mounts of the file system “/dev/vdb1” (“/etc/resolv.conf”, “/etc/hostname”')
    expect(graph).toContain('“/srv/data”')
    const dumps = texts(on(encryptionAtRestCrashDumps, facts))
    expect(dumps).toContain(
      'program dumps anywhere in 1 bind mount of the file system “/dev/vdb1” (“/usr/lib/libcuda.so.1”)',
    )
    expect(dumps).not.toContain('/etc/hosts')
  })
})

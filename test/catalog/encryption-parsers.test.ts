import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSshdSettings } from '../../main/catalog/access/sshd/probes.ts'
import {
  parseDmTable,
  parseLsblk,
  parseSwaps,
  parseSysfsBlock,
} from '../../main/catalog/data-protection/block-devices/index.ts'
import { keySource } from '../../main/catalog/data-protection/disk-encryption/key-custody.ts'
import { parseCrypttab } from '../../main/catalog/data-protection/disk-encryption/probes.ts'
import { parseWorkingDirectories } from '../../main/catalog/data-protection/ephi/paths.ts'
import { parseListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { Answer } from '../../main/core/recording/probe.ts'
import { conclude } from '../../main/core/rules/check.ts'
import { BASELINE } from '../support/baseline.ts'
import { checksOf } from '../support/checks-of.ts'
import { FIXTURE_TIME, fixtureAnswers, fixtureRecording } from '../support/fixtures.ts'

const checks = checksOf('encryption-at-rest', 'encryption-in-transit')
const { probes } = catalog

const NODES = ['demo-gpu-01', 'demo-shared-05', 'demo-guest-03', 'fx-storage-lab', 'fx-btrfs-half', 'fx-zfs-remote']

describe('sshd -T', () => {
  test('keywords are lower-cased, repeats keep their order', () => {
    const read = parseSshdSettings('Port 22\nport 2222\npermitrootlogin no\nciphers aes256-ctr\nbanner\n')
    expect(read).toEqual({
      ok: true,
      fact: {
        settings: new Map([
          ['port', ['22', '2222']],
          ['permitrootlogin', ['no']],
          ['ciphers', ['aes256-ctr']],
          ['banner', ['']],
        ]),
      },
    })
  })
  test('an answer without the keywords sshd always prints is no answer', () =>
    expect(parseSshdSettings('port 22\n')).toEqual({ ok: false, reason: 'the output lacks permitrootlogin, ciphers' }))
})

describe('ss', () => {
  test('loopback is recognized in every spelling', () => {
    const read = parseListeners(
      [
        'tcp LISTEN 0 128 127.0.0.1:1 0.0.0.0:*',
        'tcp LISTEN 0 128 [::1]:2 [::]:*',
        'tcp LISTEN 0 128 [::ffff:127.0.0.1]:3 *:*',
        'udp UNCONN 0 0 127.0.0.53%lo:53 0.0.0.0:*',
        'tcp LISTEN 0 128 *:9100 *:*',
        'udp UNCONN 0 0 [fe80::1]%eth0:546 [::]:*',
        'tcp LISTEN 0 128 127.evil.example:7 0.0.0.0:*',
      ].join('\n'),
    )
    expect(read.ok && read.fact.listeners.map(({ loopback }) => loopback)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    expect(read.ok && read.fact.listeners.map(({ interface: bound }) => bound)).toEqual([
      null,
      null,
      null,
      'lo',
      null,
      'eth0',
      null,
    ])
  })
  test('one line that is not understood spoils the answer', () =>
    expect(parseListeners('tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\nnonsense\n').ok).toBe(false))
  test('an empty list is not an absence of listeners', () => expect(parseListeners('').ok).toBe(false))
})

describe('storage', () => {
  test('escaped mount points are undone, the options keep theirs', () => {
    const read = parseMountinfo(
      '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /with\\040space\\012line rw shared:1 master:2 - ext4 /dev/sdb rw,upperdir=/a\\054b\n',
    )
    expect(read.ok && read.fact.mounts[1]?.point).toBe('/with space\nline')
    expect(read.ok && read.fact.mounts[1]?.options).toContain('upperdir=/a\\054b')
  })
  test('a mount table without a root is no answer', () =>
    expect(parseMountinfo('1 0 8:1 / /data rw - ext4 /dev/sda1 rw\n').ok).toBe(false))
  test('an empty answer is not “no swap”', () => expect(parseSwaps('').ok).toBe(false))
  test('keys never become part of a fact, their length does', () => {
    const secret = 'ab'.repeat(64)
    const read = parseDmTable(
      `x: 0 8 crypt aes-xts-plain64 ${secret} 0 8:1 0\ny\\x20z: 0 8 crypt aes-xts-plain64 :32:logon:name 0 8:2 0\n`,
    )
    expect(JSON.stringify(read.ok && [...read.fact.devices])).not.toContain('abab')
    expect(read.ok && [...read.fact.devices]).toEqual([
      ['x', [{ kind: 'crypt', cipher: 'aes-xts-plain64', keyBytes: 64 }]],
      ['y\\x20z', [{ kind: 'crypt', cipher: 'aes-xts-plain64', keyBytes: 32 }]],
    ])
  })
  test('sysfs names partitions, slaves, backing files and btrfs members', () => {
    const read = parseSysfsBlock(
      [
        '/sys/class/block/sda/dev:8:0',
        '/sys/class/block/sda1/dev:8:1',
        '/sys/block/sda/sda1/partition:1',
        '/sys/class/block/dm-0/dev:253:0',
        '/sys/block/dm-0/slaves/sda1/dev:8:1',
        '/sys/block/dm-0/dm/name:a:b',
        '/sys/block/dm-0/dm/uuid:CRYPT-LUKS2-x-a:b',
        '/sys/block/loop0/loop/backing_file:/images/a:b.img',
        '/sys/fs/btrfs/u-1/devices/dm-0/dev:253:0',
      ].join('\n'),
    )
    expect(read.ok && read.fact.devices.get('dm-0')).toMatchObject({ number: '253:0', slaves: ['sda1'], dmName: 'a:b' })
    expect(read.ok && read.fact.devices.get('sda1')?.partitionOf).toBe('sda')
    expect(read.ok && read.fact.devices.get('loop0')?.backingFile).toBe('/images/a:b.img')
    expect(read.ok && [...read.fact.btrfs]).toEqual([['u-1', ['dm-0']]])
  })
  test('hostile JSON: depth and size end in a reason or a fact, not a crash', () => {
    const deep = (levels: number): string =>
      `{"blockdevices":[${'{"name":"a","maj:min":"8:0","children":['.repeat(levels)}${']}'.repeat(levels)}]}`
    expect(parseLsblk(deep(5000)).ok).toBe(true)
    expect(() => parseLsblk(deep(100_000))).not.toThrow()
    const wide = JSON.stringify({
      blockdevices: Array.from({ length: 60_000 }, (_, at) => ({ name: 'a', 'maj:min': `8:${at}` })),
    })
    expect(parseLsblk(wide).ok).toBe(false)
    expect(parseLsblk('{"blockdevices":[{"name":"a","maj:min":["8:0"]}]}').ok).toBe(false)
  })
  test('numbers of old lsblk versions and repeated children are joined', () => {
    const child = { name: 'md0', 'maj:min': ' 9:0 ', type: 'raid1' }
    const read = parseLsblk(
      JSON.stringify({
        blockdevices: [
          { name: 'a', 'maj:min': '8:0', children: [child] },
          { name: 'b', 'maj:min': '8:16', children: [child] },
        ],
      }),
    )
    expect(read.ok && read.fact.devices.get('9:0')?.parents).toEqual(['8:0', '8:16'])
  })
  test('working directories come from names and from the engines’ settings', () => {
    const read = parseWorkingDirectories(
      '/:\nbin\nscratch0\ntmp\n\n/var:\ncache\nlib\n\n/var/lib:\ndocker\ntmpfiles\n',
      '/etc/docker/daemon.json:  "data-root": "/fast/docker"\n/etc/containers/storage.conf:graphroot = "/fast/podman"\n',
    )
    expect(read).toEqual({
      ok: true,
      fact: {
        paths: ['/fast/docker', '/fast/podman', '/scratch0', '/tmp', '/var/cache', '/var/lib/docker'],
        top: ['bin', 'scratch0', 'tmp'],
        links: [],
      },
    })
  })
  test('with types, what is no folder is a link or a file', () =>
    expect(
      parseWorkingDirectories('/:\nbin\nscratch/\nvar/\n\n/var:\nlib/\nlock\n\n/var/lib:\ncontainerd/\ndocker\n', ''),
    ).toEqual({
      ok: true,
      fact: {
        paths: ['/scratch', '/var/lib/containerd', '/var/lib/docker'],
        top: ['bin', 'scratch', 'var'],
        links: ['/bin', '/var/lib/docker', '/var/lock'],
      },
    }))
  test('crypttab states where a key comes from', () => {
    const read = parseCrypttab(
      [
        '# comment',
        'a /dev/sda none luks,tpm2-device=auto',
        'b /dev/sdb /etc/b.key luks',
        'c /dev/sdc /dev/urandom swap',
        'd /dev/sdd - luks,tpm2-device=auto,tpm2-pin=yes',
        'e /dev/sde none luks,keyscript=/x',
        'f /dev/sdf',
      ].join('\n'),
    )
    expect(read.ok && read.fact.entries.map((entry) => [keySource(entry).kind, keySource(entry).attended])).toEqual([
      ['hardware', false],
      ['file', false],
      ['random', false],
      ['hardware', true],
      ['script', null],
      ['prompt', null],
    ])
  })
})

describe('any bytes as an answer', () => {
  const answer = (text: string, exitCode: number): Answer => ({
    exitCode,
    text,
    errorText: text,
    bytes: new Uint8Array(),
    seconds: { node: null, collectingComputer: null },
  })
  const seeds = NODES.flatMap((node) =>
    [...fixtureAnswers(node).values()].map(({ stdout }) => Buffer.from(stdout).toString()),
  )
  // Half of the answers are real ones with a piece cut out or put in: they get further than noise does.
  const arbitrary = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.json(),
    fc
      .tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(60), fc.string({ maxLength: 20 }))
      .map(([seed, at, cut, put]) => {
        const from = seed.length === 0 ? 0 : at % seed.length
        return seed.slice(0, from) + put + seed.slice(from + cut)
      }),
  )

  test.each(probes.map((probe) => [probe.id, probe] as const))('%s returns', (_, probe) => {
    fc.assert(
      fc.property(fc.array(arbitrary, { minLength: 4, maxLength: 4 }), fc.constantFrom(0, 1, 2), (texts, exitCode) => {
        const names = Object.keys(probe.commands)
        const parsed = probe.parse(
          Object.fromEntries(names.map((name, at) => [name, answer(texts[at] ?? '', exitCode)])),
        )
        expect(typeof parsed.ok).toBe('boolean')
      }),
      { numRuns: 150 },
    )
  })

  test('every check concludes on whatever was parsed from them', () => {
    const { node } = fixtureRecording('demo-gpu-01', []).recording
    fc.assert(
      fc.property(fc.array(arbitrary, { minLength: 30, maxLength: 30 }), fc.nat(), (texts, salt) => {
        const readings = new Map(
          probes.map((probe, index) => {
            const names = Object.keys(probe.commands)
            const fixture = fixtureAnswersOf(NODES[salt % NODES.length] ?? 'demo-gpu-01')
            const of = (name: string, at: number): Answer =>
              (index + at + salt) % 4 === 0
                ? answer(texts[index] ?? '', 0)
                : (fixture.get(`${probe.id}/${name}`) ?? answer('', 1))
            return [probe.id, probe.parse(Object.fromEntries(names.map((name, at) => [name, of(name, at)])))] as const
          }),
        )
        for (const check of checks) {
          const { observations } = conclude(check, readings, {
            node,
            asOf: FIXTURE_TIME,
            observedAt: FIXTURE_TIME,
            thresholds: BASELINE,
          })
          expect(observations.length, check.id).toBeGreaterThan(0)
          for (const { text } of observations) expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202e]/)
        }
      }),
      { numRuns: 60 },
    )
  })
})

const cache = new Map<string, ReadonlyMap<string, Answer>>()
function fixtureAnswersOf(node: string): ReadonlyMap<string, Answer> {
  const found =
    cache.get(node) ??
    new Map(
      [...fixtureAnswers(node)].map(([key, { stdout, stderr, exitCode }]) => [
        key,
        {
          exitCode,
          text: Buffer.from(stdout).toString(),
          errorText: Buffer.from(stderr).toString(),
          bytes: stdout,
          seconds: { node: null, collectingComputer: null },
        },
      ]),
    )
  cache.set(node, found)
  return found
}

import { describe, expect, test } from 'vitest'
import {
  parseDmTable,
  parseLsblk,
  parseSwaps,
  parseSysfsBlock,
} from '../../main/catalog/data-protection/block-devices/index.ts'
import { parseZfs, parseZpool } from '../../main/catalog/data-protection/block-devices/zfs.ts'
import { readStorage, type Storage, unusedDevices } from '../../main/catalog/data-protection/disk-encryption/roots.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { fact } from '../support/answers.ts'
import { concludeAll, steps } from './encryption-readings.ts'

/** The cases of research/location-encryption-access.md §8, as recordings (fx-enc-*) and, where a recording would add nothing, as text. */

/** What a step names before its reason. */
const named = (text: string): readonly string[] =>
  [...(text.split(': ')[0] ?? '').matchAll(/“[^”]+”|program dumps/g)].map(String)
const against = (node: string, id: string): readonly string[] =>
  steps(concludeAll(node).get(`encryption.at-rest.${id}`), 'contradicts')

describe('every way out of an encrypting layer is named, and nothing else', () => {
  const PLAIN = [
    '/opt',
    '/plain',
    '/plain/swapfile',
    '/srv/array',
    '/srv/btrfs',
    '/srv/cached',
    '/srv/merged',
    '/srv/sums',
  ]

  const DECLARED = ['/run/ephi', '/srv/btrfs/ephi']

  test('as root', () => {
    const names = against('fx-enc-escapes', 'block-graph').flatMap(named).sort()
    // Swap that reaches a drive opens what lies in memory, and a null cipher and a broken one are layers in name only.
    const all = [...PLAIN, ...DECLARED, '/dev/zram0', '/run', '/srv/ecb', '/srv/null']
    expect(names).toEqual(all.map((name) => `“${name}”`).sort())
    expect(
      steps(concludeAll('fx-enc-escapes').get('encryption.at-rest.block-graph'), 'supports').flatMap(named).sort(),
    ).toEqual(['“/”', '“/srv/loopvault”', '“/dev/dm-11”'].sort())
  })

  test('without administrator rights: the same drives are found open, and no layer is credited', () => {
    const graph = concludeAll('fx-enc-escapes-user').get('encryption.at-rest.block-graph')
    expect(steps(graph, 'contradicts').flatMap(named).sort()).toEqual(
      [...PLAIN, ...DECLARED, '/dev/zram0', '/run'].map((name) => `“${name}”`).sort(),
    )
    expect(steps(graph, 'supports')).toEqual([])
  })

  test('the proof path shows the plain member, the plain cache and the plain device', () => {
    const said = against('fx-enc-escapes', 'block-graph').join('\n')
    expect(said).toMatch(/“\/srv\/array”.*md0 \(raid1\) → one of 2: sdg/)
    expect(said).toMatch(/“\/srv\/cached”.*vg1-cached.* → one of 3: vg1-fast_cdata.* → sdh/)
    expect(said).toMatch(/“\/srv\/merged”.* \/plain \(ext4\) → sdd/)
    expect(said).toMatch(/“\/srv\/null”: the layer uses the null cipher/)
    expect(said).toMatch(/“\/srv\/ecb”: encrypted by dm-crypt, AES-ECB .* shows where data repeats/)
  })

  test('a file system that is not mounted is reported, and does not decide', () => {
    const noted = steps(concludeAll('fx-enc-escapes').get('encryption.at-rest.block-graph'), 'unclear').join('\n')
    expect(noted).toContain('may hold data in clear text: “sdn (ext4)”')
    expect(noted).toMatch(/“\/home\/anna\/private”: each file is encrypted by eCryptfs/)
  })

  test('data roots and keys beside the lock are found there, too', () => {
    expect(against('fx-enc-escapes', 'scratch').join()).toContain('“/plain/docker”')
    expect(against('fx-enc-escapes', 'key-custody').join()).toContain(
      '“/plain/keys/null.key” is on /plain (ext4) → sdd',
    )
  })
})

describe('everything covered, in every odd form', () => {
  const graph = concludeAll('fx-enc-covered').get('encryption.at-rest.block-graph')

  test('a detached header, a suspended volume, odd names and an image file are followed', () => {
    const said = steps(graph, 'supports').join('\n')
    expect(said).toMatch(/“\/vault”.*vault \[dm-2\] \(crypt\) → sda/)
    expect(said).toMatch(/“\/srv\/paused”/)
    expect(said).toMatch(/two\\u\{a\}lines/)
    expect(said).toMatch(/“\/srv\/image”.*loop0 \(loop\) → \/ \(ext4\)/)
    expect(said).not.toContain('\n/srv')
  })

  test('a closed volume is reported as such', () =>
    expect(steps(graph, 'unclear').join()).toContain('closed encrypted volumes: “sdd (crypto_LUKS)”'))

  test('a key on the open boot partition, and keys in the start-up image, lie beside the lock', () => {
    const said = against('fx-enc-covered', 'key-custody')
    expect(said).toHaveLength(2)
    expect(said[0]).toContain('“/boot/keys/vault.key” is on /boot (ext4) → nvme0n1p2')
    expect(said[1]).toContain('KEYFILE_PATTERN')
  })

  test('how volumes open is recorded: network, token, random key, a shell in the start-up image; and what is open now', () => {
    const said = steps(concludeAll('fx-enc-covered').get('encryption.at-rest.unlock-mode'), 'unclear').join('\n')
    for (const part of [
      '“luks-root”: not determined whether a person is needed: no key file; a passphrase is requested at start once the network is up',
      '“vault”: opens without a person',
      '“paused”: needs a person: a FIDO2 token',
      '“swap2”: opens without a person: a new random key',
      'Clevis is configured to supply the passphrase at start, so that bound volumes open without a person. It can take keys from: a server on the network (Tang), a rule over several sources.',
      'holds an SSH server',
      'The kernel was started with “rd.neednet=1”.',
      '5 encrypted volumes are open now',
    ])
      expect(said).toContain(part)
  })
})

const unread = unknown('not read')
const ROOT = '1 0 253:0 / / rw - ext4 /dev/mapper/root rw\n'
const CRYPT = [
  '/sys/class/block/sda/dev:8:0',
  '/sys/class/block/dm-0/dev:253:0',
  '/sys/block/dm-0/slaves/sda/dev:8:0',
  '/sys/block/dm-0/dm/name:root',
  '/sys/block/dm-0/dm/uuid:CRYPT-LUKS2-1-root',
]
const TABLE = `root: 0 8 crypt aes-xts-plain64 ${'0'.repeat(128)} 0 8:0 0\n`

interface Given {
  readonly mounts?: string
  readonly sysfs?: readonly string[]
  readonly lsblk?: string
  readonly swaps?: string
  readonly zfs?: string
  readonly zpool?: string
  readonly table?: string
}

const read = <F>(text: string | undefined, parse: (text: string) => Parsed<F>): Parsed<F> =>
  text === undefined ? unread : parse(text)
const storage = ({ mounts = '', sysfs = [], lsblk, swaps = '', zfs, zpool, table = TABLE }: Given): Storage =>
  readStorage(
    fact(parseMountinfo(ROOT + mounts)),
    fact(parseSysfsBlock([...CRYPT, ...sysfs].join('\n'))),
    fact(parseSwaps(`Filename Type Size Used Priority\n${swaps}`)),
    {
      lsblk: read(lsblk, parseLsblk),
      dmTable: parseDmTable(table),
      zfs: read(zfs, parseZfs),
      zpool: read(zpool, parseZpool),
    },
  )
const outcome = (found: Storage, point: string): string => found.path(point).outcome

describe('small cases', () => {
  test('200 drives without a layer are 200 open mounts, each with its drive', () => {
    const count = Array.from({ length: 200 }, (_, at) => at)
    const found = storage({
      mounts: count.map((at) => `${at + 10} 1 65:${at} / /jbod/${at} rw - xfs /dev/sdx${at} rw\n`).join(''),
      sysfs: count.map((at) => `/sys/class/block/sdx${at}/dev:65:${at}`),
    })
    const walks = count.map((at) => found.path(`/jbod/${at}/file`))
    expect(walks.every(({ outcome }) => outcome === 'exposed')).toBe(true)
    expect(walks[7]?.path).toEqual(['/jbod/7 (xfs)', 'sdx7'])
  })

  test('JSON that breaks off is no answer, and leaves what sysfs shows', () => {
    const cut = '{"blockdevices":[{"name":"sda","maj:min":"8:0","children":[{"name":"ro'
    expect(parseLsblk(cut)).toMatchObject({ ok: false })
    expect(outcome(storage({ lsblk: cut }), '/')).toBe('encrypted')
  })

  test('a replicated drive is only known on this side, unless a layer is above it', () => {
    const sysfs = ['/sys/class/block/drbd0/dev:147:0', '/sys/block/drbd0/slaves/dm-0/dev:253:0']
    const found = storage({ mounts: '9 1 147:0 / /r rw - ext4 /dev/drbd0 rw\n', sysfs })
    expect(outcome(found, '/r')).toBe('external-unverified')
    const above = [
      ...sysfs,
      '/sys/class/block/dm-1/dev:253:1',
      '/sys/block/dm-1/slaves/drbd0/dev:147:0',
      '/sys/block/dm-1/dm/name:over',
    ]
    const table = `${TABLE}over: 0 8 crypt aes-xts-plain64 ${'0'.repeat(128)} 0 147:0 0\n`
    const covered = storage({ mounts: '9 1 253:1 / /r rw - ext4 /dev/mapper/over rw\n', sysfs: above, table })
    expect(outcome(covered, '/r')).toBe('encrypted')
  })

  test('a ZFS volume is decided where all data sets come out the same', () => {
    const zvol = {
      mounts: '9 1 230:0 / /v rw - ext4 /dev/zd0 rw\n',
      sysfs: ['/sys/class/block/zd0/dev:230:0', '/sys/class/block/sdb/dev:8:16'],
    }
    const set = (name: string, encryption: string): string =>
      `${name}\tencryption\t${encryption}\n${name}\tkeystatus\t${encryption === 'off' ? '-' : 'available'}\n`
    const zpool = 'tank\t1T\n\t/dev/sdb\t1T\n'
    const at = (zfs: string): string => outcome(storage({ ...zvol, zfs, zpool }), '/v')
    expect(at(set('tank', 'aes-256-gcm') + set('tank/v', 'aes-256-gcm'))).toBe('encrypted')
    expect(at(set('tank', 'off') + set('tank/v', 'off'))).toBe('exposed')
    expect(at(set('tank', 'off') + set('tank/v', 'aes-256-gcm'))).toBe('unknown')
    expect(at('')).toBe('unknown')
  })

  test('file systems that encrypt files are credited no further than they can be read; a program’s word for its folder counts for nothing', () => {
    const mounts = (source: string): string =>
      `8 1 8:16 / /plain rw - ext4 /dev/sdb rw\n9 1 0:50 / /m rw - fuse.gocryptfs ${source} rw\n`
    const at = (source: string): string =>
      outcome(storage({ mounts: mounts(source), sysfs: ['/sys/class/block/sdb/dev:8:16'] }), '/m')
    expect([at('/plain/c'), at('/c'), at('cipher')]).toEqual([
      'layer-present-cipher-unverified',
      'layer-present-cipher-unverified',
      'layer-present-cipher-unverified',
    ])
  })

  test('names that dmsetup spells in two ways are one, and a name that looks like a line is none', () => {
    const sysfs = [
      '/sys/class/block/sdb/dev:8:16',
      '/sys/class/block/dm-1/dev:253:1',
      '/sys/block/dm-1/slaves/sdb/dev:8:16',
      '/sys/block/dm-1/dm/name:my\\x20"disk',
    ]
    const at = (name: string): string =>
      outcome(
        storage({
          mounts: '9 1 253:1 / /m rw - ext4 /dev/dm-1 rw\n',
          sysfs,
          table: `${TABLE}${name}: 0 8 crypt aes-xts-plain64 ${'0'.repeat(128)} 0 8:16 0\n`,
        }),
        '/m',
      )
    expect([at('my\\x20"disk'), at('my "disk'), at('other')]).toEqual(['encrypted', 'encrypted', 'unknown'])
    expect(parseDmTable(`x: 0 8 crypt aes-xts-plain64 00: 0 8 linear 8:0 0\n`)).toMatchObject({ ok: false })
  })

  test('what is in use is not reported as unused', () => {
    const disk = (name: string, number: string, fstype: string): object => ({
      name,
      'maj:min': number,
      fstype,
      type: 'disk',
    })
    const lsblk = JSON.stringify({
      blockdevices: [
        {
          ...disk('sda', '8:0', 'crypto_LUKS'),
          children: [{ name: 'root', kname: 'dm-0', 'maj:min': '253:0', fstype: 'ext4' }],
        },
        disk('sdb', '8:16', 'zfs_member'),
        disk('sdc', '8:32', 'xfs'),
        disk('sdd', '8:48', 'swap'),
        { ...disk('sde', '8:64', 'vfat'), parttype: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B' },
        disk('sdf', '8:80', ''),
      ],
    })
    const zpool = parseZpool('tank\t1T\n\t/dev/sdb\t1T\n')
    const found = storage({ lsblk, swaps: '/dev/sdd partition 1 0 -2\n' })
    expect(unusedDevices(found, zpool)).toEqual([{ name: 'sdc', signature: 'xfs' }])
    expect(unusedDevices(found, unread).map(({ name }) => name)).toEqual(['sdb', 'sdc'])
  })
})

/**
 * As `zpool list -HvPL` prints it (OpenZFS 2.2, cmd/zpool/zpool_main.c, print_list_stats): pools and members have tabs between their
 * columns, while the heading of a class of members is padded with blanks, with and without -H.
 */
describe('members of a ZFS pool that are of a class of their own', () => {
  const heading = (name: string): string =>
    `${name.padEnd(36)}      -      -      -        -         -      -      -      -         -\n`
  const member = (name: string, state = 'ONLINE'): string => `\t${name}\t1.81T\t-\t-\t-\t-\t-\t-\t-\t${state}\n`
  const pool = (name: string): string => `${name}\t928G\t91.2G\t837G\t-\t-\t0%\t9%\t1.00x\tONLINE\t-\n`
  const mounts = '9 1 0:50 / /tank rw - zfs tank/data rw,xattr,posixacl\n'
  const zfs = 'tank/data\tencryption\toff\ntank/data\tkeystatus\t-\n'
  const sysfs = ['sdb', 'nvme0n1', 'nvme1n1'].map((name, at) => `/sys/class/block/${name}/dev:8:${16 * (at + 1)}`)
  const covered = `${pool('tank')}\tmirror-0\t928G\t91.2G\t837G\t-\t-\t0%\t9.82%\t-\tONLINE\n${member('/dev/mapper/root')}`
  const at = (zpool: string): string => outcome(storage({ mounts, sysfs, zfs, zpool }), '/tank')

  test('a pool whose every drive is below an encrypting layer is encrypted', () =>
    expect(at(covered)).toBe('encrypted'))

  test.each(['special', 'dedup', 'logs', 'log', 'cache'])('an open drive of the class %s counts for its pool', (name) =>
    expect(at(`${covered}${heading(name)}${member('/dev/nvme0n1')}`)).toBe('exposed'),
  )

  test('a class without a member that is open changes nothing, and the next pool begins after it', () => {
    const two = `${covered}${heading('cache')}${member('/dev/mapper/root')}${pool('scratch')}${member('/dev/nvme1n1')}`
    expect(at(two)).toBe('encrypted')
    expect([...fact(parseZpool(two)).members.keys()]).toEqual(['tank', 'scratch'])
  })

  test('a pool that failed has no size, and its members are its own', () => {
    const failed = `${covered}lost\t-\t-\t-\t-\t-\t-\t-\tFAULTED\t-\n${member('/dev/nvme0n1', 'UNAVAIL')}`
    expect([...fact(parseZpool(failed)).members.keys()]).toEqual(['tank', 'lost'])
    expect(at(failed)).toBe('encrypted')
  })

  test('a spare holds no data until it takes the place of a member, and is listed there then', () => {
    expect(at(`${covered}${heading('spare')}${member('/dev/nvme0n1', 'AVAIL')}`)).toBe('encrypted')
    const inUse = `${covered}\tspare-1\t-\t-\t-\t-\t-\t-\t-\t-\tONLINE\n${member('/dev/nvme0n1')}`
    expect(at(`${inUse}${heading('spare')}${member('/dev/nvme0n1', 'INUSE')}`)).toBe('exposed')
  })

  test('a member that is gone has a number for a name, and leaves open what it was', () =>
    expect(at(`${covered}${member('9784432190347812345', 'UNAVAIL')}`)).toBe('unknown'))
})

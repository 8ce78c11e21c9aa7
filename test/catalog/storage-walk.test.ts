import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseDmTable,
  parseLsblk,
  parseSwaps,
  parseSysfsBlock,
} from '../../main/catalog/data-protection/block-devices/index.ts'
import { gradeCipher } from '../../main/catalog/data-protection/disk-encryption/grades.ts'
import { blockGraph } from '../../main/catalog/data-protection/disk-encryption/graph.ts'
import {
  mountRoots,
  readStorage,
  type Storage,
  swapRoots,
} from '../../main/catalog/data-protection/disk-encryption/roots.ts'
import { storageWalker, type Walker } from '../../main/catalog/data-protection/disk-encryption/walk.ts'
import { mountTree } from '../../main/catalog/data-protection/mounts/kinds.ts'
import { type Mount, parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { type Parsed, unknown } from '../../main/core/recording/probe.ts'

const unread = unknown('not read')
const HEADER = 'Filename Type Size Used Priority\n'
const KEY = '0'.repeat(128)

interface Given {
  readonly mounts: string
  readonly sysfs: string
  readonly table?: string
  readonly swaps?: string
}

function fact<F>(parsed: Parsed<F>): F {
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.fact
}

const storage = ({ mounts, sysfs, table, swaps = '' }: Given): Storage =>
  readStorage(fact(parseMountinfo(mounts)), fact(parseSysfsBlock(sysfs)), fact(parseSwaps(HEADER + swaps)), {
    lsblk: unread,
    dmTable: table === undefined ? unread : parseDmTable(table),
    zfs: unread,
    zpool: unread,
  })

const mountOf = (found: Storage, point: string): Mount => {
  const mount = found.mounts.find((candidate) => candidate.point === point)
  if (mount === undefined) throw new Error(`no mount at ${point}`)
  return mount
}

const outcome = (found: Storage & Walker, point: string): string => found.mount(mountOf(found, point)).outcome

const ROOT = '1 0 253:0 / / rw - ext4 /dev/mapper/root rw\n'
const CRYPT = [
  '/sys/class/block/sda/dev:8:0',
  '/sys/class/block/sdb/dev:8:16',
  '/sys/class/block/dm-0/dev:253:0',
  '/sys/block/dm-0/slaves/sda/dev:8:0',
  '/sys/block/dm-0/dm/name:root',
  '/sys/block/dm-0/dm/uuid:CRYPT-LUKS2-1-root',
].join('\n')
const AES = `root: 0 8 crypt aes-xts-plain64 ${KEY} 0 8:0 0\n`

describe('the walk', () => {
  test.each([
    ['AES-XTS', AES, 'encrypted'],
    ['null cipher', 'root: 0 8 crypt cipher_null-ecb - 0 8:0 0\n', 'exposed'],
    ['null cipher in the kernel’s spelling', 'root: 0 8 crypt capi:ecb(cipher_null)-plain 0 0 8:0 0\n', 'exposed'],
    ['an older mode', `root: 0 8 crypt aes-cbc-essiv:sha256 ${KEY.slice(64)} 0 8:0 0\n`, 'encrypted-weak'],
    ['a mode that hides nothing', `root: 0 8 crypt aes-ecb ${KEY} 0 8:0 0\n`, 'encrypted-broken'],
    ['only a part of the device', `${AES}root: 8 8 linear 8:0 8\n`, 'exposed'],
    ['a table that contradicts the UUID', 'root: 0 8 linear 8:0 0\n', 'exposed'],
    [
      'a table without the device',
      `other: 0 8 crypt aes-xts-plain64 ${KEY} 0 8:0 0\n`,
      'layer-present-cipher-unverified',
    ],
  ])('%s', (_, table, expected) => expect(outcome(storage({ mounts: ROOT, sysfs: CRYPT, table }), '/')).toBe(expected))

  test('without the table a layer is present, not credited', () =>
    expect(outcome(storage({ mounts: ROOT, sysfs: CRYPT }), '/')).toBe('layer-present-cipher-unverified'))

  test.each(['CRYPT-INTEGRITY-1-root', 'CRYPT-VERITY-1-root', 'LVM-abc', 'mpath-abc'])(
    '%s hides nothing, even unprivileged',
    (uuid) =>
      expect(outcome(storage({ mounts: ROOT, sysfs: CRYPT.replace('CRYPT-LUKS2-1-root', uuid) }), '/')).toBe('exposed'),
  )

  test('a layer of unread kind is neither credited nor called open', () =>
    expect(outcome(storage({ mounts: ROOT, sysfs: CRYPT.replace('CRYPT-LUKS2-1-root', '') }), '/')).toBe('unknown'))

  test('a plain member of an array opens all of it', () => {
    const sysfs = `${CRYPT}\n/sys/class/block/md0/dev:9:0\n/sys/block/md0/slaves/dm-0/dev:253:0\n/sys/block/md0/slaves/sdb/dev:8:16`
    const found = storage({ mounts: `${ROOT}2 1 9:0 / /data rw - ext4 /dev/md0 rw\n`, sysfs, table: AES })
    expect(outcome(found, '/data')).toBe('exposed')
    expect(found.mount(mountOf(found, '/data')).path.join(' ')).toContain('one of 2: sdb')
  })

  test('a file system inside a loop image is worth what holds the image', () => {
    const sysfs = `${CRYPT}\n/sys/class/block/loop0/dev:7:0\n/sys/block/loop0/loop/backing_file:/plain/img\n/sys/class/block/loop1/dev:7:1\n/sys/block/loop1/loop/backing_file:/img`
    const mounts = `${ROOT}2 1 8:16 / /plain rw - ext4 /dev/sdb rw\n3 1 7:0 / /a rw - ext4 /dev/loop0 rw\n4 1 7:1 / /b rw - ext4 /dev/loop1 rw\n`
    const found = storage({ mounts, sysfs, table: AES })
    expect([outcome(found, '/a'), outcome(found, '/b')]).toEqual(['exposed', 'encrypted'])
  })

  test('memory is only as closed as swap', () => {
    const mounts = `${ROOT}2 1 0:9 / /tmp rw - tmpfs tmpfs rw\n`
    const swap = (swaps: string, table?: string): string =>
      outcome(storage({ mounts, sysfs: CRYPT, swaps, ...(table === undefined ? {} : { table }) }), '/tmp')
    expect(swap('')).toBe('volatile')
    expect(swap('/swapfile file 1 0 -2\n', AES)).toBe('volatile')
    expect(swap('/swapfile file 1 0 -2\n')).toBe('layer-present-cipher-unverified')
    expect(swap('/dev/sdb partition 1 0 -2\n', AES)).toBe('exposed')
    expect(swap('/dev/nowhere partition 1 0 -2\n', AES)).toBe('unknown')
  })

  test('zram counts as memory only when it reports that nothing is written back', () => {
    const swap = (backing: string): string =>
      storage({ mounts: ROOT, sysfs: `${CRYPT}\n/sys/class/block/zram0/dev:251:0\n${backing}`, table: AES }).swap(
        '/dev/zram0',
        'partition',
      ).outcome
    expect(swap('/sys/block/zram0/backing_dev:none')).toBe('volatile')
    expect(swap('/sys/block/zram0/backing_dev:/dev/sdb')).toBe('exposed')
    expect(swap('')).toBe('unknown')
  })

  test('an overlay is worth its upper directory, an external log its own drive', () => {
    const mounts = `${ROOT}2 1 8:16 / /plain rw - ext4 /dev/sdb rw\n3 1 0:9 / /m rw - overlay o rw,lowerdir=/,upperdir=/plain/u,workdir=/plain/w\n4 1 253:0 /x /x rw - xfs /dev/mapper/root rw,logdev=/dev/sdb\n5 1 0:10 / /ro ro - overlay o ro,lowerdir=/etc\n6 1 0:11 / /odd rw - overlay o rw\n`
    const found = storage({ mounts, sysfs: CRYPT, table: AES })
    expect(['/m', '/x', '/ro', '/odd'].map((point) => outcome(found, point))).toEqual([
      'exposed',
      'exposed',
      'encrypted',
      'unknown',
    ])
  })

  test('bcachefs may encrypt itself: without a layer below it that stays open', () => {
    const at = (source: string): string =>
      outcome(storage({ mounts: `${ROOT}2 1 0:40 / /b rw - bcachefs ${source} rw\n`, sysfs: CRYPT, table: AES }), '/b')
    expect(at('/dev/mapper/root')).toBe('encrypted')
    expect(at('/dev/sdb')).toBe('unknown')
    expect(at('/dev/mapper/root:/dev/sdb')).toBe('unknown')
  })

  test('btrfs needs every member, and the list of members', () => {
    const mounts = `${ROOT}2 1 0:40 / /b rw - btrfs /dev/mapper/root rw\n`
    const member = (name: string): string => `/sys/fs/btrfs/u/devices/${name}/dev:0:0`
    const with_ = (...lines: string[]): string =>
      outcome(storage({ mounts, sysfs: [CRYPT, ...lines].join('\n'), table: AES }), '/b')
    expect(with_(member('dm-0'))).toBe('encrypted')
    expect(with_(member('dm-0'), member('sdb'))).toBe('exposed')
    expect(with_(member('dm-0'), member('gone'))).toBe('unknown')
    expect(with_()).toBe('unknown')
  })

  test('unknown file systems without a device are not taken for harmless', () =>
    expect(
      outcome(storage({ mounts: `${ROOT}2 1 0:50 / /odd rw - fuse.strange x rw\n`, sysfs: CRYPT, table: AES }), '/odd'),
    ).toBe('unknown'))

  test('a mapper name that equals a kernel name does not stand in for it', () => {
    const sysfs = CRYPT.replace('dm/name:root', 'dm/name:sdb')
    const found = storage({
      mounts: ROOT,
      sysfs,
      table: AES.replace('root:', 'sdb:'),
      swaps: '/dev/sdb partition 1 0 -2\n',
    })
    expect(found.swap('/dev/sdb', 'partition').outcome).toBe('exposed')
    expect(found.swap('/dev/mapper/sdb', 'partition').outcome).toBe('encrypted')
  })

  test('the mount that holds a path', () => {
    const mounts = fact(
      parseMountinfo(
        `${ROOT}2 1 8:1 / /data rw - ext4 a rw\n3 1 8:2 / /data rw - ext4 b rw\n4 3 8:3 / /data/x rw - ext4 c rw\n`,
      ),
    )
    const at = (path: string): string | undefined => mountTree(mounts.mounts)(path)?.device
    expect(
      ['/', '/database', '/data', '/data/', '/data/y/z', '/data/x', 'relative', `/${'x/'.repeat(5000)}`].map(at),
    ).toEqual(['253:0', '253:0', '8:2', '8:2', '8:2', '8:3', undefined, undefined])
  })

  test('a mount below which another came later holds nothing any more', () => {
    const mounts = `${ROOT}2 1 253:0 / /srv/enc rw - ext4 a rw\n3 1 8:16 / /srv rw - ext4 /dev/sdb rw\n`
    const found = storage({ mounts, sysfs: CRYPT, table: AES })
    expect([found.path('/srv/enc/ephi').outcome, found.path('/srv').outcome]).toEqual(['exposed', 'exposed'])
    // Moved on top of one that was made later: the order of lines shows nothing.
    const moved = fact(parseMountinfo(`${ROOT}2 3 8:16 / /d rw - ext4 top rw\n3 1 253:0 / /d rw - ext4 below rw\n`))
    expect(mountTree(moved.mounts)('/d/x')?.source).toBe('top')
  })

  test('a path that goes up again is not followed', () => {
    const mounts = `${ROOT}2 1 8:16 / /plain rw - ext4 /dev/sdb rw\n3 1 253:0 / /enc rw - ext4 a rw\n`
    const found = storage({ mounts, sysfs: CRYPT, table: AES })
    expect(['/enc/../plain/x', '/enc/./x', '//enc//x'].map((path) => found.path(path).outcome)).toEqual([
      'unknown',
      'encrypted',
      'encrypted',
    ])
  })

  test('a table of mounts that stand on each other in a circle, and long paths, come to an end', () => {
    const ring = Array.from({ length: 3000 }, (_, at) => `${at} ${(at + 1) % 3000} 8:16 / / rw - ext4 x rw`)
    const slashes = `/${'/'.repeat(4000)}x`
    const tree = mountTree(fact(parseMountinfo(`${ring.join('\n')}\n`)).mounts)
    for (let at = 0; at < 200; at += 1) tree(slashes)
  })

  test('what is mounted on first use is unknown until then, and a program’s own type hides nothing', () => {
    const mounts = `${ROOT}2 1 0:50 / /data rw - autofs systemd-1 rw\n3 1 0:51 / /ephi rw - fuse.lxcfs lxcfs rw\n4 1 0:52 / /var/lib/lxcfs rw - fuse.lxcfs lxcfs rw\n`
    const found = storage({ mounts, sysfs: CRYPT, table: AES })
    expect([found.path('/data/ephi').outcome, outcome(found, '/ephi'), outcome(found, '/var/lib/lxcfs')]).toEqual([
      'unknown',
      'unknown',
      'volatile',
    ])
    expect(mountRoots(found).map(({ name }) => name)).toEqual(['“/”', '“/ephi”'])
  })

  test('a data partition that is labelled as one for firmware is judged', () => {
    const lsblk = parseLsblk(
      JSON.stringify({
        blockdevices: [
          { name: 'sdb', kname: 'sdb', 'maj:min': '8:16', parttype: 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b' },
        ],
      }),
    )
    const of = (fsType: string): number =>
      mountRoots(
        readStorage(
          fact(parseMountinfo(`1 0 8:16 / / rw - ${fsType} /dev/sdb rw\n`)),
          fact(parseSysfsBlock(CRYPT)),
          fact(parseSwaps(HEADER)),
          { lsblk, dmTable: unread, zfs: unread, zpool: unread },
        ),
      ).length
    expect([of('ext4'), of('vfat')]).toEqual([1, 0])
  })

  test('a number that was given to another device between two questions shows nothing about it', () => {
    const lsblk = parseLsblk(
      JSON.stringify({
        blockdevices: [
          {
            name: 'nvme9n1',
            kname: 'nvme9n1',
            'maj:min': '8:16',
            tran: 'iscsi',
            children: [{ name: 'root', kname: 'dm-0', 'maj:min': '253:0', type: 'crypt' }],
          },
        ],
      }),
    )
    const sysfs = parseSysfsBlock('/sys/class/block/sdb/dev:8:16\n/sys/class/block/dm-0/dev:253:0')
    const { devices } = blockGraph(sysfs, lsblk)
    expect([devices.get('8:16')?.transport, devices.get('253:0')?.type]).toEqual(['', 'crypt'])
  })

  test('a list of swap areas that something else shows is not the kernel’s', () => {
    const mounts = `${ROOT}2 1 0:4 / /proc rw - proc proc rw\n3 2 0:60 /proc/swaps /proc/swaps rw - fuse.lxcfs lxcfs rw\n4 1 0:9 / /tmp rw - tmpfs tmpfs rw\n`
    const found = storage({ mounts, sysfs: CRYPT, table: AES })
    expect(swapRoots(found).map(({ walked }) => walked.outcome)).toEqual(['unknown'])
    expect(outcome(found, '/tmp')).toBe('unknown')
  })

  test('cycles end in unknown', () => {
    const sysfs =
      '/sys/class/block/dm-0/dev:253:0\n/sys/class/block/md0/dev:9:0\n/sys/block/dm-0/dm/name:root\n/sys/block/dm-0/dm/uuid:LVM-1\n/sys/block/dm-0/slaves/md0/dev:9:0\n/sys/block/md0/slaves/dm-0/dev:253:0'
    expect(outcome(storage({ mounts: ROOT, sysfs }), '/')).toBe('unknown')
    const overlay = storage({
      mounts: `${ROOT}2 1 0:9 / /o rw - overlay o rw,upperdir=/o/u,workdir=/o/w\n`,
      sysfs: CRYPT,
      table: AES,
    })
    expect(outcome(overlay, '/o')).toBe('unknown')
  })

  test('a deep stack ends at 64 layers, a doubled one in good time', () => {
    const layers = (count: number, width: number): string =>
      Array.from({ length: count }, (_, at) =>
        Array.from({ length: width }, (__, side) => [
          `/sys/class/block/md${at * width + side}/dev:9:${at * width + side}`,
          ...Array.from(
            { length: width },
            (___, below) => `/sys/block/md${at * width + side}/slaves/md${(at + 1) * width + below}/dev:9:0`,
          ),
        ]).flat(),
      )
        .flat()
        .join('\n')
    const mounts = '1 0 9:0 / / rw - ext4 /dev/md0 rw\n'
    expect(outcome(storage({ mounts, sysfs: layers(200, 1) }), '/')).toBe('unknown')
    expect(outcome(storage({ mounts, sysfs: layers(60, 2) }), '/')).toBe('unknown')
  })

  test('any graph: the walk ends, and never credits a device that no table covers', () => {
    const edges = fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 60 })
    fc.assert(
      fc.property(edges, fc.boolean(), (pairs, shownAsDm) => {
        const sysfs = [
          ...Array.from({ length: 13 }, (_, at) => `/sys/class/block/dm-${at}/dev:253:${at}`),
          ...pairs.map(([above, below]) => `/sys/block/dm-${above}/slaves/dm-${below}/dev:253:${below}`),
          ...(shownAsDm ? Array.from({ length: 13 }, (_, at) => `/sys/block/dm-${at}/dm/uuid:CRYPT-LUKS2-${at}`) : []),
        ].join('\n')
        expect(['encrypted', 'volatile']).not.toContain(outcome(storage({ mounts: ROOT, sysfs }), '/'))
      }),
    )
  })
})

describe('ciphers', () => {
  test.each([
    ['aes-xts-plain64', 64, 'sound'],
    ['aes-xts-plain64', 32, 'sound'],
    ['capi:xts(aes)-plain64', 64, 'sound'],
    ['capi:authenc(hmac(sha256),xts(aes))-plain64', 96, 'sound'],
    ['capi:gcm(aes)-random', 32, 'sound'],
    ['serpent-xts-plain64', 64, 'unapproved'],
    ['aes-xts-plain64', 48, 'weak'],
    ['aes-xts-plain64', 16, 'broken'],
    ['aes-xts-plain', 64, 'weak'],
    ['aes-xts-plain64', null, 'weak'],
    ['aes-cbc-essiv:sha256', 32, 'weak'],
    ['aes-cbc-plain', 32, 'broken'],
    ['aes-cbc-plain64', 32, 'broken'],
    ['aes-cbc-tcw', 48, 'weak'],
    ['aes-ecb', 32, 'broken'],
    ['des3_ede-cbc-plain', 24, 'broken'],
    ['xchacha12,aes-adiantum-plain64', 32, 'unapproved'],
    ['capi:adiantum(xchacha20,aes)-plain64', 32, 'unapproved'],
    ['capi:rfc7539(chacha20,poly1305)-random', 32, 'unapproved'],
    ['capi:aegis128-random', 16, 'unapproved'],
    ['made-up-thing', 64, 'weak'],
    ['', null, 'weak'],
    ['aes-xts-plain64', 0, 'none'],
    ['cipher_null-ecb', 0, 'none'],
    ['capi:authenc(hmac(sha256),ecb(cipher_null))-plain', 32, 'none'],
  ])('%s with %s bytes is %s', (cipher, bytes, strength) => expect(gradeCipher(cipher, bytes).strength).toBe(strength))
})

const LAB = fileURLToPath(new URL('../../../shared/corpus-storage/', import.meta.url))

describe.skipIf(!existsSync(LAB))('the captured storage host (skipped where the captures are absent)', () => {
  const read = (who: string, file: string): string => readFileSync(`${LAB}${who}/${file}`, 'utf8')
  const lab = (who: 'root' | 'user'): Storage => {
    const lsblk = parseLsblk(read(who, 'lsblk.json'))
    const image = JSON.parse(read(who, 'losetup.json')) as { loopdevices: { 'back-file': string }[] }
    // Its listing of device-mapper devices, in the form that our command gives.
    const dm = read(who, 'sysdm')
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [path = '', name = '', uuid = '', slaves = ''] = line.split(' ')
        const device = path.replace(/\/dm$/, '')
        const below = slaves
          .replace('slaves=', '')
          .split(',')
          .filter((slave) => slave !== '')
        return [
          `${device}/dm/name:${name}`,
          `${device}/dm/uuid:${uuid}`,
          ...below.map((slave) => `${device}/slaves/${slave}/dev:0:0`),
        ]
      })
    const sysfs = [...dm, `/sys/block/loop0/loop/backing_file:${image.loopdevices[0]?.['back-file']}`].join('\n')
    return readStorage(
      fact(parseMountinfo(read(who, 'mountinfo'))),
      fact(parseSysfsBlock(sysfs)),
      fact(parseSwaps(read(who, 'swaps'))),
      {
        lsblk,
        dmTable: who === 'root' ? parseDmTable(read(who, 'dmtable')) : unread,
        zfs: unread,
        zpool: unread,
      },
    )
  }
  const named = (found: Storage, name: string): string => {
    const number = found.graph.mappers.get(name)
    return number === undefined ? 'absent' : found.device(number).outcome
  }

  test.each(['root', 'user'] as const)('%s: everything plain is found', (who) => {
    const found = lab(who)
    for (const point of ['/scratch', '/opt', '/scratch/m']) expect(outcome(found, point), point).toBe('exposed')
    expect(found.swap('/scratch/swapfile', 'file').outcome).toBe('exposed')
    expect(found.path('/scratch/img').outcome).toBe('exposed')
    expect(found.mount(mountOf(found, '/srv/loop')).path.join(' → ')).toMatch(/loop0.* → \/scratch \(ext4\) → nvme0n1/)
  })

  test('root: the cipher decides', () => {
    const found = lab('root')
    expect(
      Object.fromEntries(
        ['cr_md0', 'cr_old', 'cr_swap', 'cr_int', 'cr_int_dif', 'cr_null', 'cr_loop'].map((name) => [
          name,
          named(found, name),
        ]),
      ),
    ).toEqual({
      cr_md0: 'encrypted',
      cr_old: 'encrypted',
      cr_swap: 'encrypted',
      cr_int: 'encrypted',
      cr_loop: 'encrypted',
      cr_int_dif: 'exposed',
      cr_null: 'exposed',
    })
    for (const point of ['/srv/data', '/srv/old', '/srv/loop']) expect(outcome(found, point), point).toBe('encrypted')
  })

  test('user: a layer is seen, its cipher is not', () => {
    const found = lab('user')
    for (const point of ['/srv/data', '/srv/old', '/srv/loop'])
      expect(outcome(found, point), point).toBe('layer-present-cipher-unverified')
    expect(named(found, 'cr_int_dif')).toBe('exposed')
  })
})

test('a graph without any view is empty, not wrong', () => {
  const graph = blockGraph(unread, unread)
  expect(graph.devices.size).toBe(0)
  const walker = storageWalker({ mounts: [], graph, swaps: unread, dmTable: unread, zfs: unread, zpool: unread })
  expect(walker.path('/x').outcome).toBe('unknown')
  expect(walker.device('8:0').outcome).toBe('unknown')
})

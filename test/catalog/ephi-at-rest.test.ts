import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseDmTable,
  parseLsblk,
  parseSwaps,
  parseSysfsBlock,
} from '../../main/catalog/data-protection/block-devices/index.ts'
import { parseZfs } from '../../main/catalog/data-protection/block-devices/zfs.ts'
import {
  encryptionAtRestOtherMounts,
  encryptionAtRestScratch,
} from '../../main/catalog/data-protection/disk-encryption/index.ts'
import {
  encryptionAtRestEphiPaths,
  inventoryEphiPaths,
  parseWorkingDirectories,
} from '../../main/catalog/data-protection/ephi/paths.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { type Check, type Conclusion, conclude } from '../../main/core/rules/check.ts'
import { BASELINE } from '../support/baseline.ts'
import { FIXTURE_TIME, fixtureRecording } from '../support/fixtures.ts'

/** Declared paths and the layers they lie on; forms after proc_pid_mountinfo(5), dmsetup(8) and Documentation/ABI/testing/sysfs-block. */

const KEY = '0'.repeat(128)
// dm-0 “vault” encrypts sda, dm-1 “null” pretends to encrypt sdc; sdb is open.
const SYSFS = [
  '/sys/class/block/sda/dev:8:0',
  '/sys/class/block/sdb/dev:8:16',
  '/sys/class/block/sdc/dev:8:32',
  '/sys/class/block/loop0/dev:7:0',
  '/sys/block/loop0/loop/backing_file:/open/image.img',
  ...[
    ['dm-0', 'sda', 'vault', '253:0'],
    ['dm-1', 'sdc', 'null', '253:1'],
  ].flatMap(([dm, below, name, number]) => [
    `/sys/class/block/${dm}/dev:${number}`,
    `/sys/block/${dm}/slaves/${below}/dev:8:0`,
    `/sys/block/${dm}/dm/name:${name}`,
    `/sys/block/${dm}/dm/uuid:CRYPT-LUKS2-1-${name}`,
  ]),
].join('\n')
const TABLE = `vault: 0 8 crypt aes-xts-plain64 ${KEY} 0 8:0 0\nnull: 0 8 crypt cipher_null-ecb - 0 8:32 0\n`
const SWAPS = 'Filename Type Size Used Priority\n'

const row = (id: number, device: string, point: string, type: string, source: string, from = '/', options = 'rw') =>
  `${id} ${id === 1 ? 0 : 1} ${device} ${from} ${point} rw - ${type} ${source} ${options}\n`
const ROOT = row(1, '253:0', '/', 'ext4', '/dev/mapper/vault')
const OPEN = row(2, '8:16', '/open', 'ext4', '/dev/sdb')

function judge(
  check: Check,
  mounts: string,
  ephiPaths: readonly string[] | undefined,
  given: Readonly<Record<string, Parsed<unknown>>> = {},
): Conclusion {
  const readings = new Map<string, Parsed<unknown>>(
    Object.entries({
      'storage.mounts': parseMountinfo(mounts),
      'storage.block-devices': parseSysfsBlock(SYSFS),
      'storage.swaps': parseSwaps(SWAPS),
      'storage.dm-table': parseDmTable(TABLE),
      'storage.working-directories': parseWorkingDirectories('/:\ndata\nopt\nvar\n\n/var:\n\n/var/lib:\n', ''),
      ...given,
    }),
  )
  const { ephiPaths: _, ...node } = fixtureRecording('demo-gpu-01', []).recording.node
  return conclude(check, readings, {
    node: ephiPaths === undefined ? node : { ...node, ephiPaths },
    asOf: FIXTURE_TIME,
    observedAt: FIXTURE_TIME,
    thresholds: BASELINE,
  })
}

const paths = (...input: Parameters<typeof judge> extends [unknown, ...infer R] ? R : never): Conclusion =>
  judge(encryptionAtRestEphiPaths, ...input)
const others = (...input: Parameters<typeof judge> extends [unknown, ...infer R] ? R : never): Conclusion =>
  judge(encryptionAtRestOtherMounts, ...input)
const textOf = ({ observations }: Conclusion): string =>
  observations.map(({ direction, text }) => `${direction}: ${text}`).join('\n')

describe('a declared ePHI path', () => {
  test.each<[string, string, string, string]>([
    ['on an encrypting layer', row(2, '253:0', '/data', 'ext4', '/dev/mapper/vault'), '/data/ephi', 'satisfied'],
    ['that is the mount point itself, with a slash at its end', OPEN, '/open/', 'not-satisfied'],
    ['on an open drive', OPEN, '/open/ephi', 'not-satisfied'],
    ['held by the root alone', OPEN, '/data/ephi', 'satisfied'],
    [
      'of a longer mount point',
      OPEN + row(3, '253:0', '/open/ephi', 'ext4', '/dev/mapper/vault').replace('3 1', '3 2'),
      '/open/ephi',
      'satisfied',
    ],
    [
      'that only begins with the letters of a mount point',
      row(2, '8:16', '/data', 'ext4', '/dev/sdb'),
      '/database',
      'inconclusive',
    ],
    ['with doubled slashes and dots', OPEN, '//open/./ephi', 'not-satisfied'],
    ['with two dots, which may pass a link', OPEN, '/data/../open', 'inconclusive'],
    [
      'on a bind mount of an open file system',
      OPEN + row(3, '8:16', '/data', 'ext4', '/dev/sdb', '/folder'),
      '/data',
      'not-satisfied',
    ],
    ['on a layer with the null cipher', row(2, '253:1', '/data', 'ext4', '/dev/mapper/null'), '/data', 'not-satisfied'],
    [
      'on an overlay whose upper directory is open',
      OPEN + row(3, '0:50', '/data', 'overlay', 'overlay', '/', 'rw,lowerdir=/usr,upperdir=/open/u,workdir=/open/w'),
      '/data',
      'not-satisfied',
    ],
    [
      'on an overlay whose upper directory is covered',
      row(3, '0:50', '/data', 'overlay', 'overlay', '/', 'rw,lowerdir=/usr,upperdir=/var/u,workdir=/var/w'),
      '/data',
      'satisfied',
    ],
    [
      'in an image file on an open drive',
      OPEN + row(3, '7:0', '/data', 'ext4', '/dev/loop0'),
      '/data',
      'not-satisfied',
    ],
    ['in memory without swap', row(2, '0:30', '/data', 'tmpfs', 'tmpfs'), '/data', 'satisfied'],
    ['in memory that is never swapped', row(2, '0:30', '/data', 'ramfs', 'ramfs'), '/data', 'satisfied'],
    ['on an interface of the kernel', row(2, '0:30', '/proc', 'proc', 'proc'), '/proc/x', 'inconclusive'],
    ['on a network mount', row(2, '0:40', '/data', 'nfs4', 'files.example:/x'), '/data/ephi', 'inconclusive'],
    [
      'where something is mounted on first use',
      row(2, '0:40', '/data', 'autofs', 'systemd-1'),
      '/data/ephi',
      'inconclusive',
    ],
    ['on a kind of file system that is not known', row(2, '0:40', '/data', 'newfs', 'x'), '/data/ephi', 'inconclusive'],
    ['on ZFS that was not read', row(2, '0:40', '/data', 'zfs', 'tank/data'), '/data/ephi', 'inconclusive'],
    ['whose first folder is not there', '', '/dta/ephi', 'inconclusive'],
    ['whose first folder is hidden', '', '/.ephi', 'inconclusive'],
    ['that is a link by convention', row(2, '0:30', '/run', 'tmpfs', 'tmpfs'), '/var/run/ephi', 'inconclusive'],
    [
      'below a folder that is mostly a link and here a mount',
      row(2, '8:16', '/var/run', 'ext4', '/dev/sdb'),
      '/var/run/ephi',
      'not-satisfied',
    ],
    ['that is everything, with a boot partition', row(2, '8:16', '/boot', 'ext4', '/dev/sdb'), '/', 'satisfied'],
    ['that is the boot partition', row(2, '8:16', '/boot', 'ext4', '/dev/sdb'), '/boot/ephi', 'not-satisfied'],
    [
      'with an open mount below it',
      row(2, '8:16', '/data/ephi/new', 'ext4', '/dev/sdb'),
      '/data/ephi',
      'not-satisfied',
    ],
    ['with a network mount below it', row(2, '0:40', '/data/ephi/far', 'nfs', 's:/x'), '/data/ephi', 'inconclusive'],
  ])('%s', (_, mounts, path, expected) => expect(paths(ROOT + mounts, [path]).verdict).toBe(expected))

  test('the worst of several decides, and path, mount and device are named', () => {
    const found = paths(ROOT + OPEN, ['/data', '/open/ephi'])
    expect(found.verdict).toBe('not-satisfied')
    expect(textOf(found)).toMatch(
      /contradicts: Declared ePHI path “\/open\/ephi” on the mount “\/open” of “\/dev\/sdb”: .*sdb/,
    )
  })

  test('a network mount is called a flow, and the check of flows is named', () =>
    expect(textOf(paths(ROOT + row(2, '0:40', '/data', 'cifs', '//s/x'), ['/data']))).toContain(
      'that is a flow, which encryption.in-transit.ephi-flows tests',
    ))

  test('memory is as closed as swap is', () => {
    const mounts = ROOT + row(2, '0:30', '/data', 'tmpfs', 'tmpfs')
    const swap = (line: string) => ({ 'storage.swaps': parseSwaps(`${SWAPS}${line}`) })
    expect(textOf(paths(mounts, ['/data']))).toContain('it is in memory, and there is no swap')
    expect(paths(mounts, ['/data'], swap('/dev/dm-0 partition 1 0 -2\n')).verdict).toBe('satisfied')
    expect(paths(mounts, ['/data'], swap('/dev/sdb partition 1 0 -2\n')).verdict).toBe('not-satisfied')
  })

  test('ZFS counts by its data set', () => {
    const mounts = ROOT + row(2, '0:40', '/data', 'zfs', 'tank/data')
    const zfs = (cipher: string, key: string) => ({
      'storage.zfs': parseZfs(`tank/data\tencryption\t${cipher}\ntank/data\tkeystatus\t${key}\n`),
    })
    expect(paths(mounts, ['/data'], zfs('aes-256-gcm', 'available')).verdict).toBe('satisfied')
    expect(paths(mounts, ['/data'], zfs('aes-256-gcm', 'unavailable')).verdict).toBe('inconclusive')
  })

  test('a layer whose cipher was not read leaves it open', () =>
    expect(paths(ROOT, ['/data'], { 'storage.dm-table': unknown('not read') }).verdict).toBe('inconclusive'))

  test('without a list of folders the root does not show that a path exists', () => {
    const unread = { 'storage.working-directories': unknown('not read') }
    expect(paths(ROOT, ['/data/ephi'], unread).verdict).toBe('inconclusive')
    const empty = { 'storage.working-directories': parseWorkingDirectories('/:\n\n/var/lib:\n', '') }
    expect(paths(ROOT, ['/data/ephi'], empty).verdict).toBe('inconclusive')
    expect(paths(ROOT + row(2, '253:0', '/data', 'ext4', '/dev/mapper/vault'), ['/data/ephi'], unread).verdict).toBe(
      'satisfied',
    )
  })
})

describe('a folder at the top that is a symbolic link', () => {
  // As ls(1) of coreutils 9.1 prints it with -p for “ln -s /open/data /data” and “ln -s /open/docker /var/lib/docker”.
  const listing = (data: string, docker: string) => ({
    'storage.working-directories': parseWorkingDirectories(
      `/:\nbin\n${data}\nopen/\nopt/\nvar/\n\n/var:\nlib/\nlock\n\n/var/lib:\n${docker}\n`,
      '',
    ),
  })
  const link = listing('data', 'docker')
  const folder = listing('data/', 'docker/')

  test('leads elsewhere than the file system that it is in', () => {
    expect(paths(ROOT + OPEN, ['/data/ephi'], link).verdict).toBe('inconclusive')
    expect(textOf(paths(ROOT + OPEN, ['/data/ephi'], link))).toContain(
      '“/data” is a symbolic link or a file, and links are not resolved',
    )
    expect(paths(ROOT + OPEN, ['/data/ephi'], folder).verdict).toBe('satisfied')
    expect(paths(ROOT + OPEN, ['/var/lib/docker/volumes'], link).verdict).toBe('inconclusive')
    expect(paths(ROOT + OPEN, ['/var/lib/docker/volumes'], folder).verdict).toBe('satisfied')
    expect(judge(inventoryEphiPaths, ROOT + OPEN, ['/data/ephi'], link).verdict).toBe('inconclusive')
  })

  test('may lead to encrypted storage where the root is not', () => {
    const open = row(1, '8:16', '/', 'ext4', '/dev/sdb')
    expect(paths(open, ['/data/ephi'], link).verdict).toBe('inconclusive')
    expect(paths(open, ['/data/ephi'], folder).verdict).toBe('not-satisfied')
  })

  test('is none where something is mounted', () =>
    expect(
      paths(`${ROOT}${OPEN}${row(3, '253:0', '/data', 'ext4', '/dev/mapper/vault')}`, ['/data'], link).verdict,
    ).toBe('satisfied'))

  test('takes no mount out of the others', () => {
    const open = row(1, '8:16', '/', 'ext4', '/dev/sdb')
    expect(others(open, ['/data/ephi'], link).verdict).toBe('not-satisfied')
    expect(others(open, ['/data/ephi'], folder).verdict).toBe('not-applicable')
  })

  test('of containers and scratch leaves the result open', () => {
    const scratch = (given: Readonly<Record<string, Parsed<unknown>>>) =>
      judge(encryptionAtRestScratch, ROOT + OPEN, undefined, given)
    expect(scratch(link).verdict).toBe('inconclusive')
    expect(textOf(scratch(link))).toContain(
      'unclear: Symbolic links or files, which were not followed: “/var/lib/docker”.',
    )
    expect(scratch(folder).verdict).toBe('satisfied')
    const names = '/:\nfast\nvar/\n\n/var:\nlib/\n\n/var/lib:\n'
    const engine = parseWorkingDirectories(names, '/etc/docker/daemon.json:"data-root": "/fast/docker"\n')
    expect(scratch({ 'storage.working-directories': engine }).verdict).toBe('inconclusive')
  })

  test('is not distinguished in a list without types, as earlier recordings have it', () =>
    expect(paths(ROOT + OPEN, ['/data/ephi']).verdict).toBe('satisfied'))
})

describe('no declared ePHI path', () => {
  test.each<[string, string, string]>([
    ['every persistent mount is covered', row(2, '8:16', '/boot', 'ext4', '/dev/sdb'), 'satisfied'],
    ['one is not', OPEN, 'inconclusive'],
    ['one is on another system', row(2, '0:40', '/mnt', 'nfs', 's:/x'), 'inconclusive'],
  ])('%s', (_, mounts, expected) => {
    for (const declared of [undefined, []]) expect(paths(ROOT + mounts, declared).verdict).toBe(expected)
  })

  test('the reasons state what was tested, or what settles it', () => {
    expect(textOf(paths(ROOT, undefined))).toMatch(
      /^supports: No ePHI path is declared .* every persistent mount .* was tested/,
    )
    const open = textOf(paths(ROOT + OPEN, undefined))
    expect(open).toContain('Declare which paths hold ePHI')
    expect(open).not.toContain('against:')
  })

  test('the EFI partition is not asked for, by its type', () => {
    const lsblk = (type: string) => ({
      'storage.lsblk': parseLsblk(
        JSON.stringify({
          blockdevices: [{ name: 'sdb', kname: 'sdb', 'maj:min': '8:16', type: 'part', parttype: type }],
        }),
      ),
    })
    const mounts = ROOT + row(2, '8:16', '/esp', 'vfat', '/dev/sdb')
    expect(paths(mounts, undefined, lsblk('c12a7328-f81f-11d2-ba4b-00a0c93ec93b')).verdict).toBe('satisfied')
    expect(paths(mounts, undefined, lsblk('0fc63daf-8483-4772-8e79-3d69d8477de4')).verdict).toBe('inconclusive')
  })

  test('memory counts where a node has nothing else', () => {
    const mounts = row(1, '0:30', '/', 'tmpfs', 'tmpfs')
    expect(textOf(paths(mounts, undefined))).toContain('it has no persistent mount')
    const swap = { 'storage.swaps': parseSwaps(`${SWAPS}/dev/sdb partition 1 0 -2\n`) }
    expect(paths(mounts, undefined, swap).verdict).toBe('inconclusive')
    expect(paths(row(1, '0:30', '/', 'ramfs', 'none'), undefined).verdict).toBe('inconclusive')
  })
})

describe('mounts outside the declared paths', () => {
  const SNAP = row(5, '7:9', '/snap/core/1', 'squashfs', '/dev/loop9', '/', 'ro')
  test.each<[string, string, readonly string[], string]>([
    ['an open one', OPEN, ['/data'], 'not-satisfied'],
    ['an open one that is declared is not judged twice', OPEN, ['/open/ephi'], 'satisfied'],
    ['an open one below a declared path', OPEN, ['/open', '/data'], 'not-applicable'],
    ['covered ones', row(2, '253:0', '/srv', 'ext4', '/dev/mapper/vault'), ['/data'], 'satisfied'],
    ['one on another system', row(2, '0:40', '/mnt', 'nfs', 's:/x'), [], 'inconclusive'],
    [
      'boot, EFI, images and memory only',
      SNAP + row(2, '8:16', '/boot', 'ext4', '/dev/sdb') + row(3, '0:30', '/tmp', 'tmpfs', 'tmpfs'),
      ['/data'],
      'not-applicable',
    ],
    [
      'memory that an open swap area may take is for the check of swap',
      row(3, '0:30', '/tmp', 'tmpfs', 'tmpfs'),
      [],
      'satisfied',
    ],
    ['all of them, where nothing is declared', OPEN, [], 'not-satisfied'],
  ])('%s', (_, mounts, declared, expected) => expect(others(ROOT + mounts, declared).verdict).toBe(expected))

  test('a path whose mount is not known takes no mount out', () =>
    expect(others(ROOT + OPEN, ['/data/../open']).verdict).toBe('not-satisfied'))
})

test('a path below /var/run has no mount that the inventory could name', () => {
  const found = judge(inventoryEphiPaths, ROOT + row(2, '0:30', '/run', 'tmpfs', 'tmpfs'), ['/var/run/ephi'])
  expect([found.verdict, textOf(found)]).toEqual([
    'inconclusive',
    expect.stringContaining('symbolic link by convention'),
  ])
})

describe('any declaration over any mount table', () => {
  const name = fc.constantFrom('data', 'open', 'var', 'run', '..', '.', '', 'ephi', '\u202e', 'x'.repeat(300))
  const path = fc.array(name, { maxLength: 5 }).map((names) => `/${names.join('/')}`)
  const mount = fc.record({
    point: path,
    type: fc.constantFrom('ext4', 'tmpfs', 'nfs4', 'overlay', 'autofs', 'zfs', 'proc', 'vfat', 'squashfs', 'newfs'),
    device: fc.constantFrom('253:0', '8:16', '0:40', '9:9'),
    source: fc.constantFrom('/dev/mapper/vault', '/dev/sdb', 's:/x', 'none'),
  })
  const table = fc
    .array(mount, { maxLength: 6 })
    .map(
      (rows) =>
        ROOT + rows.map(({ point, type, device, source }, at) => row(at + 2, device, point, type, source)).join(''),
    )

  test('met rests on nothing but steps for it, and taking evidence away never gives it', () =>
    fc.assert(
      fc.property(table, fc.array(path, { maxLength: 3 }), (mounts, declared) => {
        for (const check of [encryptionAtRestEphiPaths, encryptionAtRestOtherMounts]) {
          const before = judge(check, mounts, declared)
          if (before.verdict === 'satisfied') continue
          for (const probe of Object.values({ ...check.requires, ...check.optional }))
            expect(judge(check, mounts, declared, { [probe.id]: unknown('not read') }).verdict).not.toBe('satisfied')
        }
      }),
      { numRuns: 60 },
    ))

  test('any text as a mount table is refused or judged, never thrown at', () =>
    fc.assert(
      fc.property(
        fc.string({ maxLength: 300 }),
        fc.array(fc.string({ maxLength: 60 }), { maxLength: 3 }),
        (text, declared) => {
          for (const check of [encryptionAtRestEphiPaths, encryptionAtRestOtherMounts]) {
            judge(check, text, declared)
            judge(check, ROOT + OPEN, declared)
          }
        },
      ),
      { numRuns: 60 },
    ))
})

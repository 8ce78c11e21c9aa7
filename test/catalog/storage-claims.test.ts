import { describe, expect, test } from 'vitest'
import {
  parseDmTable,
  parseLsblk,
  parseSwaps,
  parseSysfsBlock,
} from '../../main/catalog/data-protection/block-devices/index.ts'
import { parseZfs } from '../../main/catalog/data-protection/block-devices/zfs.ts'
import { gradeCipher } from '../../main/catalog/data-protection/disk-encryption/grades.ts'
import { encryptionAtRestCipher } from '../../main/catalog/data-protection/disk-encryption/index.ts'
import { encryptionAtRestKeyCustody } from '../../main/catalog/data-protection/disk-encryption/key-custody.ts'
import { inventoryEphiPaths } from '../../main/catalog/data-protection/ephi/paths.ts'
import { parseListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { lifecycleFirstUseState } from '../../main/catalog/hardware/drives/first-use.ts'
import { parseZfsStatus } from '../../main/catalog/hardware/storage-integrity/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { type Check, conclude } from '../../main/core/rules/check.ts'
import { fact } from '../support/answers.ts'
import { BASELINE } from '../support/baseline.ts'
import { FIXTURE_TIME, fixtureRecording } from '../support/fixtures.ts'

/** What a check says beyond what its evidence holds; forms after proc_pid_mountinfo(5), dmsetup(8) and zpool-status(8). */

const DISK = '/sys/class/block/sda/dev:8:0\n'
const DM = `${DISK}/sys/class/block/dm-0/dev:253:0\n/sys/block/dm-0/slaves/sda/dev:8:0\n/sys/block/dm-0/dm/name:root\n`
const ROOT = '1 0 8:0 / / rw - ext4 /dev/sda rw\n'

function concluded(check: Check, given: Readonly<Record<string, Parsed<unknown>>>, ephiPaths: readonly string[] = []) {
  const readings = new Map(
    Object.entries({
      'storage.mounts': parseMountinfo(ROOT),
      'storage.block-devices': parseSysfsBlock(DISK),
      'storage.swaps': parseSwaps('Filename Type Size Used Priority\n'),
      'storage.crypttab': known({ entries: [], present: false }),
      ...given,
    }),
  )
  const node = { ...fixtureRecording('demo-gpu-01', []).recording.node, ephiPaths }
  return conclude(check, readings, { node, asOf: FIXTURE_TIME, observedAt: FIXTURE_TIME, thresholds: BASELINE })
}

describe('the cipher', () => {
  const table = parseDmTable('No devices found\n')
  test('an open layer that the table does not list leaves it open', () => {
    const devices = parseSysfsBlock(`${DM}/sys/block/dm-0/dm/uuid:CRYPT-LUKS2-1-root`)
    const of = (sysfs: Parsed<unknown>): string =>
      concluded(encryptionAtRestCipher, { 'storage.dm-table': table, 'storage.block-devices': sysfs }).verdict
    expect([of(devices), of(parseSysfsBlock(DISK))]).toEqual(['inconclusive', 'not-applicable'])
  })

  test('files that a program encrypts leave it open', () => {
    const mounts = parseMountinfo(`${ROOT}2 1 0:50 / /m rw - fuse.gocryptfs /c rw\n`)
    expect(concluded(encryptionAtRestCipher, { 'storage.dm-table': table, 'storage.mounts': mounts }).verdict).toBe(
      'inconclusive',
    )
  })

  test('a counter that is called null is not the null cipher', () => {
    expect(gradeCipher('aes-cbc-null', 32).strength).toBe('broken')
    expect(gradeCipher('cipher_null-ecb', 0).strength).toBe('none')
  })
})

describe('where keys lie', () => {
  const verdict = (given: Readonly<Record<string, Parsed<unknown>>>): string =>
    concluded(encryptionAtRestKeyCustody, given).verdict

  test('nothing is out of question while a layer was not read', () => {
    const devices = parseSysfsBlock(`${DM}/sys/block/dm-0/dm/uuid:`)
    expect(verdict({})).toBe('not-applicable')
    expect(verdict({ 'storage.block-devices': devices })).toBe('inconclusive')
    const table = parseDmTable('root: 0 8 linear 8:0 0\n')
    expect(verdict({ 'storage.block-devices': devices, 'storage.dm-table': table })).toBe('not-applicable')
  })

  test('ZFS keeps keys, too', () => {
    const zfs = parseZfs('tank\tencryption\taes-256-gcm\ntank\tkeystatus\tavailable\n')
    expect(verdict({ 'storage.zfs': zfs })).toBe('inconclusive')
    expect(verdict({ 'storage.mounts': parseMountinfo(`${ROOT}2 1 0:50 / /t rw - zfs tank rw\n`) })).toBe(
      'inconclusive',
    )
  })
})

describe('declared paths', () => {
  const of = (rows: string): readonly (readonly [string, string])[] =>
    concluded(inventoryEphiPaths, { 'storage.mounts': parseMountinfo(ROOT + rows) }, ['/data']).observations.map(
      ({ direction, text }) => [direction, text],
    )

  test('mounts below a declared path are part of it', () => {
    const said = of(
      '2 1 8:0 / /data rw - ext4 a rw\n3 2 0:9 / /data/work rw - tmpfs tmpfs rw\n4 1 0:9 / /database rw - tmpfs t rw\n',
    )
    expect(said.map(([says]) => says)).toEqual(['supports', 'contradicts'])
    expect(said[1]?.[1]).toContain('“/data/work”')
  })

  test('another system is named, or not credited', () => {
    expect(of('2 1 0:50 / /data rw - nfs4 files.example:/x rw\n')[0]).toEqual([
      'supports',
      expect.stringContaining('“files.example:/x”'),
    ])
    expect(of('2 1 0:50 / /data rw - fuse.s3fs s3fs rw\n').map(([says]) => says)).toEqual(['unclear'])
  })

  test('memory that swap can open is memory all the same', () => {
    const mounts = parseMountinfo(`${ROOT}2 1 0:9 / /data rw - tmpfs t rw\n`)
    const swaps = parseSwaps('Filename Type Size Used Priority\n/dev/sda partition 1 0 -2\n')
    const given = { 'storage.mounts': mounts, 'storage.swaps': swaps }
    expect(concluded(inventoryEphiPaths, given, ['/data']).verdict).toBe('not-satisfied')
  })

  test('a place where something is mounted on use is not called memory', () =>
    expect(of('2 1 0:50 / /data rw - autofs systemd-1 rw\n').map(([says]) => says)).toEqual(['unclear']))
})

test('a listing without signatures shows nothing about what is on drives', () => {
  const lsblk = parseLsblk('{"blockdevices":[{"name":"sda","maj:min":"8:0"}]}')
  const given = { 'storage.lsblk': lsblk, 'storage.birth': known({ born: new Map(), written: new Map() }) }
  const said = concluded(lifecycleFirstUseState, given).observations.map(({ text }) => text)
  expect(said.join()).toContain('No signature was listed')
})

// The square of a MiB is beyond the limit of a test.
describe('answers made to cost time', () => {
  test('a state of pools that is mostly empty lines', () =>
    void parseZfsStatus(`  pool: a\n state: ONLINE\nerrors: x\n${'\n'.repeat(1 << 20)}y`))
  test('a socket in a line of blanks', () => {
    const line = `tcp LISTEN 0 1 0.0.0.0:1 x${' '.repeat(1 << 20)}x\u2028y`
    expect(parseListeners(line).ok).toBe(false)
  })
})

test('a scrub that repaired something found a difference', () => {
  const pool = (scan: string): boolean | undefined =>
    fact(
      parseZfsStatus(
        `  pool: tank\n state: ONLINE\n  scan: ${scan}\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\nerrors: No known data errors\n`,
      ),
    ).pools[0]?.hasFound
  const day = 'on Sun Nov  8 00:36:35 2026'
  expect(
    [`repaired 0B in 00:12:34 with 0 errors ${day}`, `repaired 0 in 0 days 00:12:34 with 0 errors ${day}`].map((text) =>
      pool(`scrub ${text}`),
    ),
  ).toEqual([false, false])
  expect(
    [`repaired 1.5M in 00:12:34 with 0 errors ${day}`, `repaired 0B in 00:12:34 with 3 errors ${day}`].map((text) =>
      pool(`scrub ${text}`),
    ),
  ).toEqual([true, true])
})

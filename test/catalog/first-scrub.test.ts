import { describe, expect, test } from 'vitest'
import { THRESHOLDS } from '../../main/catalog/base/thresholds.ts'
import { integrityStorageChecksums } from '../../main/catalog/hardware/storage-integrity/index.ts'
import { parseZfsStatus } from '../../main/catalog/hardware/storage-integrity/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { type Context, conclude } from '../../main/core/rules/check.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'

const NOW = 1_796_000_000
const DAY = 86_400
const CONTEXT: Context = {
  node: { name: 'n', address: '192.0.2.1', port: 22, user: 'u', sudo: true },
  asOf: '2026-11-30T00:00:00.000Z',
  observedAt: '2026-11-30T00:00:00.000Z',
  thresholds: thresholdValues(THRESHOLDS, undefined),
}

// OpenZFS 2 prints no line “scan:” for a pool that was never scrubbed.
const POOL = parseZfsStatus(
  '  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n\t  nvme1n1   ONLINE       0     0     0\n\nerrors: No known data errors\n',
)
const mount = (fsType: string) => known({ mounts: [{ point: '/data', fsType }] })
const ZFS: Readonly<Record<string, Parsed<unknown>>> = {
  'storage.mounts': mount('zfs'),
  'storage.checksum-state': known({ arrays: [], btrfs: [] }),
  'storage.zfs-status': POOL,
}
const BTRFS: Readonly<Record<string, Parsed<unknown>>> = {
  'storage.mounts': mount('btrfs'),
  'storage.checksum-state': known({ arrays: [], btrfs: [{ id: 'aa-bb', errors: 0 }] }),
  'storage.btrfs-scrubs': known({ scrubs: [] }),
  'storage.zfs-status': known({ pools: [] }),
}

/** `bornDaysAgo`: when the root file system was made; null where its file system keeps no date, undefined where it was not read. */
function verdictOf(facts: Readonly<Record<string, Parsed<unknown>>>, bornDaysAgo: number | null | undefined): string {
  const born = bornDaysAgo === null ? null : NOW - (bornDaysAgo ?? 0) * DAY
  const readings = new Map<string, Parsed<unknown>>(Object.entries(facts))
  readings.set('time.now', known({ seconds: NOW, zone: { minutes: 0, name: 'UTC' } }))
  readings.set('storage.dm-integrity', known({ layers: [] }))
  if (bornDaysAgo !== undefined)
    readings.set('storage.birth', known({ born: new Map([['/', born]]), written: new Map() }))
  return conclude(integrityStorageChecksums, readings, CONTEXT).verdict
}

describe('storage that was never scrubbed', () => {
  test.each([
    ['ZFS', ZFS],
    ['btrfs', BTRFS],
  ])('%s: its first scrub is not due on a system that is younger than the limit', (_, facts) => {
    expect(verdictOf(facts, 10)).toBe('inconclusive')
    expect(verdictOf(facts, 35)).toBe('inconclusive')
    expect(verdictOf(facts, 36)).toBe('not-satisfied')
    expect(verdictOf(facts, -3)).toBe('not-satisfied')
    expect(verdictOf(facts, null)).toBe('not-satisfied')
    expect(verdictOf(facts, undefined)).toBe('not-satisfied')
  })
})

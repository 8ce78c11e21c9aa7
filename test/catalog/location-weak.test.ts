import { describe, expect, test } from 'vitest'
import { cloudInit } from '../../main/catalog/access/provider-access/probes.ts'
import { networkListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import { parseMountinfo, storageMounts, storageRemote } from '../../main/catalog/data-protection/mounts/probes.ts'
import { type Disk, inventoryDisks } from '../../main/catalog/hardware/drives/inventory.ts'
import { hostSerials } from '../../main/catalog/hardware/machine/identity.ts'
import { locationSiteRecord } from '../../main/catalog/location/checks.ts'
import { readDelay } from '../../main/catalog/location/discs.ts'
import { locationIpRegistry, locationStorageEndpoints } from '../../main/catalog/location/index.ts'
import type { Found } from '../../main/catalog/location/registry.ts'
import { placeResult } from '../../main/catalog/location/verdict.ts'
import { backupSettings, backupUnits } from '../../main/catalog/operations/backup/probes.ts'
import { nonceEcho } from '../../main/catalog/operations/evidence/probes.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { type Context, conclude } from '../../main/core/rules/check.ts'
import type { AddressDatabase, DeclaredLocation, SiteList } from '../../schemas/types.ts'
import { BASELINE } from '../support/baseline.ts'
import { PLACE, unsignedVantage } from '../support/vantage.ts'

const NOW = '2026-11-20T09:12:00.000Z'
const KEY = `SHA256:${'A'.repeat(43)}`
const OURS = '8.8.8.8'

function contextOf(location: DeclaredLocation, changes: Partial<Context> = {}, address = OURS): Context {
  const place = { name: 'Frankfurt', country: 'DE', latitude: 50.11, longitude: 8.68, radiusKm: 60, declaredBy: 'test' }
  const node = { name: 'n', address, port: 22, user: 'u', sudo: false, location: place }
  return { node, asOf: NOW, observedAt: NOW, hostKey: KEY, thresholds: BASELINE, location, ...changes }
}

const answer = (address: string, country: string): AddressDatabase['answers'][number] => ({
  address,
  network: null,
  country,
  subdivision: null,
  city: null,
  latitude: null,
  longitude: null,
  radiusKm: null,
  asn: null,
  organisation: null,
  level: 'country',
})

const database = (provenance: string, of: Readonly<Record<string, string>>, changes: Partial<AddressDatabase> = {}) =>
  ({
    file: { name: `${provenance}.mmdb`, size: 1, sha256: sha256(provenance) },
    format: 'mmdb',
    type: 'Country',
    provenance: `${provenance} Inc.`,
    builtOn: '2026-11-01',
    families: [4],
    answers: Object.entries(of).map(([address, country]) => answer(address, country)),
    ...changes,
  }) satisfies AddressDatabase

const echo = (remoteAddress: string, tcpMs = 20) =>
  known({
    bursts: [{ at: NOW, nonces: null, samples: [20, 20.1, 20.1, 20.2], wallDriftMs: 0 }],
    warmup: 3,
    mismatches: 0,
    path: { tcpMs, keepaliveMs: [], jumps: 0, remoteAddress },
  })

type Readings = readonly (readonly [{ readonly id: string }, Parsed<unknown>])[]
const readings = (...all: Readings) => new Map(all.map(([{ id }, reading]) => [id, reading]))

describe('databases of addresses', () => {
  const about = (
    databases: readonly AddressDatabase[],
    context = contextOf({ databases: [...databases] }),
    reading = echo(OURS),
    ...more: Readings
  ) => conclude(locationIpRegistry, readings([nonceEcho, reading], ...more), context).verdict
  const a = database('a', { [OURS]: 'DE' })
  const b = database('b', { [OURS]: 'DE' })

  test('two that agree about the address decide, for and against', () => {
    expect(about([a, b])).toBe('satisfied')
    expect(about([database('a', { [OURS]: 'US' }), database('b', { [OURS]: 'US' })])).toBe('not-satisfied')
  })

  test.each<[string, readonly AddressDatabase[]]>([
    ['one file under two names', [a, { ...b, file: a.file }]],
    ['one maker in other letters', [a, { ...b, provenance: ' A  inc.' }]],
    ['two of unknown provenance', [a, b].map((one) => ({ ...one, provenance: one.file.name }))],
    ['one about this address, one about another', [a, database('b', { '9.9.9.9': 'DE' })]],
    ['data of years ago', [a, { ...b, builtOn: '2023-11-01' }]],
    ['data of a day to come', [a, { ...b, builtOn: '2026-11-22' }]],
    ['data of an unknown day', [a, { ...b, builtOn: null }]],
    ['no answer', [a, database('b', {})]],
  ])('%s decide nothing, either way', (_, databases) => {
    expect(about(databases)).toBe('inconclusive')
    const abroad = databases.map((one) => ({
      ...one,
      answers: one.answers.map((said) => ({ ...said, country: 'US' })),
    }))
    expect(about(abroad)).toBe('inconclusive')
  })

  test('an address that the node gave to a socket of its own is none that it was reached by', () => {
    const listening = known({ listeners: [{ protocol: 'tcp', address: OURS, port: 443, process: null }] })
    const context = contextOf({ databases: [a, b] }, {}, '10.0.0.5')
    expect(about([a, b], context, echo('10.0.0.5'), [networkListeners, listening])).toBe('inconclusive')
  })

  test('an address at which something nearer opens the connection may be of that', () => {
    const abroad = [database('a', { [OURS]: 'US' }), database('b', { [OURS]: 'US' })]
    expect(about(abroad, contextOf({ databases: abroad }), echo(OURS, 0.2))).toBe('inconclusive')
    expect(about([a, b], contextOf({ databases: [a, b] }), echo(OURS, 0.2))).toBe('inconclusive')
  })

  test('two about different addresses are one kind of statement', () => {
    const databases = [database('a', { [OURS]: 'DE' }), database('b', { '9.9.9.9': 'DE' })]
    const context = contextOf({ databases })
    const signal = (id: string, kind: Found['class']): Found => ({
      id,
      class: kind,
      hint: false,
      country: 'DE',
      place: null,
      text: '',
      probe: null,
    })
    const region = { kind: 'countries', codes: ['DE'] } as const
    const delay = { discs: [], usable: [{ center: PLACE, radiusKm: 3000 }], bounds: true, notes: [] }
    const of = (...ids: readonly string[]) =>
      placeResult({ region }, delay, [signal('cloud-init', 'E5'), ...ids.map((id) => signal(id, 'E4'))], context)
        .verdict
    expect(of('registry.1', 'registry.2.2')).toBe('uncorroborated')
    expect(of('registry.1', 'registry.2')).toBe('corroborated')
  })
})

const EMPTY_DISK: Disk = {
  name: '',
  path: '',
  model: '',
  serial: '',
  transport: 'pcie',
  vendor: '',
  wwid: '',
  subsystem: '',
  address: '',
  firmware: '',
  celsius: null,
}

describe('endpoints of storage', () => {
  const ROOT = '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n'
  const none = [
    [storageRemote, known({ iscsi: [], fibreChannel: [], srp: [], rbd: [], nbd: [], drbd: [], nvme: [] })],
    [backupSettings, known({ files: [] })],
    [backupUnits, known({ units: [] })],
    [inventoryDisks, known({ disks: [] })],
  ] as const satisfies Readings
  const databases = [database('a', { [OURS]: 'DE' }), database('b', { [OURS]: 'DE' })]
  const of = (mounts: string, more: Readings = none) =>
    conclude(
      locationStorageEndpoints,
      readings([storageMounts, parseMountinfo(ROOT + mounts)], ...more),
      contextOf({ databases }),
    ).verdict
  const nfs = (servers: string) => `2 1 0:50 / /data rw - ceph ${servers}:/ rw\n`

  test('every address of a mount has to be placed: one that is private or a name leaves it open', () => {
    expect(of(nfs(`${OURS}:6789`))).toBe('satisfied')
    expect(of(nfs(`${OURS}:6789,10.0.0.7:6789`))).toBe('inconclusive')
    expect(of(nfs(`${OURS}:6789,mon.example:6789`))).toBe('inconclusive')
  })

  // mount.fuse(8), “subtype”: blobfuse2 and davfs2 mount as “fuse”, MooseFS as “fuse.mfs”.
  test.each([
    ['2 1 0:61 / /mnt rw - fuse blobfuse2 rw\n', 'inconclusive'],
    ['2 1 0:61 / /mnt rw - fuse.mfs mfsmaster:9421 rw\n', 'inconclusive'],
    ['2 1 0:61 / /mnt rw - tmpfs tmpfs rw\n', 'not-applicable'],
    ['2 1 8:17 / /mnt rw - fuseblk /dev/sdb1 rw\n', 'not-applicable'],
  ])('of a program that keeps its data anywhere, %j: %s', (mount, verdict) => expect(of(mount)).toBe(verdict))

  test.each([
    ['Amazon Elastic Block Store', 'inconclusive'],
    ['SAMSUNG MZQL23T8HCLS-00A07', 'not-applicable'],
  ])('a drive %s: %s', (model, verdict) => {
    const disk = {
      ...EMPTY_DISK,
      name: 'nvme0n1',
      path: '../devices/pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1',
      model,
    }
    expect(of('', [...none.slice(0, -1), [inventoryDisks, known({ disks: [disk] })]])).toBe(verdict)
  })

  test('there are none only where everything that could show one was read', () => {
    expect(of('')).toBe('not-applicable')
    for (const [at] of none.entries()) expect(of('', none.toSpliced(at, 1))).toBe('inconclusive')
    const empty = readings([storageMounts, parseMountinfo('')], ...none)
    expect(conclude(locationStorageEndpoints, empty, contextOf({ databases })).verdict).toBe('inconclusive')
  })
})

describe('a record of sites', () => {
  const sites = (country: string): SiteList => ({
    source: 'Provider',
    kind: 'csv',
    on: '2026-11-01',
    declaredBy: 'test',
    file: { name: 'sites.csv', size: 1, sha256: 'ab'.repeat(32) },
    rows: [{ line: 2, serial: 'SN-1001', site: 'A', country }],
  })
  const serials = known({ product: 'SN-1001', board: '', chassis: '' })
  const region = (name: string) =>
    known({ present: true, cloudName: 'aws', region: name, availabilityZone: null }) as Parsed<unknown>
  const of = (country: string, cloud: string, databases: AddressDatabase[]) =>
    conclude(
      locationSiteRecord,
      readings([hostSerials, serials], [cloudInit, region(cloud)]),
      contextOf({ sites: sites(country), databases }),
    ).verdict

  test('one statement that disagrees, or one wrong cell, leaves it open; two that stand for themselves contradict', () => {
    expect(of('DE', 'us-east-1', [])).toBe('inconclusive')
    expect(of('DE', 'eu-central-1', [database('a', { [OURS]: 'US' })])).toBe('inconclusive')
    expect(of('US', 'eu-central-1', [])).toBe('inconclusive')
    expect(of('DE', 'us-east-1', [database('a', { [OURS]: 'US' })])).toBe('not-satisfied')
    expect(of('DE', 'eu-central-1', [database('a', { [OURS]: 'US' }), database('b', { [OURS]: 'US' })])).toBe(
      'not-satisfied',
    )
  })
})

describe('records of demonstrations', () => {
  test.each([
    [true, false],
    [false, true],
  ])('a record (%s) and a recording (%s) of different kinds do not go together', (demo, other) => {
    const unsigned = unsignedVantage(NOW, ['n'], { demo })
    const [measured] = unsigned.measurements
    if (measured === undefined) throw new Error('nothing was measured')
    const signature = { fingerprint: 'b'.repeat(64), at: NOW, cms: 'AAAA', chain: [] }
    const vantages = [{ ...unsigned, signature, measurements: [{ ...measured, hostKey: KEY }] }]
    const read = (is: boolean) => readDelay(null, contextOf({ vantages }, { demo: is }))
    expect(read(demo).discs).toHaveLength(1)
    expect(read(other).discs).toEqual([])
    expect(read(other).notes.join(' ')).toMatch(/is not used: .*demonstration/)
  })
})

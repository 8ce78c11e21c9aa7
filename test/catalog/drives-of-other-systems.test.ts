import { expect, test } from 'vitest'
import { parseDmTable, parseLsblk, parseSysfsBlock } from '../../main/catalog/data-protection/block-devices/index.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

/** A server whose data is on one drive without an encrypting layer here, as lsblk describes that drive. */
const on = (check: string, name: string, described: object) =>
  concludeOn(checkOf(check), 'demo-metal-04', [
    ['storage.mounts', parseMountinfo(`1 0 250:0 / / rw - ext4 /dev/${name} rw\n`)],
    ['storage.block-devices', parseSysfsBlock(`/sys/class/block/${name}/dev:250:0\n`)],
    ['storage.dm-table', parseDmTable('No devices found\n')],
    [
      'storage.lsblk',
      parseLsblk(JSON.stringify({ blockdevices: [{ 'maj:min': '250:0', name, type: 'disk', ...described }] })),
    ],
    ['storage.swaps', known({ areas: [] })],
  ] as readonly (readonly [string, Parsed<unknown>])[])

// What another system does with a block volume is as unknown as with a file system: Ceph’s OSDs encrypt by dm-crypt, arrays by themselves, EBS by
// a setting of the account.
test.each([
  ['Ceph (RBD)', 'rbd0', {}],
  ['iSCSI', 'sdb', { tran: 'iscsi' }],
  ['Fibre Channel', 'sdb', { tran: 'fc', model: 'FlashArray' }],
  ['NVMe over TCP', 'nvme2n1', { tran: 'tcp' }],
  ['a service of the provider', 'nvme0n1', { tran: 'nvme', model: 'Amazon Elastic Block Store' }],
])('a volume of another system, %s, is neither encrypted nor unencrypted at rest', (_, name, described) => {
  const result = on('encryption.at-rest.block-graph', name, described)
  expect(result.verdict).toBe('inconclusive')
  expect(stepText(result)).toContain('which this node cannot show')
})

test('a drive of this system without a layer remains unencrypted', () => {
  expect(on('encryption.at-rest.block-graph', 'nvme0n1', { tran: 'nvme', model: 'SAMSUNG' }).verdict).toBe(
    'not-satisfied',
  )
  expect(on('encryption.at-rest.block-graph', 'sdb', { tran: 'sas' }).verdict).toBe('not-satisfied')
})

test('its traffic is held against the node as before', () => {
  expect(on('encryption.in-transit.remote-mounts', 'sdb', { tran: 'iscsi' }).verdict).toBe('not-satisfied')
  expect(stepText(on('encryption.in-transit.remote-mounts', 'sdb', { tran: 'iscsi' }))).toContain('in clear text')
})

import { expect, test } from 'vitest'
import type { Disk } from '../../main/catalog/hardware/drives/inventory.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

const OWN: Disk = {
  name: 'sda',
  path: '../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda',
  model: 'SAMSUNG MZ7L3960',
  serial: 'S1',
  transport: '',
  vendor: 'ATA',
  wwid: '',
  subsystem: '',
  address: '',
  firmware: '',
  celsius: null,
}
const healthy = { passed: true, pendingSectors: 0, replacedSectors: 0, percentUsed: 3 }

const withDrive = (disk: Disk) =>
  concludeOn(checkOf('availability.hardware-health'), 'demo-metal-04', [
    ['inventory.disks', known({ disks: [OWN, disk] })],
    ['drives.smart-health', known({ drives: new Map([['sda', healthy]]), silent: [disk.name] })],
    ['drives.nvme-health', known({ controllers: new Map(), silent: [] })],
    ['bmc.presence', known({ device: false, listed: [] })],
    ['pci.devices', known({ devices: [] })],
    ['gpu.nvidia', { ok: false, reason: 'tool absent' }],
  ] as readonly (readonly [string, Parsed<unknown>])[])

// Longhorn and other storage for Kubernetes attach the volumes of pods by iSCSI; boards of AMI’s management controller show empty images.
test.each([
  [
    'a volume over iSCSI',
    {
      name: 'sdb',
      path: '../devices/platform/host9/session3/target9:0:0/9:0:0:1/block/sdb',
      vendor: 'IET',
      model: 'VIRTUAL-DISK',
    },
  ],
  [
    'an image of the management controller',
    {
      name: 'sdb',
      path: '../devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/host5/target5:0:0/5:0:0:0/block/sdb',
      vendor: 'AMI',
      model: 'Virtual HDisk0',
    },
  ],
])('%s is no drive of this server whose health could be read', (_, changed) => {
  const result = withDrive({ ...OWN, ...changed })
  expect(stepText(result)).not.toContain('was not read')
  expect(result.verdict).toBe('satisfied')
})

test('a drive of the server that reports nothing leaves it open', () => {
  const result = withDrive({ ...OWN, name: 'sdb', serial: 'S2' })
  expect(stepText(result)).toContain('The health of “sdb” was not read')
  expect(result.verdict).toBe('inconclusive')
})

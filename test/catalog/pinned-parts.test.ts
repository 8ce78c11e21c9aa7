import { expect, test } from 'vitest'
import { netInterfaces } from '../../main/catalog/data-protection/network/interfaces.ts'
import type { Disk } from '../../main/catalog/hardware/drives/inventory.ts'
import type { HardwarePin } from '../../main/catalog/single-tenancy/isolation/pins.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

const NODE = 'demo-metal-04'
const BLANK: Disk = {
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
const ownPin: HardwarePin = { kind: 'disk', part: BLANK.model, value: BLANK.serial }

const compared = (
  disks: readonly Disk[],
  hardware: readonly HardwarePin[],
  more: readonly (readonly [string, unknown])[] = [],
) =>
  concludeOn(
    checkOf('lifecycle.disk-swap-detection'),
    NODE,
    [
      ['inventory.disks', known({ disks })],
      ...more.map(([id, fact]) => [id, known(fact)] as const),
    ] as readonly (readonly [string, Parsed<unknown>])[],
    { node: { ...fixtureOf(NODE).context.node, hardware: [...hardware] } },
  )

// Longhorn attaches each volume of a pod by iSCSI (tgt states a unit serial number), CSI drivers by NVMe over TCP, Amazon’s EBS as NVMe of a card.
const iscsi: Disk = {
  ...BLANK,
  name: 'sdb',
  path: '../devices/platform/host9/session3/target9:0:0/9:0:0:1/block/sdb',
  vendor: 'IET',
  model: 'VIRTUAL-DISK',
  serial: 'beaf11',
}
const overTcp: Disk = {
  ...BLANK,
  name: 'nvme9n1',
  path: '../devices/virtual/nvme-subsystem/nvme-subsys9/nvme9n1',
  vendor: '',
  model: 'Linux',
  serial: 'c0ffee01',
  transport: 'tcp',
}
const ebs: Disk = {
  ...BLANK,
  name: 'nvme3n1',
  model: 'Amazon Elastic Block Store',
  serial: 'vol0123',
  transport: 'pcie',
  vendor: '',
}
const media: Disk = {
  ...BLANK,
  name: 'sdc',
  path: '../devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/host5/target5:0:0/5:0:0:0/block/sdc',
  vendor: 'AMI',
  model: 'Virtual HDisk0',
  serial: 'AAAABBBBCCCC1',
}

test.each([
  ['a volume over iSCSI', iscsi],
  ['a volume over NVMe/TCP', overTcp],
  ['a volume of a provider’s service', ebs],
  ['an image of the management controller', media],
])('%s that is attached is no new part of the machine', (_, disk) => {
  expect(compared([BLANK, disk], [ownPin]).verdict).toBe('satisfied')
  // One that an earlier version pinned and that is still there is not gone.
  const pinned: HardwarePin = { kind: 'disk', part: disk.model, value: disk.serial }
  expect(compared([BLANK, disk], [ownPin, pinned]).verdict).toBe('satisfied')
})

test('another drive in the machine is one, and so is one that is missing', () => {
  const other = { ...BLANK, name: 'sdb', serial: 'S2' }
  expect(stepText(compared([BLANK, other], [ownPin]))).toContain('Found and not pinned: disk')
  expect(stepText(compared([other], [ownPin]))).toContain('Pinned and not found: disk')
})

// A pod that is given a virtual function takes it along into its own network namespace.
test('virtual functions of an adapter come and go with pods', () => {
  const nic = {
    name: 'eno1',
    mac: '3c:ec:ef:01:02:03',
    isUp: true,
    mtu: 1500,
    speedMbps: 25000,
    driver: 'mlx5_core',
    pciId: '15b3:101d',
    path: '../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/eno1',
    pciAddress: '0000:01:00.0',
    addressSource: 0,
    physicalFunction: null,
    divisibleInto: 8,
    portName: 'p0',
  }
  const part = {
    ...nic,
    name: 'eno1v0',
    mac: '3c:ec:ef:01:02:99',
    pciAddress: '0000:01:00.2',
    physicalFunction: '0000:01:00.0',
  }
  const pin: HardwarePin = { kind: 'nic', part: nic.name, value: nic.mac }
  const adapter = {
    name: 'mlx5_0',
    boardId: 'MT_0',
    firmware: '28.39',
    nodeGuid: '3cec:ef03:0001:0203',
    systemGuid: '3cec:ef03:0001:0203',
    pciAddress: '0000:01:00.0',
    pciId: '15b3:101d',
    driver: 'mlx5_core',
    physicalFunction: null,
    divisibleInto: 8,
  }
  const lane = { ...adapter, name: 'mlx5_2', nodeGuid: '3cec:ef03:0001:0299', physicalFunction: '0000:01:00.0' }
  const fabric: HardwarePin = { kind: 'hca', part: 'mlx5_0', value: adapter.nodeGuid }
  const with_ = (interfaces: readonly object[], adapters: readonly object[]) =>
    compared(
      [BLANK],
      [ownPin, pin, fabric],
      [
        ['net.interfaces', { interfaces }],
        ['infiniband', { adapters, ports: [] }],
      ],
    ).verdict
  expect(with_([nic], [adapter])).toBe('satisfied')
  expect(with_([nic, part], [adapter, lane])).toBe('satisfied')
  expect(with_([part], [adapter])).toBe('not-satisfied')
})

// Red Hat, Configuring InfiniBand and RDMA networks, “Understanding IPoIB hardware addresses”: of the 20 bytes the last 8 are the port’s own; the
// number of the queue pair and the prefix of the subnet before them change between starts.
test('an interface over InfiniBand is the same part after a restart', () => {
  const ib = (queue: string) => ({
    name: 'ibp26s0',
    mac: `00:00:${queue}:fe:80:00:00:00:00:00:00:94:6d:ae:03:00:41:80:02`,
    isUp: true,
    mtu: 2044,
    speedMbps: 400000,
    driver: 'mlx5_core',
    pciId: '15b3:1021',
    path: '../../devices/pci0000:15/0000:15:01.0/0000:1a:00.0/net/ibp26s0',
    pciAddress: '0000:1a:00.0',
    addressSource: 0,
    physicalFunction: null,
    divisibleInto: 16,
    portName: '',
  })
  const verdictWith = (value: string, queue: string) =>
    compared(
      [BLANK],
      [ownPin, { kind: 'nic', part: 'ibp26s0', value }],
      [['net.interfaces', { interfaces: [ib(queue)] }]],
    ).verdict
  expect(verdictWith('94:6d:ae:03:00:41:80:02', '00:8c')).toBe('satisfied')
  // As an earlier version pinned it.
  expect(verdictWith(ib('10:71').mac, '00:8c')).toBe('satisfied')
  expect(verdictWith('94:6d:ae:03:00:41:80:03', '00:8c')).toBe('not-satisfied')
  const same = netInterfaces.ignoredInDrift?.normalize
  expect(same?.({ interfaces: [ib('10:71')] })).toEqual(same?.({ interfaces: [ib('00:8c')] }))
})

// OpenBMC gives the server’s end of its USB network an address that it draws at each of its own starts, as drivers of USB gadgets do.
test('the network of a management controller over USB is no part of the machine', () => {
  const port = (mac: string) => ({
    name: 'usb0',
    mac,
    isUp: true,
    mtu: 1500,
    speedMbps: null,
    driver: 'cdc_ether',
    pciId: null,
    path: '../../devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3:1.0/net/usb0',
    pciAddress: '0000:00:14.0',
    addressSource: 0,
    physicalFunction: null,
    divisibleInto: null,
    portName: '',
  })
  const own = {
    ...port('3c:ec:ef:01:02:03'),
    name: 'eno1',
    driver: 'igb',
    path: '../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/eno1',
  }
  const pin: HardwarePin = { kind: 'nic', part: 'eno1', value: own.mac }
  const result = compared(
    [BLANK],
    [ownPin, pin],
    [['net.interfaces', { interfaces: [own, port('02:4f:11:a0:3c:77')] }]],
  )
  expect(result.verdict).toBe('satisfied')
})

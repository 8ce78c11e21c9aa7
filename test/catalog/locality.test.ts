import { describe, expect, test } from 'vitest'
import { storageRemote } from '../../main/catalog/data-protection/mounts/probes.ts'
import { netInterfaces } from '../../main/catalog/data-protection/network/interfaces.ts'
import { inventoryDisks } from '../../main/catalog/hardware/drives/inventory.ts'
import { infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { hcaAnswers, nicAnswers } from '../../main/catalog/single-tenancy/isolation/attachments.ts'
import { diskAnswers } from '../../main/catalog/single-tenancy/isolation/disk-attachment.ts'
import type { Environment } from '../../schemas/words.ts'
import { type Reading, reading, readOfFixture } from '../support/device-facts.ts'
import { readOf } from '../support/signal-facts.ts'

const NVME = 'pci0000:70/0000:70:01.0/0000:71:00.0/nvme/nvme0/nvme0n1'
const SATA = 'pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda'
const VIRTIO = 'pci0000:00/0000:00:02.0/virtio1/block/vda'
function drive(path: string, files: Readonly<Record<string, string>> = {}): Reading {
  const name = path.split('/').at(-1) ?? ''
  const folder = name.startsWith('nvme') ? `/sys/class/nvme/${name.slice(0, 5)}` : `/sys/block/${name}/device`
  return reading(inventoryDisks, {
    list: `lrwxrwxrwx 1 root root 0 Nov 20 09:12 ${name} -> ../devices/${path}\n`,
    values: Object.entries(files)
      .map(([file, value]) => `${folder}/${file}:${value}\n`)
      .join(''),
  })
}

const controller = (address: string, id: string, kind = '10802'): Reading =>
  reading(pciDevices, {
    ids: `/sys/bus/pci/devices/${address}/uevent:PCI_ID=${id}\n/sys/bus/pci/devices/${address}/uevent:PCI_CLASS=${kind}\n`,
    tree: `lrwxrwxrwx 1 root root 0 Nov 20 09:12 ${address} -> ../../../devices/pci0000:70/${address}\n`,
    links: '',
  })
const remote = (lists: string, values: string): Reading =>
  reading(storageRemote, {
    lists: { text: lists, exit: 2, error: "ls: cannot access '/x': No such file or directory\n" },
    values,
  })
const disk = (environment: Environment, ...readings: readonly Reading[]): string =>
  diskAnswers(readOf(...readings), environment)
    .map(({ attachment, text }) => `${attachment}: ${text}`)
    .join('\n')

describe('drives', () => {
  const samsung = drive(NVME, { transport: 'pcie', model: 'SAMSUNG MZQL23T8HCLS-00A07' })

  test.each([
    ['bare-metal', 'physical'],
    ['hypervisor-host', 'physical'],
    ['virtual-machine', 'passthrough'],
    ['container', 'undetermined'],
    ['undetermined', 'undetermined'],
    ['logical-partition', 'undetermined'],
  ] as const)('a real-looking NVMe drive in %s: %s', (environment, is) =>
    expect(disk(environment, samsung)).toMatch(new RegExp(`^${is}: `)),
  )

  test.each([
    [
      'NVMe over TCP',
      drive('virtual/nvme-fabrics/ctl/nvme0/nvme0n1', {
        transport: 'tcp',
        address: 'traddr=198.51.100.7,trsvcid=4420',
      }),
      /^remote: .*NVMe over TCP.*198\.51\.100\.7/,
    ],
    ['NVMe over a loop', drive('virtual/nvme-fabrics/ctl/nvme0/nvme0n1', { transport: 'loop' }), /^virtual: .*loop/],
    [
      'Fibre Channel',
      drive('pci0000:80/0000:80:03.0/0000:84:00.0/host5/rport-5:0-1/target5:0:1/5:0:1:0/block/sdb'),
      /^remote: .*Fibre Channel/,
    ],
    ['Ceph', drive('rbd/0/block/rbd0'), /^remote: .*Ceph/],
    ['Amazon’s volumes', drive(NVME, { transport: 'pcie', model: 'Amazon Elastic Block Store' }), /^remote: .*EBS/],
    ['Google’s volumes', drive(NVME, { transport: 'pcie', model: 'nvme_card-pd' }), /^remote: .*Persistent Disk/],
    [
      'Amazon’s own drives',
      drive(NVME, { transport: 'pcie', model: 'Amazon EC2 NVMe Instance Storage' }),
      /^physical: .*inside the machine/,
    ],
    ['QEMU’s NVMe', drive(NVME, { transport: 'pcie', model: 'QEMU NVMe Ctrl' }), /^virtual: An emulated drive/],
    ['virtio on hardware', drive(VIRTIO), /^virtual: .*data-processing unit/],
    [
      'the management controller’s media',
      drive('pci0000:00/0000:00:14.0/usb1/1-7/1-7:1.0/host6/target6:0:0/6:0:0:0/block/sda', {
        vendor: 'AMI',
        model: 'Virtual HDisk0',
      }),
      /^virtual: .*management controller/,
    ],
  ])('%s', (_, one, expected) => expect(disk('bare-metal', one)).toMatch(expected))

  test('an iSCSI drive is named with its target', () => {
    const ways = remote(
      '/sys/class/iscsi_session:\nsession3\n',
      '/sys/class/iscsi_session/session3/targetname:iqn.2003-01.org.linux-iscsi.store:scratch\n/sys/class/iscsi_connection/connection3:0/persistent_address:198.51.100.20\n',
    )
    const one = drive('platform/host8/session3/target8:0:0/8:0:0:1/block/sda')
    expect(disk('bare-metal', one, ways)).toMatch(
      /^remote: .*iSCSI.*iqn\.2003-01\.org\.linux-iscsi\.store:scratch.*198\.51\.100\.20/,
    )
  })

  test('network block devices and replicated drives are listed though they hang nowhere', () => {
    const ways = remote('', '/sys/block/nbd0/pid:812\n/sys/block/drbd1/size:2097152\n')
    expect(diskAnswers(readOf(ways), 'bare-metal').map(({ device, attachment }) => `${device} ${attachment}`)).toEqual([
      'nbd0 remote',
      'drbd1 remote',
    ])
  })

  test('behind a data-processing unit nothing is claimed, even on hardware', () => {
    expect(disk('bare-metal', samsung, controller('0000:71:00.0', '15B3:6001'))).toMatch(/^undetermined: .*BlueField/)
  })

  test('a local NVMe drive that Azure hands on is one, though it hangs below Hyper-V’s bus', () => {
    const path = `LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/MSFT1000:00/00000001-7870/pci7870:00/7870:00:00.0/nvme/nvme0/nvme0n1`
    const one = drive(path, { transport: 'pcie', model: 'Microsoft NVMe Direct Disk' })
    expect(disk('virtual-machine', one)).toMatch(/^virtual-function: Microsoft’s local NVMe/)
  })

  test('in a guest, a SATA drive on a controller that emulators present is virtual; on another one it is open', () => {
    const sata = drive(SATA, { vendor: 'ATA', model: 'INTEL SSDSC2KB480G8' })
    expect(disk('virtual-machine', sata, controller('0000:00:1f.2', '8086:2922', '10601'))).toMatch(/^virtual: /)
    expect(disk('virtual-machine', sata, controller('0000:00:1f.2', '1000:0097', '10700'))).toMatch(/^undetermined: /)
    expect(disk('virtual-machine', sata)).toMatch(/^virtual: /)
    expect(disk('virtual-machine', samsung, controller('0000:71:00.0', '1B36:0010'))).toMatch(/^virtual: /)
  })
})

describe('network adapters', () => {
  const nic = (driver: string, id: string, path: string, ...more: readonly string[]): Reading =>
    reading(netInterfaces, {
      list: `lrwxrwxrwx 1 root root 0 Nov 20 09:12 eth0 -> ../../devices/${path}/net/eth0\nlrwxrwxrwx 1 root root 0 Nov 20 09:12 lo -> ../../devices/virtual/net/lo\n`,
      values: more.filter((line) => !line.includes('uevent')).join(''),
      drivers: `/sys/class/net/eth0/device/uevent:DRIVER=${driver}\n/sys/class/net/eth0/device/uevent:PCI_ID=${id}\n${more.filter((line) => line.includes('uevent')).join('')}`,
    })
  const PCI = 'pci0000:80/0000:80:05.0/0000:81:00.0'
  const WHOLE = '/sys/class/net/eth0/device/physfn/uevent:PCI_SLOT_NAME=0000:81:00.0\n'
  const PORT = '/sys/class/net/eth0/phys_port_name:pf0vf3\n'
  const is = (environment: Environment, one: Reading): readonly string[] =>
    nicAnswers(readOf(one), environment).map((found) => found.attachment)

  test.each([
    ['a whole one on hardware', 'bare-metal', nic('ice', '8086:1593', PCI), ['physical']],
    ['a whole one in a guest', 'virtual-machine', nic('ice', '8086:1593', PCI), ['passthrough']],
    ['an imitated one in a guest', 'virtual-machine', nic('e1000e', '8086:10D3', PCI), ['virtual']],
    ['the same on hardware', 'bare-metal', nic('e1000e', '8086:10D3', PCI), ['physical']],
    ['an old one on old hardware', 'bare-metal', nic('e1000', '8086:1010', PCI), ['physical']],
    ['Amazon’s on hardware', 'bare-metal', nic('ena', '1D0F:EC20', PCI), ['virtual-function']],
    ['a function beside its whole', 'bare-metal', nic('iavf', '8086:1889', PCI, WHOLE), ['virtual-function']],
    ['a function in a guest', 'virtual-machine', nic('mlx5_core', '15B3:101C', PCI), ['virtual-function']],
    ['a subfunction', 'bare-metal', nic('mlx5_core.sf', '', `${PCI}/mlx5_core.sf.2`), ['virtual-function']],
    ['virtio on hardware', 'bare-metal', nic('virtio_net', '', `${PCI}/virtio2`), ['virtual']],
    ['VMware’s', 'virtual-machine', nic('vmxnet3', '15AD:07B0', PCI), ['virtual']],
    ['a switch port inside an adapter', 'bare-metal', nic('mlx5_core', '15B3:1021', PCI, PORT), []],
  ] as const)('%s', (_, environment, one, expected) => expect(is(environment, one)).toEqual(expected))
})

describe('fabric adapters', () => {
  const hca = (name: string, ...lines: readonly string[]): Reading =>
    reading(infiniband, {
      adapters: `/sys/class/infiniband:\n${name}\n`,
      values: [...lines, 'ports/1/link_layer:InfiniBand']
        .map((line) => `/sys/class/infiniband/${name}/${line}\n`)
        .join(''),
    })
  const board = ['board_id:MT_0000000838', 'fw_ver:28.43.2566']
  const on = (id: string): readonly string[] =>
    ['DRIVER=mlx5_core', `PCI_ID=${id}`, 'PCI_SLOT_NAME=0000:19:00.0'].map((line) => `device/uevent:${line}`)
  const is = (environment: Environment, ...readings: readonly Reading[]): readonly string[] =>
    hcaAnswers(readOf(...readings), environment).map((found) => found.attachment)

  test('whole, a function, made of software, and one whose function is not known', () => {
    expect(is('bare-metal', hca('mlx5_0', ...board, ...on('15B3:1021')))).toEqual(['physical'])
    expect(is('virtual-machine', hca('mlx5_0', ...board, ...on('15B3:1021')))).toEqual(['passthrough'])
    expect(is('virtual-machine', hca('mlx5_0', ...board, ...on('15B3:101E')))).toEqual(['virtual-function'])
    expect(is('bare-metal', hca('rxe0'))).toEqual(['virtual'])
    expect(is('bare-metal', hca('mlx5_0', ...board))).toEqual(['undetermined'])
    expect(is('bare-metal', hca('mlx5_0', ...board), controller('0000:71:00.0', '15B3:1021'))).toEqual(['physical'])
    expect(is('virtual-machine', hca('mlx5_0', ...board), controller('0000:71:00.0', '15B3:101E'))).toEqual([
      'virtual-function',
    ])
  })
})

test('fixtures: physical where the system runs on hardware, and nowhere else', () => {
  const all = (node: string, environment: Environment): readonly string[] => {
    const read = readOfFixture(node)
    const found = [
      ...nicAnswers(read, environment),
      ...hcaAnswers(read, environment),
      ...diskAnswers(read, environment),
    ]
    return [...new Set(found.map(({ kind, attachment }) => `${kind} ${attachment}`))]
  }
  expect(all('demo-gpu-01', 'bare-metal')).toEqual(['nic physical', 'hca physical', 'disk physical'])
  expect(all('demo-metal-04', 'virtual-machine')).toEqual([
    'nic virtual',
    'nic virtual-function',
    'hca virtual-function',
    'disk virtual',
  ])
  expect(all('demo-guest-03', 'virtual-machine')).toEqual(['nic virtual', 'disk virtual'])
  expect(all('demo-gpu-01', 'undetermined')).toEqual(['nic undetermined', 'hca undetermined', 'disk undetermined'])
})

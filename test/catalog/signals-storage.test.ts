import { describe, expect, test } from 'vitest'
import { storageRemote } from '../../main/catalog/data-protection/mounts/probes.ts'
import { inventoryDisks } from '../../main/catalog/hardware/drives/inventory.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { storageSignals } from '../../main/catalog/single-tenancy/isolation/signals/storage.ts'
import { BANNED } from '../../schemas/words.ts'
import { observedText, type Reading, reading, readOfFixture, weighed } from '../support/device-facts.ts'
import { observed, readOf } from '../support/signal-facts.ts'

const drive = (name: string, path: string, files: Readonly<Record<string, string>> = {}): Reading => {
  const folder = name.startsWith('nvme') ? `/sys/class/nvme/${name.slice(0, 5)}` : `/sys/block/${name}/device`
  return reading(inventoryDisks, {
    list: `lrwxrwxrwx 1 root root 0 Nov 20 09:12 ${name} -> ../devices/${path}\n`,
    values: Object.entries(files)
      .map(([file, value]) => `${file.startsWith('/') ? file : `${folder}/${file}`}:${value}\n`)
      .join(''),
  })
}

const NONE = "ls: cannot access '/sys/class/iscsi_session': No such file or directory\n"
const NO_REMOTE = reading(storageRemote, { lists: { text: '', exit: 2, error: NONE }, values: '' })
const EMPTY = reading(inventoryDisks, {
  list: 'lrwxrwxrwx 1 root root 0 Nov 20 09:12 loop0 -> ../devices/virtual/block/loop0\n',
  values: '',
})
const NVME = 'pci0000:70/0000:70:01.0/0000:71:00.0/nvme/nvme0/nvme0n1'
const SATA = 'pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda'
const find = (id: string, ...readings: readonly Reading[]) => observed(storageSignals, id, readOf(...readings))
const weights = (id: string, ...readings: readonly Reading[]): readonly string[] => weighed(find(id, ...readings))

describe('blk.path', () => {
  test.each([
    ['vda', 'pci0000:00/0000:00:02.0/virtio1/block/vda', ['virtual', 'hint null']],
    ['vda', 'LNXSYSTM:00/LNXSYBUS:00/LNRO0005:01/virtio1/block/vda', ['virtual', 'odd null']],
    ['vda', 'platform/d0000000.virtio_mmio/virtio0/block/vda', ['virtual', 'odd null']],
    [
      'sda',
      'LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/fd1d2cbd-ce7c-535c-966b-eb5f811c95f0/host0/target0:0:0/0:0:0:0/block/sda',
      ['virtual', 'names Microsoft Hyper-V'],
    ],
    // An NVMe drive that Azure hands on hangs below Hyper-V’s bus as well.
    [
      'nvme0n1',
      'LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/MSFT1000:00/00000001-7870-47b5-8203-907d12ca697e/pci7870:00/7870:00:00.0/nvme/nvme0/nvme0n1',
      ['virtual', 'names Microsoft Hyper-V'],
    ],
    ['xvda', 'vbd-51712/block/xvda', ['virtual', 'names Xen']],
    ['sda', SATA, ['bare-metal']],
    ['nvme0n1', NVME, ['bare-metal']],
    // Intel’s volume management gives its drives a PCI domain of their own.
    ['nvme0n1', 'pci0000:c9/0000:c9:00.5/pci10002:00/10002:01:00.0/nvme/nvme0/nvme0n1', ['bare-metal']],
    ['mmcblk0', 'platform/fe340000.mmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0', ['neutral']],
    ['sdb', 'platform/host8/session3/target8:0:0/8:0:0:1/block/sdb', ['neutral']],
  ])('%s on %s', (name, path, expected) => {
    expect(weights('blk.path', drive(name, path))).toEqual(expected)
  })

  test('without drives it does not apply; unread it is unreadable', () => {
    expect(weights('blk.path', EMPTY)).toEqual(['not-applicable'])
    expect(weights('blk.path')).toEqual(['unreadable'])
  })
})

describe('blk.transport', () => {
  const local = drive('nvme0n1', NVME, { transport: 'pcie', model: 'SAMSUNG MZQL23T8HCLS-00A07' })

  test('in the machine, over a network, behind a data-processing unit', () => {
    expect(weights('blk.transport', local, NO_REMOTE)).toEqual(['bare-metal'])
    const fabric = drive('nvme0n1', 'virtual/nvme-fabrics/ctl/nvme0/nvme0n1', {
      transport: 'tcp',
      address: 'traddr=198.51.100.7,trsvcid=4420',
    })
    const far = find('blk.transport', fabric, NO_REMOTE)
    expect(weighed(far)).toEqual(['neutral'])
    expect(observedText(far)).toContain('NVMe over TCP')
    const volume = drive('nvme0n1', NVME, { transport: 'pcie', model: 'Amazon Elastic Block Store' })
    expect(observedText(find('blk.transport', volume, NO_REMOTE))).toContain('Amazon’s volume service')
    const snap = reading(pciDevices, {
      ids: '/sys/bus/pci/devices/0000:71:00.0/uevent:PCI_ID=15B3:6001\n/sys/bus/pci/devices/0000:71:00.0/uevent:PCI_CLASS=10802\n',
      tree: 'lrwxrwxrwx 1 root root 0 Nov 20 09:12 0000:71:00.0 -> ../../../devices/pci0000:70/0000:70:01.0/0000:71:00.0\n',
      links: '',
    })
    expect(observedText(find('blk.transport', local, NO_REMOTE, snap))).toContain('data-processing unit')
  })

  test('unread transports are not taken for none', () => {
    expect(weights('blk.transport', local)).toEqual(['unreadable'])
    expect(weights('blk.transport', EMPTY, NO_REMOTE)).toEqual(['not-applicable'])
  })
})

describe('blk.model', () => {
  test.each([
    ['nvme0n1', NVME, { model: 'QEMU NVMe Ctrl', serial: 'S64GNE0R' }, ['virtual', 'impossible QEMU']],
    // A rebuilt model string; the subsystem’s name keeps QEMU’s own beginning.
    [
      'nvme0n1',
      NVME,
      { model: 'SAMSUNG MZQL23T8HCLS-00A07', serial: 'S64', subsysnqn: 'nqn.2019-08.org.qemu:S64' },
      ['virtual', 'impossible QEMU'],
    ],
    ['nvme0n1', NVME, { model: 'VMware Virtual NVMe Disk', serial: 'VMWARE_0000' }, ['virtual', 'impossible VMware']],
    ['nvme0n1', NVME, { model: 'ORCL-VBOX-NVME-VER12', serial: 'VB1234' }, ['virtual', 'impossible VirtualBox']],
    ['sda', SATA, { vendor: 'ATA     ', model: 'QEMU HARDDISK   ' }, ['virtual', 'impossible QEMU']],
    ['sda', SATA, { vendor: 'ATA     ', model: 'VBOX HARDDISK   ' }, ['virtual', 'impossible VirtualBox']],
    ['sda', SATA, { vendor: 'VMware  ', model: 'Virtual disk    ' }, ['virtual', 'impossible VMware']],
    ['sda', SATA, { vendor: 'Msft    ', model: 'Virtual Disk    ' }, ['virtual', 'impossible Microsoft Hyper-V']],
    ['sda', SATA, { vendor: 'ATA     ', model: 'INTEL SSDSC2KB480G8', rev: '2.5+' }, ['virtual', 'odd null']],
    ['nvme0n1', NVME, { model: 'SAMSUNG MZQL23T8HCLS-00A07', serial: 'S64' }, ['bare-metal']],
    ['nvme0n1', NVME, { model: 'SAMSUNG MZQL23T8HCLS-00A07', serial: '' }, ['neutral']],
    ['nvme0n1', NVME, { model: 'Amazon EC2 NVMe Instance Storage', serial: 'AWS1' }, ['neutral']],
    ['nvme0n1', NVME, { model: 'nvme_card-pd', serial: 'nvme_card-pd' }, ['neutral']],
    // The same name on a drive that another machine serves shows nothing about this one.
    [
      'sda',
      'platform/host8/session3/target8:0:0/8:0:0:1/block/sda',
      { vendor: 'QEMU    ', model: 'QEMU HARDDISK   ' },
      ['neutral'],
    ],
    // A management controller’s virtual media.
    [
      'sda',
      'pci0000:00/0000:00:14.0/usb1/1-7/1-7:1.0/host6/target6:0:0/6:0:0:0/block/sda',
      { vendor: 'AMI     ', model: 'Virtual HDisk0  ' },
      ['neutral'],
    ],
  ])('%s on %s with %o', (name, path, files, expected) => {
    expect(weights('blk.model', drive(name, path, files))).toEqual(expected)
  })

  test('unread is unreadable', () => expect(weights('blk.model')).toEqual(['unreadable']))
})

describe('blk.smart', () => {
  const at = (milli: string): Reading => drive('nvme0n1', NVME, { '/sys/class/nvme/nvme0/hwmon6/temp1_input': milli })
  test.each([
    ['33850', ['bare-metal']],
    ['49850', ['virtual', 'hint null']],
    ['-273150', ['neutral']],
  ])('%s thousandths of a degree', (milli, expected) => expect(weights('blk.smart', at(milli))).toEqual(expected))

  test('no sensor shows nothing; unread is unreadable', () => {
    expect(weights('blk.smart', drive('sda', SATA))).toEqual(['neutral'])
    expect(weights('blk.smart')).toEqual(['unreadable'])
  })
})

describe('fixtures', () => {
  const all = (node: string): readonly string[] =>
    storageSignals.map(({ id }) => `${id} ${weighed(observed(storageSignals, id, readOfFixture(node))).join(', ')}`)

  test('a server, a guest dressed up as one, and a Firecracker guest', () => {
    expect(all('demo-gpu-01')).toEqual([
      'blk.path bare-metal',
      'blk.transport bare-metal',
      'blk.model bare-metal',
      'blk.smart bare-metal',
    ])
    expect(all('demo-metal-04')).toEqual([
      'blk.path bare-metal',
      'blk.transport bare-metal',
      'blk.model virtual, odd null',
      'blk.smart neutral',
    ])
    expect(all('demo-guest-03')[0]).toBe('blk.path virtual, hint null')
  })

  test('words', () => {
    for (const node of ['demo-gpu-01', 'demo-metal-04', 'demo-guest-03', 'fx-iso-netdrive'])
      for (const { id } of storageSignals)
        for (const banned of BANNED)
          expect(observedText(observed(storageSignals, id, readOfFixture(node)))).not.toMatch(banned)
  })
})

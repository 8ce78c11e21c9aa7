import { describe, expect, test } from 'vitest'
import { parseMountinfo, storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { type Disk, inventoryDisks } from '../../main/catalog/hardware/drives/inventory.ts'
import { type PciDevice, pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { tenancyForeignMounts } from '../../main/catalog/single-tenancy/tenancy/index.ts'
import { type Probe, readProbe } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { fact } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'
import { concludeOn, fixtureOf } from '../support/evaluated.ts'

const PROBES: readonly Probe<unknown>[] = Object.values(tenancyForeignMounts.requires)

function concluded(node: string, without?: string) {
  const by = new Map(fixtureOf(node).captures)
  if (without !== undefined) by.delete(without)
  return concludeOn(
    tenancyForeignMounts,
    node,
    PROBES.map((probe) => [probe.id, readProbe(probe, by)]),
  )
}

describe('no file system or drive of another party', () => {
  test.each([
    ['demo-gpu-01', 'satisfied'],
    ['fx-iso-hostshare', 'not-satisfied'],
    ['fx-iso-netdrive', 'inconclusive'],
    ['demo-guest-03', 'inconclusive'],
  ])('%s: %s', (node, verdict) => {
    const { verdict: got, observations } = concluded(node)
    expect(got, observations.map(({ text }) => text).join('\n')).toBe(verdict)
    for (const { text } of observations) for (const banned of BANNED) expect(text).not.toMatch(banned)
  })

  // mount.fuse(8), “subtype”: blobfuse2 and davfs2 mount as “fuse”, MooseFS as “fuse.mfs”; a program chooses the name.
  test.each([
    ['blobfuse2', 'fuse', '0:61', 'inconclusive'],
    ['mfsmaster:9421', 'fuse.mfs', '0:61', 'inconclusive'],
    ['/dev/sdb1', 'fuseblk', '8:17', 'satisfied'],
    ['lxcfs', 'fuse.lxcfs', '0:61', 'inconclusive'],
    ['lxcfs', 'fuse.lxcfs', '0:61', 'satisfied', '/var/lib/incus-lxcfs'],
    ['lxcfs', 'fuse.lxcfs', '0:61', 'satisfied', '/var/snap/lxd/common/var/lib/lxcfs'],
    ['tmpfs', 'tmpfs', '0:61', 'satisfied'],
    ['systemd-1', 'autofs', '0:61', 'satisfied'],
  ])('%s of the type %s on device %s', (source, type, device, expected, point = '/mnt/x') => {
    const more = fact(
      parseMountinfo(`1 0 8:1 / / rw - ext4 /dev/sda1 rw\n36 1 ${device} / ${point} rw - ${type} ${source} rw\n`),
    ).mounts.slice(1)
    const found = over(
      tenancyForeignMounts.id,
      changed(storageMounts, (read) => ({ ...read, mounts: [...read.mounts, ...more] })),
    )
    expect([found.verdict, stepText(found)]).toEqual([
      expected,
      expected === 'satisfied' ? expect.not.stringContaining('/mnt/x') : expect.stringContaining(`/mnt/x (${type})`),
    ])
  })

  // Supermicro’s and ASRock’s controllers show this drive with nothing in it; iDRAC’s with “attach” chosen, too.
  test.each([
    ['AMI', 'Virtual CDROM0', 'sr0', '', 'satisfied'],
    ['iDRAC', 'Virtual CD', 'sr1', '', 'satisfied'],
    ['AMI', 'Virtual CDROM0', 'sr0', '36 1 11:0 / /mnt ro - iso9660 /dev/sr0 ro\n', 'inconclusive'],
    ['AMI', 'Virtual CDROM0', 'sr0', '36 1 11:1 / /mnt ro - iso9660 /dev/sr1 ro\n', 'satisfied'],
    ['AMI', 'Virtual HDisk0', 'sdz', '', 'inconclusive'],
    ['iDRAC', 'LCDRIVE', 'sdz', '', 'inconclusive'],
  ])('a drive %s %s of a management controller as %s, with %j mounted', (vendor, model, name, mount, expected) => {
    const more = fact(parseMountinfo(`1 0 8:1 / / rw - ext4 /dev/sda1 rw\n${mount}`)).mounts.slice(1)
    const path = `../devices/pci0000:00/0000:00:14.0/usb1/1-14/1-14.1/1-14.1:1.0/host8/target8:0:0/8:0:0:0/block/${name}`
    const found = over(
      tenancyForeignMounts.id,
      changed(storageMounts, (read) => ({ ...read, mounts: [...read.mounts, ...more] })),
      changed(inventoryDisks, ({ disks }) => ({
        disks: [...disks, { ...(disks[0] as Disk), name, path, vendor, model, transport: '', subsystem: '', wwid: '' }],
      })),
    )
    expect([found.verdict, stepText(found)]).toEqual([expected, expect.stringContaining(name)])
  })

  // BlueField’s NVMe emulation: lspci calls it “Mellanox Technologies NVMe SNAP Controller [15b3:6001]”; the unit’s operator chooses the model.
  test.each([
    ['15b3', '6001', 'SPDK bdev Controller', 'inconclusive', '0000:41:00.0', ''],
    ['15b3', '6001', 'Mellanox BlueField NVMe SNAP Controller', 'inconclusive', '0000:41:00.0', ''],
    // As the kernel lists a drive with more than one way, the path of which names no bus.
    [
      '15b3',
      '6001',
      'SAMSUNG MZQL23T8HCLS-00A07',
      'inconclusive',
      '0000:41:00.0',
      'virtual/nvme-subsystem/nvme-subsys9',
    ],
    ['144d', 'a80a', 'SAMSUNG MZQL23T8HCLS-00A07', 'satisfied', '0000:41:00.0', ''],
  ])('an NVMe controller %s:%s that calls itself %s: %s', (vendor, device, model, expected, address, way) => {
    const path = `../devices/${way === '' ? `pci0000:40/0000:40:01.1/${address}/nvme/nvme9` : way}/nvme9n1`
    const found = over(
      tenancyForeignMounts.id,
      changed(inventoryDisks, ({ disks }) => ({
        disks: [
          ...disks,
          { ...(disks[0] as Disk), name: 'nvme9n1', path, vendor: '', model, transport: 'pcie', address, wwid: '' },
        ],
      })),
      changed(pciDevices, ({ devices }) => ({
        devices: [...devices, { ...(devices[0] as PciDevice), address, vendor, device, class: '010802' }],
      })),
    )
    expect([found.verdict, stepText(found)]).toEqual([
      expected,
      expected === 'satisfied'
        ? expect.not.stringContaining('nvme9n1')
        : expect.stringContaining('“nvme9n1”: presented'),
    ])
  })

  test('without any one of its readings it is inconclusive', () => {
    for (const key of ['storage.mounts/mountinfo', 'inventory.disks/list', 'storage.remote/lists', 'pci.devices/ids'])
      expect(concluded('demo-gpu-01', key).verdict, key).toBe('inconclusive')
  })
})

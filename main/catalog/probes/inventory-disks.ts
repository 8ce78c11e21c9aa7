import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { longListing, sysfsValues } from '../isolation/listing.ts'
import { lines } from '../read-text.ts'

export interface Disk {
  readonly name: string
  /** Where it hangs in the kernel's device tree. */
  readonly path: string
  readonly model: string
  readonly serial: string
  /** pcie, tcp, rdma, fc for NVMe; empty for others. */
  readonly transport: string
}
export interface Disks {
  readonly disks: readonly Disk[]
}

/** Documentation/ABI/stable/sysfs-block and sysfs-class-nvme. Loop, memory and mapped devices are left out: they are not hardware. */
export const inventoryDisks = defineProbe({
  id: 'inventory.disks',
  title: 'Drives',
  why: 'Shows which drives are in the machine, and which of them are reached over a network or emulated.',
  commands: {
    list: run(['ls', '-l', '/sys/block']),
    values: run([
      'grep',
      '-sH',
      '',
      glob('/sys/class/nvme/nvme*/transport'),
      glob('/sys/class/nvme/nvme*/model'),
      glob('/sys/class/nvme/nvme*/serial'),
      glob('/sys/block/sd*/device/model'),
      glob('/sys/block/vd*/serial'),
    ]),
  },
  parse({ list, values }) {
    if (list.exitCode !== 0) return unknown('the drives could not be listed')
    const read = sysfsValues(values.text, ['transport', 'model', 'serial'])
    const disks = longListing(lines(list.text)).flatMap(({ name, target }) => {
      if (target === null || target.includes('/virtual/block/')) return []
      // With native NVMe multipath the block device nvme0n1 hangs under a subsystem; its controller has the same number in the usual case.
      const controller = `/sys/class/nvme/${/^nvme\d+/.exec(name)?.[0] ?? ''}`
      const at = (file: string): string =>
        read.get(`${controller}/${file}`) ??
        read.get(`/sys/block/${name}/device/${file}`) ??
        read.get(`/sys/block/${name}/${file}`) ??
        ''
      return [{ name, path: target, model: at('model'), serial: at('serial'), transport: at('transport') }]
    })
    return known<Disks>({ disks })
  },
})

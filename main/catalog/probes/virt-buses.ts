import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  foundLines,
  grepIsComplete,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
} from '../read-text.ts'

export interface VirtualBuses {
  readonly vmbus: number
  readonly xen: number
  readonly virtio: number
  readonly qemuFirmwareConfig: boolean
  /** /sys/hypervisor/type */
  readonly hypervisorType: string | null
  /** Xen's control domain: it runs on the hypervisor and manages it. */
  readonly isControlDomain: boolean
  readonly deviceTreeHypervisor: string | null
  /** s390: the control program of the guest level, such as z/VM or KVM. */
  readonly controlProgram: string | null
  /** s390 and POWER: the machine is divided into logical partitions and this is one. */
  readonly isPartition: boolean
}

const VMBUS = '/sys/bus/vmbus/devices'
const XEN = '/sys/bus/xen/devices'
const VIRTIO = '/sys/bus/virtio/devices'
const FW_CFG = '/sys/firmware/qemu_fw_cfg'

/** Documentation/ABI: sysfs-bus-vmbus, sysfs-hypervisor-xen, sysfs-firmware-qemu_fw_cfg; proc_sysinfo of s390, lparcfg of POWER. */
export const virtBuses = defineProbe({
  id: 'virt.buses',
  title: 'Buses and files that only hypervisors provide',
  why: 'Paravirtual devices use their own buses, and some hypervisors expose files.',
  commands: {
    lists: run(['ls', '-1', VMBUS, XEN, VIRTIO, FW_CFG, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    files: run(
      [
        'grep',
        '-aH',
        '',
        '/sys/hypervisor/type',
        '/sys/hypervisor/properties/features',
        '/proc/xen/capabilities',
        '/proc/device-tree/hypervisor/compatible',
        '/proc/sysinfo',
        '/proc/ppc64/lparcfg',
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ lists, files }) {
    if (!listingIsComplete(lists)) return unknown('the buses of hypervisors could not be listed')
    if (!grepIsComplete(files)) return unknown('the files of hypervisors could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0) return unknown('the list of buses has an unexpected format')
    const found = foundLines(files.text)
    const first = (path: string): string | null =>
      found
        .find((one) => one.path === path)
        ?.line.replace(/\0/g, ' ')
        .trim() ?? null
    const sysinfo = found.filter(({ path }) => path === '/proc/sysinfo').map(({ line }) => line)
    return known<VirtualBuses>({
      vmbus: folders.get(VMBUS)?.length ?? 0,
      xen: folders.get(XEN)?.length ?? 0,
      virtio: folders.get(VIRTIO)?.length ?? 0,
      qemuFirmwareConfig: (folders.get(FW_CFG)?.length ?? 0) > 0,
      hypervisorType: first('/sys/hypervisor/type'),
      isControlDomain:
        /control_d/.test(first('/proc/xen/capabilities') ?? '') ||
        hasDom0Feature(first('/sys/hypervisor/properties/features')),
      deviceTreeHypervisor: first('/proc/device-tree/hypervisor/compatible'),
      controlProgram:
        sysinfo.flatMap((line) => /^VM00 Control Program:\s+(.+)$/.exec(line)?.[1] ?? [])[0]?.trim() ?? null,
      isPartition:
        sysinfo.some((line) => /^LPAR Number:/.test(line)) || found.some(({ path }) => path === '/proc/ppc64/lparcfg'),
    })
  },
})

// include/xen/interface/features.h: XENFEAT_dom0 is bit 11.
const hasDom0Feature = (features: string | null): boolean =>
  features !== null && /^[0-9a-f]{1,8}$/i.test(features) && (Number.parseInt(features, 16) & 0x800) !== 0

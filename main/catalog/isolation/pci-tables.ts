import type { PciDevice } from '../probes/pci-devices.ts'

/** Vendors of which every device is virtual, and the platform they name. */
export const VIRTUAL_VENDORS: ReadonlyMap<string, string> = new Map([
  ['1b36', 'QEMU'],
  ['1234', 'QEMU'],
  ['15ad', 'VMware'],
  ['5853', 'Xen'],
  ['80ee', 'VirtualBox'],
  ['1ab8', 'Parallels'],
])

/** Vendors whose devices guests have, and hardware with a data-processing unit has too. They decide nothing alone. */
export const SHARED_VENDORS: ReadonlyMap<string, string> = new Map([
  ['1af4', 'virtio'],
  ['1d0f', 'Amazon'],
  ['1ae0', 'Google'],
  ['1ded', 'Alibaba'],
  ['1414', 'Microsoft'],
])

/** Chipsets that emulators copy: 440FX (1996), Q35 (2007), 440BX (1998). Their processors had a front-side bus. */
export const COPIED_HOST_BRIDGES: ReadonlyMap<string, string> = new Map([
  ['8086:1237', 'Intel 440FX of 1996'],
  ['8086:29c0', 'Intel G33/Q35 of 2007'],
  ['8086:7190', 'Intel 440BX of 1998'],
  ['8086:7192', 'Intel 440BX of 1998'],
])

/** Host bridges that no hardware has, and who presents them. */
export const VIRTUAL_HOST_BRIDGES: ReadonlyMap<string, string> = new Map([
  ['8086:0d57', 'Firecracker and Cloud Hypervisor'],
  ['1b36:0008', 'QEMU'],
  ['106b:1a05', 'Apple Virtualization'],
  ['1275:1275', 'bhyve'],
  ['0b5d:0666', 'OpenBSD vmm'],
])

export interface CopiedPart {
  readonly name: string
  /** Which processors hardware never joined it with: all of 64 bits, or those launched after 2011. */
  readonly never: '64-bit' | 'since-2011'
}

/** Southbridges and ports that emulators copy. */
export const COPIED_PARTS: ReadonlyMap<string, CopiedPart> = new Map<string, CopiedPart>([
  ['8086:7000', { name: 'the southbridge Intel PIIX3 of 1996', never: '64-bit' }],
  ['8086:7110', { name: 'the southbridge Intel PIIX4 of 1997', never: '64-bit' }],
  ['8086:7113', { name: 'the southbridge Intel PIIX4 of 1997', never: '64-bit' }],
  ['8086:2918', { name: 'the southbridge Intel ICH9 of 2007', never: 'since-2011' }],
  ['8086:3420', { name: 'a port of the Intel X58 and 5500 chipsets of 2008', never: 'since-2011' }],
])
/** Host bridges of 32-bit processors. */
export const BRIDGES_OF_32_BITS: ReadonlySet<string> = new Set(['8086:1237', '8086:7190', '8086:7192'])

/** Manufacturers of PCI Express switches, as they are above GPUs in servers: PLX, Broadcom, Microchip, IDT. */
const SWITCH_VENDORS: ReadonlySet<string> = new Set(['10b5', '1000', '11f8', '111d'])
export const isSwitchPort = ({ vendor, class: kind }: PciDevice): boolean =>
  kind.startsWith('0604') && SWITCH_VENDORS.has(vendor)

export const isCopiedBridge = (vendor: string, device: string): boolean =>
  COPIED_HOST_BRIDGES.has(`${vendor}:${device}`) || VIRTUAL_HOST_BRIDGES.has(`${vendor}:${device}`)

/** ConnectX virtual functions (pci.ids). In a guest nothing else distinguishes them from physical ones. */
export const CONNECTX_VIRTUAL_FUNCTIONS: ReadonlySet<string> = new Set(['1014', '1016', '1018', '101a', '101c', '101e'])
const OTHER_VIRTUAL_FUNCTIONS: ReadonlySet<string> = new Set([
  '8086:154c',
  '8086:1889',
  '8086:10ed',
  '8086:1515',
  '8086:1520',
  '14e4:16dc',
  '14e4:1806',
  '14e4:1807',
])

/** A device of a vendor that makes nothing but virtual devices; of 1234 (unassigned) and Microsoft only the virtual display. */
export function virtualDevicePlatform({ vendor, device }: PciDevice): string | null {
  if (vendor === '1234' && device !== '1111') return null
  if (vendor === '1414' && device === '5353') return 'Microsoft Hyper-V'
  return VIRTUAL_VENDORS.get(vendor) ?? null
}

export const isVirtualFunction = ({ vendor, device }: PciDevice): boolean =>
  (vendor === '15b3' && CONNECTX_VIRTUAL_FUNCTIONS.has(device)) || OTHER_VIRTUAL_FUNCTIONS.has(`${vendor}:${device}`)

// Mesh, memory-controller and power-control functions of Intel server processors, Sandy Bridge to Emerald Rapids (pci.ids).
const INTEL_UNCORE =
  /^(09a[2-7]|324[0-9a-f]|325[0-8]|344[a-f]|345[0-9a-f]|20[0-8][0-9a-f]|2880|6f[0-9a-f]{2}|2f[0-9a-f]{2}|0e[0-9a-f]{2}|3c[0-9a-f]{2})$/

const NO_UNCORE_CLASS = /^(02|06|0c)/
/** Fewer than this is no inside of a processor: one id alone is also that of the host bridge. */
export const LEAST_UNCORE = 4

/** Functions that are the processor itself: Intel's uncore; AMD's and Hygon's data fabric at 00:18 and above. */
export const isUncore = ({ vendor, device, address, class: kind }: PciDevice): boolean =>
  (vendor === '8086' && INTEL_UNCORE.test(device) && !NO_UNCORE_CLASS.test(kind)) ||
  ((vendor === '1022' || vendor === '1d94') && /^0000:00:1[89a-f]\.[0-7]$/.test(address))

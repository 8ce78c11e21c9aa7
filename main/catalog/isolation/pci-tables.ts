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
export const VIRTUAL_HOST_BRIDGES: ReadonlyMap<string, string> = new Map([
  ['8086:0d57', 'Firecracker'],
  ['1b36:0008', 'QEMU'],
])

export const isCopiedBridge = (vendor: string, device: string): boolean =>
  COPIED_HOST_BRIDGES.has(`${vendor}:${device}`) || VIRTUAL_HOST_BRIDGES.has(`${vendor}:${device}`)

/** ConnectX virtual functions (pci.ids). In a guest nothing else tells them from physical ones. */
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

export const isVirtualFunction = ({ vendor, device }: PciDevice): boolean =>
  (vendor === '15b3' && CONNECTX_VIRTUAL_FUNCTIONS.has(device)) || OTHER_VIRTUAL_FUNCTIONS.has(`${vendor}:${device}`)

// Mesh, memory-controller and power-control functions of Intel server processors, Sandy Bridge to Emerald Rapids (pci.ids).
const INTEL_UNCORE =
  /^(09a[2-7]|324[0-9a-f]|325[0-8]|344[a-f]|345[0-9a-f]|20[0-8][0-9a-f]|2880|6f[0-9a-f]{2}|2f[0-9a-f]{2}|0e[0-9a-f]{2}|3c[0-9a-f]{2})$/

/** Functions that are the processor itself: Intel's uncore, AMD's data fabric at 00:18 and above. */
export const isUncore = ({ vendor, device, address, class: kind }: PciDevice): boolean =>
  (vendor === '8086' && INTEL_UNCORE.test(device) && !kind.startsWith('0c') && !kind.startsWith('02')) ||
  (vendor === '1022' && /^0000:00:1[89a-f]\.[0-7]$/.test(address))

import type { PciDevice } from '../probes/pci-devices.ts'

interface Board {
  readonly family: 'A100' | 'H100'
  /** NVSwitches of a baseboard with eight GPUs. A baseboard with four has none: its GPUs are joined directly. */
  readonly switches: number
}
const AMPERE: Board = { family: 'A100', switches: 6 }
const HOPPER: Board = { family: 'H100', switches: 4 }

/** NVIDIA GPUs that exist only as modules on a baseboard of four or eight, by their device id (pci.ids; NVIDIA’s list of supported GPUs). */
const MODULES: ReadonlyMap<string, Board> = new Map([
  ['20b0', AMPERE],
  ['20b2', AMPERE],
  ['20bd', AMPERE],
  ['20f3', AMPERE],
  ['2324', HOPPER],
  ['2329', HOPPER],
  ['2330', HOPPER],
  ['2335', HOPPER],
])
/** NVSwitches as PCI functions (pci.ids: 1af1; measured: 22a3). Switches of the generation after Hopper are none. */
const SWITCHES: ReadonlySet<string> = new Set(['1af1', '22a3'])

export const BASEBOARD = 8
export const SMALL_BASEBOARD = 4

export const boardOf = ({ vendor, device }: PciDevice): Board | null =>
  vendor === '10de' ? (MODULES.get(device) ?? null) : null
export const isNvSwitch = ({ vendor, device }: PciDevice): boolean => vendor === '10de' && SWITCHES.has(device)

/** Virtual functions of AMD's GPUs by device id; in a guest nothing else tells them from physical ones (pci.ids; amdgpu_drv.c, MI300X VF). */
const AMD_FUNCTIONS: ReadonlySet<string> = new Set(['686c', '692f', '73ae', '73ce', '74b5'])
export const isGpuFunction = ({ vendor, device }: Pick<PciDevice, 'vendor' | 'device'>): boolean =>
  vendor === '1002' && AMD_FUNCTIONS.has(device)

/**
 * Names of virtual GPUs end in a memory size and a letter for the kind of licence: L40S-2Q, A100-4C, H100-1-12C (NVIDIA vGPU software,
 * "virtual GPU types"). No board is called so: memory sizes of boards end in GB.
 */
export const isVirtualGpuName = (name: string): boolean => /-\d{1,3}[ABCQ](ME)?$/.test(name.trim())

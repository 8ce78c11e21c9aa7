import type { PciDevice } from '../pci/probes.ts'

interface Board {
  readonly family: 'A100' | 'H100' | 'GH200' | 'B200' | 'B300' | 'GB200' | 'GB300'
  /** NVSwitches as PCI functions next to eight GPUs. None on a baseboard with four, and none of the generations after Hopper. */
  readonly switches: number
  /** The fewest of them that hardware has in one machine. */
  readonly fewest: number
  /** NVLinks of each GPU. */
  readonly links: number
}

const AMPERE: Board = { family: 'A100', switches: 6, fewest: 4, links: 12 }
const HOPPER: Board = { family: 'H100', switches: 4, fewest: 4, links: 18 }
const GRACE_HOPPER: Board = { family: 'GH200', switches: 0, fewest: 1, links: 18 }
const BLACKWELL: Board = { family: 'B200', switches: 0, fewest: 8, links: 18 }
const BLACKWELL_ULTRA: Board = { family: 'B300', switches: 0, fewest: 8, links: 18 }
// Two GPUs on a module with one Grace; a module of GB300 for desks has one.
const GRACE_BLACKWELL: Board = { family: 'GB200', switches: 0, fewest: 2, links: 18 }
const GRACE_BLACKWELL_ULTRA: Board = { family: 'GB300', switches: 0, fewest: 1, links: 18 }
/** Parts with fewer links, made for markets with export limits: A800 and H800. */
const LINKS_LIMITED = 8

/**
 * NVIDIA GPUs that exist only as modules on a board, by their device id (pci.ids; NVIDIA's list of supported GPUs). Numbers of GPUs and
 * links: NVIDIA's data sheets of HGX, DGX and the Grace modules. NVIDIA fabric manager guide: switches after Hopper are managed over
 * adapters of the baseboard, and are no PCI functions.
 */
const MODULES: ReadonlyMap<string, Board> = new Map([
  ...['20b0', '20b2', '20b3'].map((id) => [id, AMPERE] as const),
  ...['20bd', '20f3'].map((id) => [id, { ...AMPERE, links: LINKS_LIMITED }] as const),
  ['2324', { ...HOPPER, links: LINKS_LIMITED }],
  ...['2328', '2329', '232c', '2330', '2335', '2337', '2338', '2339'].map((id) => [id, HOPPER] as const),
  ...['2342', '2345', '2348'].map((id) => [id, GRACE_HOPPER] as const),
  ...['2901', '2909', '290a', '2920'].map((id) => [id, BLACKWELL] as const),
  ['3182', BLACKWELL_ULTRA],
  ['2941', GRACE_BLACKWELL],
  ...['31a1', '31c2', '31c3'].map((id) => [id, GRACE_BLACKWELL_ULTRA] as const),
])
/** NVSwitches that are PCI functions (pci.ids: 1af1, 22a3). Switches of the generation after Hopper are not. */
const SWITCHES: ReadonlySet<string> = new Set(['1af1', '22a3'])

export const BASEBOARD = 8

export const boardOf = ({ vendor, device }: PciDevice): Board | null =>
  vendor === '10de' ? (MODULES.get(device) ?? null) : null

/** Ports of adapters on a baseboard of eight B200 or B300. */
const PORTS_OF_BOARD = 4

/**
 * How many InfiniBand ports of this machine can be those of its baseboard, which lead to its NVSwitches and to no network: after Hopper the
 * fabric manager reaches the switches over a ConnectX-7 of the board, of which only the vital product data differ from another (NVIDIA
 * fabric manager guide, “Systems using fourth generation NVSwitches”, and its start script, which looks for SW_MNG).
 */
export const portsOfBoard = (devices: readonly PciDevice[]): number =>
  devices.filter((device) => ['B200', 'B300'].includes(boardOf(device)?.family ?? '')).length >= BASEBOARD
    ? PORTS_OF_BOARD
    : 0

export const isNvSwitch = ({ vendor, device }: PciDevice): boolean => vendor === '10de' && SWITCHES.has(device)

/**
 * Virtual functions of AMD's GPUs by device id; in a guest nothing else distinguishes them from physical ones (pci.ids; libdrm amdgpu.ids;
 * Linux amdgpu_drv.c; the lists of functions in AMD's GPU operator and device plugin for Kubernetes). In the order of the ids: MI25, S7150,
 * V620, Navi 22; MI210; V710; MI300X, MI308X, MI325X, MI308X HF, MI300X HF; MI350X, MI355X.
 */
const AMD_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['686c', '692f', '73ae', '73ce', '7410', '7461'],
  ...['74b5', '74b6', '74b9', '74bc', '74bd', '75b0', '75b3'],
])
/**
 * Whole accelerators of AMD, from the same lists: MI25 to MI100, MI200, MI300, MI350, the Radeon Pro cards of servers, and cards for workstations
 * and for home use, which have no virtual functions: Polaris, Vega, Navi 1x to 4x.
 */
const AMD_WHOLE: ReadonlySet<string> = new Set([
  ...['6860', '6864', '66a0', '66a1', '738c', '738e', '7408', '740c', '740f'],
  ...['74a0', '74a1', '74a2', '74a5', '74a8', '74a9', '75a0', '75a3', '75a8'],
  ...['73a1', '7460'],
  ...['67c4', '67c7', '67df', '67e3', '67ef', '67ff', '6995', '699f', '6861', '6863', '6868', '687f', '66af'],
  ...['7312', '731f', '7340', '7341', '73a3', '73a5', '73af', '73bf', '73df', '73e3', '73ff', '7422', '743f'],
  ...['7448', '7449', '744c', '745e', '7470', '747e', '7480', '7489', '7550', '7551', '7590'],
])
/** Accelerators of Intel's Habana: Goya, Greco, Gaudi to Gaudi 3 (pci.ids; Linux drivers/accel/habanalabs). They have no virtual functions. */
const HABANA_WHOLE: ReadonlySet<string> = new Set(['0001', '0030', '1000', '1010', '1020', '1060', '1063'])

/** The driver of an accelerator’s own manufacturer, as the kernel binds it. */
const OWN_DRIVERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['10de', ['nvidia']],
  ['1002', ['amdgpu']],
  ['1da3', ['habanalabs']],
  ['8086', ['xe', 'i915']],
])
export const isUnderOwnDriver = ({ vendor, driver }: PciDevice): boolean =>
  driver !== null && OWN_DRIVERS.get(vendor)?.includes(driver) === true

export const isGpuFunction = ({ vendor, device }: Pick<PciDevice, 'vendor' | 'device'>): boolean =>
  vendor === '1002' && AMD_FUNCTIONS.has(device)

/**
 * An accelerator whose id is that of a whole one. An id on no list remains open; ids of NVIDIA and Intel do not show it, since
 * their virtual functions carry the id of the whole one.
 */
export const isWholeById = ({ vendor, device }: Pick<PciDevice, 'vendor' | 'device'>): boolean =>
  (vendor === '1002' && AMD_WHOLE.has(device)) || (vendor === '1da3' && HABANA_WHOLE.has(device))

/**
 * Names of virtual GPUs end in a memory size and a letter for the kind of licence: L40S-2Q, A100-4C, H100-1-12C (NVIDIA vGPU software,
 * "virtual GPU types"). No board is called so: memory sizes of boards end in GB.
 */
export const isVirtualGpuName = (name: string): boolean => /-\d{1,3}[ABCQ](ME)?$/.test(name.trim())

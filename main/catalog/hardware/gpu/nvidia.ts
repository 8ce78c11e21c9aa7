import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { inOrder, lines, whether } from '../../base/read-text.ts'

/** The text between the first opening of a tag and its end; empty where either is missing. */
function section(text: string, tag: string): string {
  const start = text.indexOf(`<${tag}>`)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start)
  return end < 0 ? '' : text.slice(start + tag.length + 2, end)
}

/** The same for a short word of the driver. */
const value = (text: string, tag: string): string => section(text, tag).trim().slice(0, 200)

const NOTHING = /^(|\[?n\/a\]?|none|not supported|unknown error|requested functionality has been deprecated)$/i

/** A value, or null where the driver printed one of its words for "no answer". Not for values that can be "None". */
function answered(text: string, tag: string): string | null {
  const stated = value(text, tag)
  return NOTHING.test(stated) ? null : stated
}

/** The number that a value begins with, such as 81559 in "81559 MiB" or 16 in "16x". */
function amount(text: string, tag: string): number | null {
  const digits = /^(\d{1,9})(?!\d)/.exec(value(text, tag))?.[1]
  return digits === undefined ? null : Number(digits)
}

/**
 * The driver’s error counts of a GPU’s memory. Null where it states none: error correction is off or not available.
 */
interface GpuMemoryErrors {
  /** Uncorrectable errors since the driver was loaded, and over the card's life. */
  readonly uncorrectedNow: number | null
  readonly uncorrectedEver: number | null
  readonly correctedEver: number | null
  /** Rows taken out of use after uncorrectable errors (Ampere and later), or pages (before). */
  readonly replaced: number | null
  /** A replacement waits for a reset of the GPU. */
  readonly isPending: boolean
  /** No spare row was left, or the driver states that memory cannot be repaired. */
  readonly hasFailed: boolean
}

/** nvidia-smi(1), “Ecc Errors”, “Page Retirement” and “Row Remapper”. The names of the counters changed with Ampere and with driver 545. */
export function readMemoryErrors(gpu: string): GpuMemoryErrors {
  const errors = section(gpu, 'ecc_errors')
  const [now, ever] = [section(errors, 'volatile'), section(errors, 'aggregate')]
  const [rows, pages] = [section(gpu, 'remapped_rows'), section(gpu, 'retired_pages')]
  const isYes = (text: string, tag: string): boolean => answered(text, tag) === 'Yes'
  return {
    uncorrectedNow: uncorrected(now),
    uncorrectedEver: uncorrected(ever),
    correctedEver: sum([
      amount(ever, 'sram_correctable'),
      amount(ever, 'dram_correctable'),
      amount(section(ever, 'single_bit'), 'total'),
    ]),
    replaced: sum([amount(rows, 'remapped_row_unc'), amount(section(pages, 'double_bit_retirement'), 'retired_count')]),
    isPending: isYes(rows, 'remapped_row_pending') || isYes(pages, 'pending_retirement'),
    hasFailed: isYes(rows, 'remapped_row_failure') || isYes(errors, 'unrepairable_memory'),
  }
}

const uncorrected = (counters: string): number | null =>
  sum([
    amount(counters, 'sram_uncorrectable'),
    amount(counters, 'sram_uncorrectable_parity'),
    amount(counters, 'sram_uncorrectable_secded'),
    amount(counters, 'dram_uncorrectable'),
    amount(section(counters, 'double_bit'), 'total'),
  ])

/** Sum of the numbers that are not null; null where none is. */
function sum(numbers: readonly (number | null)[]): number | null {
  const there = numbers.filter((number) => number !== null)
  return there.length === 0 ? null : there.reduce((total, number) => total + number, 0)
}

/** One slice of a divided GPU (MIG): its two ids, and how much of the GPU it has. */
interface GpuSlice {
  readonly gpuInstance: number | null
  readonly computeInstance: number | null
  readonly memoryMib: number | null
  readonly multiprocessors: number | null
}

interface GpuLink {
  /** Generation of the device’s own side, and of the host's; null where the driver states N/A or nothing. */
  readonly deviceGeneration: number | null
  readonly currentGeneration: number | null
  readonly maxWidth: number | null
  readonly currentWidth: number | null
}

/** The board’s statement of its position: servers of a rack-wide design have it, others state N/A. */
interface GpuPlatform {
  readonly chassisSerial: string | null
  readonly slot: string | null
  readonly tray: string | null
  readonly module: string | null
}

/** The NVLink fabric that a fabric manager put the GPU into. */
interface GpuFabric {
  /** Not Started, In Progress, Completed; null on GPUs without such a fabric. */
  readonly state: string | null
  readonly status: string | null
  readonly clique: string | null
  readonly cluster: string | null
}

export interface NvidiaGpu {
  /** As in the PCI list: four-digit domain, lower case. */
  readonly address: string
  readonly name: string
  readonly uuid: string
  readonly serial: string
  /** None, Pass-Through, VGPU, Host VGPU, Host VSGA: the driver's own conclusion. */
  readonly virtualization: string
  /** On a host that lends parts of it: SR-IOV or Non SR-IOV; null elsewhere. */
  readonly hostVgpuMode: string | null
  /** Whether virtual GPUs of different sizes may share it; null where none are lent. */
  readonly vgpuHeterogeneous: string | null
  /** A product that the vGPU software licenses, and the state of its license; null where the driver names none. */
  readonly licence: { readonly product: string; readonly status: string } | null
  readonly migMode: string
  readonly migDevices: number
  readonly slices: readonly GpuSlice[]
  /** Default, Exclusive_Process, Exclusive_Thread, Prohibited. */
  readonly computeMode: string | null
  /** Generation of the link's host side; N/A where the driver sees no real port above. */
  readonly maxHostLink: string | null
  readonly link: GpuLink
  /** Whether it hangs on a processor by NVLink-C2C: Enabled, Disabled or null. */
  readonly c2c: string | null
  readonly vbios: string | null
  readonly boardPart: string | null
  /** Vendor and device as in the PCI list, such as 10de:2330. */
  readonly pciId: string | null
  readonly platform: GpuPlatform
  readonly fabric: GpuFabric
  readonly ecc: string | null
  readonly memoryErrors: GpuMemoryErrors
  readonly memory: { readonly totalMib: number | null; readonly usedMib: number | null }
  readonly processes: readonly { readonly pid: number; readonly type: string; readonly memoryMib: number | null }[]
  /** The driver listed processes or none; false where it printed “N/A”, “Insufficient Permissions” or no list at all. */
  readonly hasProcessList: boolean
}

export interface NvidiaGpus {
  readonly driver: string
  readonly gpus: readonly NvidiaGpu[]
}

/** nvidia-smi(1), -q -x. The form follows nvsmi_device_v10.dtd to v13; only the named fields are read, and most are missing in some version. */
export const gpuNvidia = defineProbe({
  id: 'gpu.nvidia',
  title: 'NVIDIA GPUs',
  why: 'Shows whether the GPUs are whole, native and used by known processes only.',
  ignoredInDrift: {
    why: 'Memory in use, processes, the present speed of the link, the day to which a license was renewed, and counts of errors change with the workload; only whether there were errors is compared.',
    normalize: ({ driver, gpus }: NvidiaGpus) => ({
      driver,
      gpus: inOrder(
        gpus.map(({ memory, processes: _, link, licence, memoryErrors: errors, ...gpu }) => ({
          ...gpu,
          memoryMib: memory.totalMib,
          link: { deviceGeneration: link.deviceGeneration, maxWidth: link.maxWidth },
          licence: licence === null ? null : { ...licence, status: licence.status.replace(/\s*\(.*$/, '') },
          memoryErrors: {
            uncorrected: whether(errors.uncorrectedEver),
            replaced: whether(errors.replaced),
            isPending: errors.isPending,
            hasFailed: errors.hasFailed,
          },
        })),
      ),
    }),
  },
  commands: { query: run(['nvidia-smi', '-q', '-x'], { timeoutSeconds: 60 }) },
  parse: ({ query }) => (query.exitCode === 0 ? parseNvidiaSmi(query.text) : unknown('the GPU driver did not respond')),
})

export function parseNvidiaSmi(text: string): Parsed<NvidiaGpus> {
  const count = Number(/<attached_gpus>\s*(\d{1,4})\s*</.exec(text)?.[1] ?? Number.NaN)
  const gpus = text.split('<gpu id="').slice(1).map(readGpu)
  if (!text.trimEnd().endsWith('</nvidia_smi_log>') || gpus.length !== count || gpus.includes(null))
    return unknown('the output of nvidia-smi is not complete')
  return known({ driver: value(text, 'driver_version'), gpus: gpus.filter((gpu) => gpu !== null) })
}

function readGpu(block: string): NvidiaGpu | null {
  const [, domain, rest] = /^([0-9A-Fa-f]{4,8}):([0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])"/.exec(block) ?? []
  if (domain === undefined || rest === undefined || !block.includes('</gpu>')) return null
  // Slices come before the GPU's own serial, UUID and memory, under the same names.
  const slices = section(block, 'mig_devices')
  const own = slices === '' ? block : block.replace(slices, () => '')
  const mode = section(own, 'gpu_virtualization_mode')
  const [platform, fabric] = [section(own, 'platformInfo'), section(own, 'fabric')]
  const memory = section(own, 'fb_memory_usage')
  return {
    address: `${domain.slice(-4)}:${rest}`.toLowerCase(),
    name: value(own, 'product_name'),
    uuid: value(own, 'uuid'),
    serial: value(own, 'serial'),
    virtualization: value(mode, 'virtualization_mode'),
    hostVgpuMode: answered(mode, 'host_vgpu_mode'),
    vgpuHeterogeneous: answered(mode, 'vgpu_heterogeneous_mode'),
    licence: readLicence(own),
    migMode: value(own, 'current_mig'),
    migDevices: slices.split('<mig_device>').length - 1,
    slices: slices.split('<mig_device>').slice(1).map(readSlice),
    computeMode: answered(own, 'compute_mode'),
    maxHostLink: /<max_host_link_gen>/.test(own) ? value(own, 'max_host_link_gen') : null,
    link: readLink(section(own, 'pci_gpu_link_info')),
    c2c: answered(own, 'c2c_mode'),
    vbios: answered(own, 'vbios_version'),
    boardPart: answered(own, 'board_part_number') ?? answered(own, 'gpu_part_number'),
    pciId: readPciId(value(own, 'pci_device_id')),
    platform: {
      chassisSerial: answered(platform, 'chassis_serial_number'),
      slot: answered(platform, 'slot_number'),
      tray: answered(platform, 'tray_index'),
      module: answered(platform, 'module_id'),
    },
    fabric: {
      state: answered(fabric, 'state'),
      status: answered(fabric, 'status'),
      clique: answered(fabric, 'cliqueId'),
      cluster: answered(fabric, 'clusterUuid'),
    },
    ecc: answered(own, 'current_ecc'),
    memoryErrors: readMemoryErrors(own),
    memory: { totalMib: amount(memory, 'total'), usedMib: amount(memory, 'used') },
    hasProcessList: hasProcessList(own),
    processes: section(own, 'processes')
      .split('<process_info>')
      .slice(1)
      .flatMap((entry) => {
        const pid = /<pid>\s*(\d{1,10})\s*</.exec(entry)?.[1]
        return pid === undefined
          ? []
          : [{ pid: Number(pid), type: value(entry, 'type'), memoryMib: amount(entry, 'used_memory') }]
      }),
  }
}

/** An empty list, “None” or entries: everything else in its place is a reason why processes were not listed. */
function hasProcessList(block: string): boolean {
  const list = section(block, 'processes').trim()
  return block.includes('<processes>') && (/^(?:none)?$/i.test(list) || list.startsWith('<process_info>'))
}

// Drivers up to 450 called the section after GRID.
function readLicence(block: string): NvidiaGpu['licence'] {
  const found = section(block, 'vgpu_software_licensed_product') || section(block, 'grid_licensed_product')
  const product = answered(found, 'licensed_product_name')
  return product === null ? null : { product, status: value(found, 'license_status') }
}

const readSlice = (entry: string): GpuSlice => ({
  gpuInstance: amount(entry, 'gpu_instance_id'),
  computeInstance: amount(entry, 'compute_instance_id'),
  memoryMib: amount(section(entry, 'fb_memory_usage'), 'total'),
  multiprocessors: amount(entry, 'multiprocessor_count'),
})

const readLink = (block: string): GpuLink => ({
  deviceGeneration: amount(block, 'max_device_link_gen') ?? amount(block, 'max_link_gen'),
  currentGeneration: amount(block, 'current_link_gen'),
  maxWidth: amount(block, 'max_link_width'),
  currentWidth: amount(block, 'current_link_width'),
})

/** The driver prints the device first: 233010DE. */
function readPciId(text: string): string | null {
  const [, device, vendor] = /^(?:0x)?([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})$/.exec(text) ?? []
  return device === undefined || vendor === undefined ? null : `${vendor}:${device}`.toLowerCase()
}

export interface GpuLinks {
  readonly index: number
  readonly uuid: string | null
  /** Links that run, and their speed in GB/s, slowest and fastest. */
  readonly active: number
  readonly speeds: readonly [slowest: number, fastest: number] | null
  readonly inactive: number
}

export interface NvLinks {
  /** GPUs of which the driver listed links; one without NVLink has no entry. */
  readonly gpus: readonly GpuLinks[]
}

/** nvidia-smi(1), nvlink -s: a line per link with its speed, or "<inactive>". */
export const gpuNvlink = defineProbe({
  id: 'gpu.nvlink',
  title: 'GPU NVLink state',
  why: 'Shows which of the direct links between GPUs are active; a GPU assigned on its own to a guest has none.',
  commands: { status: run(['nvidia-smi', 'nvlink', '-s'], { timeoutSeconds: 60 }) },
  parse: ({ status }) =>
    status.exitCode === 0 ? parseNvLinks(status.text) : unknown('the GPU driver did not respond about NVLink'),
})

const NO_LINKS = /does not have or support NVLink|all links are inactive|not supported/i

export function parseNvLinks(text: string): Parsed<NvLinks> {
  const gpus: { index: number; uuid: string | null; speeds: number[]; inactive: number }[] = []
  for (const line of lines(text)) {
    const index = /^\s{0,8}GPU (\d{1,3}): /.exec(line)?.[1]
    if (index !== undefined) gpus.push({ index: Number(index), uuid: uuidOf(line), speeds: [], inactive: 0 })
    const [, speed, other] =
      /^\s{0,16}Link \d{1,3}: (?:(\d{1,5}(?:\.\d{1,6})?) GB\/s|(<inactive>|N\/A))/i.exec(line) ?? []
    const own = gpus.at(-1)
    if (own === undefined) continue
    if (speed !== undefined) own.speeds.push(Number(speed))
    else if (other !== undefined) own.inactive += 1
  }
  if (gpus.length === 0 && !NO_LINKS.test(text.slice(0, 4000)) && text.trim() !== '')
    return unknown('the output of nvidia-smi about NVLink has an unexpected format')
  return known({
    gpus: gpus.map(({ index, uuid, speeds, inactive }) => ({
      index,
      uuid,
      active: speeds.length,
      speeds: speeds.length === 0 ? null : rangeOf(speeds),
      inactive,
    })),
  })
}

const rangeOf = (speeds: readonly number[]): readonly [number, number] => [
  speeds.reduce((least, speed) => Math.min(least, speed)),
  speeds.reduce((most, speed) => Math.max(most, speed)),
]

const uuidOf = (line: string): string | null => /\(UUID: (GPU-[0-9a-f-]{36})\)/.exec(line)?.[1] ?? null

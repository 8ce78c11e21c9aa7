import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import type { Process, Processes } from '../../base/processes.ts'
import { listedFolders, listingIsComplete, longListing, sysfsFound, sysfsValues } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  asList,
  asRecord,
  foundLines,
  grepIsComplete,
  inOrder,
  isAbsent,
  type JsonValue,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
  readJson,
  readUnits,
  showUnits,
} from '../../base/read-text.ts'

interface AmdGpu {
  /** PCI address; null where the tool gave none. */
  readonly address: string | null
  readonly name: string
  readonly serial: string | null
  readonly vbios: string | null
  /** SPX for a whole accelerator; null where it cannot be divided. */
  readonly partition: string | null
}

interface AmdGpus {
  readonly gpus: readonly AmdGpu[]
}

const NOTHING = /^(|n\/a|none|unknown|0x0)$/i
// More than one machine has; a longer list is not read.
const MAX_GPUS = 128

/** amd-smi(1), static: its keys move between releases, so each is searched for where some release has it. */
export const gpuAmd = defineProbe({
  id: 'gpu.amd',
  title: 'AMD GPUs',
  why: 'Shows names, serial numbers and partitions of AMD accelerators, as reported by the vendor’s tool.',
  commands: { static: run(['amd-smi', 'static', '--json'], { timeoutSeconds: 60, maxBytes: 2 * 1024 * 1024 }) },
  parse: (answers) =>
    answers.static.exitCode === 0 ? parseAmdSmi(answers.static.text) : unknown('the GPU driver did not respond'),
})

/** rocm-smi, which the releases before 6 have. Its JSON is an object per card, with headings as keys. */
export const gpuAmdLegacy = defineProbe({
  id: 'gpu.amd-legacy',
  title: 'AMD GPUs (older tool)',
  why: 'Shows names and serial numbers of AMD accelerators where only the older tool is installed.',
  commands: {
    cards: run(
      ['rocm-smi', '--showproductname', '--showuniqueid', '--showserial', '--showvbios', '--showbus', '--json'],
      { timeoutSeconds: 60, maxBytes: 2 * 1024 * 1024 },
    ),
  },
  parse: ({ cards }) => (cards.exitCode === 0 ? parseRocmSmi(cards.text) : unknown('the GPU driver did not respond')),
})

export function parseAmdSmi(text: string): Parsed<AmdGpus> {
  const read = readJson(text.trim(), 'amd-smi')
  if (!read.ok) return read
  const top = asList(asRecord(read.fact).gpu_data).length > 0 ? asRecord(read.fact).gpu_data : read.fact
  const list = asList(top)
  if (!Array.isArray(top) || list.length > MAX_GPUS) return unknown('the output of amd-smi has an unexpected format')
  return known({
    gpus: list.map((entry) => {
      const { asic, board, bus, vbios, ifwi, partition } = asRecord(entry)
      return {
        address: addressIn(word(asRecord(bus).bdf)),
        name: word(asRecord(asic).market_name) ?? word(asRecord(board).product_name) ?? '',
        serial: word(asRecord(board).product_serial) ?? word(asRecord(asic).asic_serial),
        vbios: word(asRecord(vbios).version) ?? word(asRecord(ifwi).version),
        partition: word(asRecord(partition).accelerator_partition) ?? word(asRecord(partition).compute_partition),
      }
    }),
  })
}

export function parseRocmSmi(text: string): Parsed<AmdGpus> {
  // Warnings can be before the object.
  const start = text.indexOf('{')
  const read = readJson(start < 0 ? '' : text.slice(start).trim(), 'rocm-smi')
  if (!read.ok) return read
  const cards = Object.entries(asRecord(read.fact)).filter(([name]) => /^card\d{1,3}$/.test(name))
  if (cards.length > MAX_GPUS) return unknown('the output of rocm-smi has an unexpected format')
  return known({
    gpus: cards.map(([, entry]) => {
      const fields = new Map(Object.entries(asRecord(entry)).map(([key, value]) => [key.toLowerCase(), value]))
      const of = (...names: readonly string[]): string | null =>
        names.flatMap((name) => word(fields.get(name)) ?? [])[0] ?? null
      return {
        address: addressIn(of('pci bus')),
        name: of('card series', 'card model') ?? '',
        serial: of('serial number', 'unique id'),
        vbios: of('vbios version'),
        partition: null,
      }
    }),
  })
}

function word(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || NOTHING.test(value.trim())) return null
  return value.trim().slice(0, 200)
}

const addressIn = (text: string | null): string | null =>
  /[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/.exec(text?.toLowerCase() ?? '')?.[0] ?? null

/** A GPU as the kernel's graphics layer lists it, without a tool of its manufacturer. */
export interface GpuCard {
  readonly name: string
  readonly address: string
  /** Four lower-case hex digits each. */
  readonly vendor: string
  readonly device: string
  /** What AMD’s driver reports: a chip id, its serial number, BIOS, and partitioning. */
  readonly uniqueId: string | null
  readonly serial: string | null
  readonly productName: string | null
  readonly vbios: string | null
  /** SPX for a whole accelerator; DPX, QPX, CPX for one cut into two, four or all its chips. */
  readonly partition: string | null
  /** PCI address of the physical function that this one is a part of. */
  readonly physicalFunction: string | null
}

export interface GpuCards {
  readonly cards: readonly GpuCard[]
}

const FILES = [
  'vendor',
  'device',
  'unique_id',
  'serial_number',
  'product_name',
  'vbios_version',
  'current_compute_partition',
]
const CARD = /^card\d{1,3}$/

/**
 * Documentation/gpu/amdgpu/driver-misc.rst; Documentation/ABI/testing/sysfs-bus-pci. Works for every manufacturer whose driver is a
 * graphics driver.
 */
export const gpuCards = defineProbe({
  id: 'gpu.cards',
  title: 'GPUs known to the graphics layer',
  why: 'Shows IDs and partitions of AMD and Intel GPUs, and whether one is only a part of another, without vendor tools.',
  ignoredInDrift: {
    why: 'Cards are numbered in the order in which their drivers start.',
    normalize: ({ cards }: GpuCards) => ({ cards: inOrder(cards.map(({ name: _, ...card }) => card)) }),
  },
  commands: {
    list: run(['ls', '-l', '/sys/class/drm']),
    values: run([
      'grep',
      '-sH',
      '',
      ...FILES.map((name) => glob(`/sys/class/drm/card*/device/${name}`)),
      glob('/sys/class/drm/card*/device/physfn/uevent'),
    ]),
  },
  parse({ list, values }) {
    if (isAbsent(list)) return known<GpuCards>({ cards: [] })
    if (list.exitCode !== 0) return unknown('the graphics cards could not be listed')
    const read = sysfsValues(values.text, FILES)
    const parents = new Map(
      sysfsFound(values.text, ['uevent']).flatMap(({ path, line }) => {
        const address = /^PCI_SLOT_NAME=([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/.exec(line)?.[1]
        return address === undefined ? [] : [[path.split('/')[4] ?? '', address] as const]
      }),
    )
    const cards = longListing(lines(list.text)).flatMap(({ name, target }) => {
      const address = /\/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\/drm\/card\d{1,3}$/.exec(target ?? '')?.[1]
      return CARD.test(name) && address !== undefined ? [readCard(name, address, read, parents)] : []
    })
    if (cards.includes(null)) return unknown('the ids of a listed graphics card could not be read')
    return known<GpuCards>({ cards: cards.filter((card) => card !== null) })
  },
})

function readCard(
  name: string,
  address: string,
  read: ReadonlyMap<string, string>,
  parents: ReadonlyMap<string, string>,
): GpuCard | null {
  const at = (file: string): string | null => {
    const value = read.get(`/sys/class/drm/${name}/device/${file}`)?.slice(0, 200)
    return value === undefined || value === '' ? null : value
  }
  const id = (file: string): string | undefined => /^0x([0-9a-f]{4})$/.exec(at(file)?.toLowerCase() ?? '')?.[1]
  const [vendor, device] = [id('vendor'), id('device')]
  if (vendor === undefined || device === undefined) return null
  return {
    name,
    address,
    vendor,
    device,
    uniqueId: at('unique_id'),
    serial: at('serial_number'),
    productName: at('product_name'),
    vbios: at('vbios_version'),
    partition: at('current_compute_partition'),
    physicalFunction: parents.get(name) ?? null,
  }
}

interface GpuConfidential {
  readonly isOn: boolean
  /** The mode in which several GPUs and their switches are protected together: they are then part of a confidential guest too. */
  readonly isProtectedGroup: boolean
  /** The processor feature named by the driver, such as INTEL TDX or AMD SEV; null where it names none. */
  readonly processor: string | null
  /** Whether the GPUs could do it. */
  readonly isCapable: boolean
}

/** nvidia-smi(1), conf-compute -q; NVIDIA’s deployment guide for confidential computing. */
export const gpuConfCompute = defineProbe({
  id: 'gpu.conf-compute',
  title: 'Confidential computing of the GPUs',
  why: 'Shows whether GPU memory and transfers are encrypted; GPUs do so only for a confidential virtual machine.',
  commands: { state: run(['nvidia-smi', 'conf-compute', '-q'], { timeoutSeconds: 60 }) },
  parse: ({ state }) => {
    const read = parseConfCompute(state.text)
    if (read.ok && state.exitCode === 0) return read
    const printed = `${state.text.slice(0, 2000)}${state.errorText.slice(0, 2000)}`
    return /not supported/i.test(printed)
      ? known({ isOn: false, isProtectedGroup: false, processor: null, isCapable: false })
      : unknown('the GPU driver did not report whether confidential computing is on')
  },
})

export function parseConfCompute(text: string): Parsed<GpuConfidential> {
  const fields = new Map(
    lines(text.slice(0, 20_000)).flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const]
    }),
  )
  const state = fields.get('cc state') ?? fields.get('cc status')
  if (state === undefined || !/^(on|off)$/i.test(state))
    return unknown('the output of nvidia-smi about confidential computing has an unexpected format')
  const processor = fields.get('cpu cc capabilities')
  return known({
    isOn: /^on$/i.test(state),
    isProtectedGroup: /^protected/i.test(fields.get('multi-gpu mode') ?? ''),
    processor: processor === undefined || /^(none|n\/a|)$/i.test(processor) ? null : processor.slice(0, 80),
    isCapable: /^cc capable$/i.test(fields.get('gpu cc capabilities') ?? ''),
  })
}

interface GpuService {
  readonly unit: string
  /** Whether the service manager lists such a unit. */
  readonly loaded: boolean
  readonly active: boolean
}

interface GpuServices {
  readonly services: readonly GpuService[]
}

// The fabric manager runs where the NVSwitches are: on the hardware's own system, or in a guest that was given them too. IMEX joins
// servers of one rack; vgpud and vgpu-mgr run on a host that lends virtual GPUs; gridd fetches licences in a guest that has one.
const UNITS = ['nvidia-fabricmanager', 'nvidia-imex', 'nvidia-vgpud', 'nvidia-vgpu-mgr', 'nvidia-gridd'] as const

export const gpuFabric = defineProbe({
  id: 'gpu.fabric',
  title: 'Services that manage the GPUs',
  why: 'Shows whether this system manages the switches between its GPUs itself, and whether it provides or uses virtual GPUs.',
  commands: {
    units: showUnits('Id,LoadState,ActiveState,UnitFileState', UNITS),
  },
  parse({ units }) {
    const states = readUnits(units, UNITS)
    if (!states.ok) return states
    return known<GpuServices>({
      services: [...states.fact].map(([unit, state]) => ({
        unit,
        loaded: state.get('LoadState') === 'loaded',
        active: state.get('ActiveState') === 'active',
      })),
    })
  },
})

export const gpuServiceRuns = ({ services }: GpuServices, unit: (typeof UNITS)[number]): boolean =>
  services.some((service) => service.unit === unit && service.active)

/** What the kernel module of NVIDIA’s driver reports about a GPU, without the driver’s tools. */
interface DrivenGpu {
  readonly address: string
  readonly model: string
  readonly uuid: string | null
  readonly vbios: string | null
}

export interface GpuModules {
  /** Loaded modules that drive GPUs, or lend them to guests. */
  readonly modules: readonly string[]
  /** Version of NVIDIA’s kernel module; null where it is not loaded. */
  readonly driver: string | null
  readonly gpus: readonly DrivenGpu[]
  /** Devices that the kernel can divide into virtual ones (mediated devices). */
  readonly dividing: readonly string[]
}

const ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/
const DIVIDING = '/sys/class/mdev_bus'

/** proc_modules(5); NVIDIA driver README, "proc file system interface"; Documentation/driver-api/vfio-mediated-device.rst. */
export const gpuModules = defineProbe({
  id: 'gpu.modules',
  title: 'GPU drivers in the kernel',
  why: 'Shows which GPUs the kernel drives, and whether it can assign parts of them to virtual machines.',
  commands: {
    modules: run(
      [
        'grep',
        '-H',
        '-E',
        '^(nvidia|nvidia_uvm|nvidia_vgpu_vfio|nouveau|nova_core|amdgpu|gim|i915|xe|kvmgt|mdev|vfio_pci) |^Linux$',
        '/proc/modules',
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
    cards: run(
      ['grep', '-H', '', '/proc/driver/nvidia/version', glob('/proc/driver/nvidia/gpus/*/information'), ALWAYS_FILE],
      OF_ALWAYS_FILE,
    ),
    dividing: run(['ls', '-1', DIVIDING, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
  },
  parse({ modules, cards, dividing }) {
    if (!grepIsComplete(modules)) return unknown('the loaded modules could not be read')
    if (!grepIsComplete(cards)) return unknown('the GPU driver’s report in /proc could not be read')
    if (!listingIsComplete(dividing)) return unknown('the mediated devices could not be listed')
    const found = sysfsFound(cards.text, ['version', 'information'])
    return known<GpuModules>({
      modules: foundLines(modules.text).flatMap(({ line }) => /^\w{1,64}(?= )/.exec(line)?.[0] ?? []),
      driver:
        found.flatMap(
          ({ line }) => /^NVRM version: .*?\s(\d{2,4}\.\d{1,4}(?:\.\d{1,4})?)\s/.exec(line)?.[1] ?? [],
        )[0] ?? null,
      gpus: gpusOf(found),
      dividing: (listedFolders(dividing.text).get(DIVIDING) ?? []).filter((name) => ADDRESS.test(name)),
    })
  },
})

function gpusOf(found: readonly { readonly path: string; readonly line: string }[]): readonly DrivenGpu[] {
  const fields = new Map<string, Map<string, string>>()
  for (const { path, line } of found) {
    const address = path.split('/').at(-2)?.toLowerCase() ?? ''
    const colon = line.indexOf(':')
    if (!ADDRESS.test(address) || colon < 1) continue
    const own = fields.get(address) ?? new Map<string, string>()
    fields.set(
      address,
      own.set(
        line.slice(0, colon).trim(),
        line
          .slice(colon + 1)
          .trim()
          .slice(0, 200),
      ),
    )
  }
  // Question marks stand where the driver has not started the GPU.
  const read = (text: string | undefined): string | null => (text === undefined || /^\?|\?\?/.test(text) ? null : text)
  return [...fields].map(([address, own]) => ({
    address,
    model: own.get('Model') ?? '',
    uuid: read(own.get('GPU UUID')),
    vbios: read(own.get('Video BIOS')),
  }))
}

interface GpuSharing {
  /** Folders of the multi-process service that exist: the one with its pipes, the one with its logs. */
  readonly folders: readonly string[]
}

/** NVIDIA Multi-Process Service, "Environment variables": the default folders of CUDA_MPS_PIPE_DIRECTORY and CUDA_MPS_LOG_DIRECTORY. */
export const gpuMps = defineProbe({
  id: 'gpu.mps',
  title: 'GPU sharing between processes',
  why: 'Shows traces of the service by which several users’ programs run on one GPU at once.',
  commands: { folders: run(['ls', '-d', '/tmp/nvidia-mps', '/var/log/nvidia-mps']) },
  parse({ folders }) {
    if (folders.exitCode !== 0 && !isAbsent(folders))
      return unknown('the folders of the service could not be looked for')
    return known<GpuSharing>({ folders: lines(folders.text).filter((path) => path.startsWith('/')) })
  },
})

// Names as ps shows them: cut after 15 characters.
const SERVICE = /^nvidia-cuda-mps/

/** Processes of the multi-process service: its control program and its server. */
export const sharingProcesses = ({ processes }: Processes): readonly Process[] =>
  processes.filter(({ command }) => SERVICE.test(command))

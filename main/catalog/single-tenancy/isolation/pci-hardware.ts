import { quote } from '../../../core/base/plain-text.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { count } from '../../base/steps.ts'
import { type PciDevice, pciDevices, pciPorts } from '../../hardware/pci/probes.ts'
import { type CpuFeatures, cpuFeatures } from '../../hardware/processors/features.ts'

/** Processors that come with one kind of host bridge: part of them since Nehalem, so the two cannot be mixed. */
interface Generation {
  readonly name: string
  /** Models of Intel family 6 (arch/x86/include/asm/intel-family.h). */
  readonly models: readonly number[]
  /** Device ids that Intel gave the host bridge, vendor 8086 (pci.ids). */
  readonly bridge: RegExp
}

const GENERATIONS: readonly Generation[] = [
  { name: 'Nehalem or Westmere server', models: [0x1a, 0x2c, 0x2e, 0x2f], bridge: /^340[0-7]$/ },
  { name: 'Sandy Bridge server', models: [0x2d], bridge: /^3c0[01]$/ },
  { name: 'Ivy Bridge server', models: [0x3e], bridge: /^0e0[01]$/ },
  { name: 'Haswell server', models: [0x3f], bridge: /^2f0[01]$/ },
  { name: 'Broadwell server', models: [0x4f, 0x56], bridge: /^6f0[01]$/ },
  { name: 'Skylake or Cascade Lake server', models: [0x55], bridge: /^2020$/ },
  // From Ice Lake to Xeon 6 one device is at the head of every root bus. pci.ids names it for Xeon 6 with P-cores (0xad, 0xae); those with
  // E-cores (0xaf, 0xdd) have the same I/O dies, and drivers/edac/i10nm_base.c reads both at the same places (gnr_cfg).
  { name: 'Ice Lake server or newer', models: [0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae, 0xaf, 0xdd], bridge: /^09a2$/ },
  { name: 'Sandy Bridge', models: [0x2a], bridge: /^010[048c]$/ },
  { name: 'Ivy Bridge', models: [0x3a], bridge: /^015[048c]$/ },
  { name: 'Haswell', models: [0x3c, 0x45, 0x46], bridge: /^(0c0[048]|0a0[048]|0d0[048])$/ },
]

const bridgeOf = (device: string): Generation | null => GENERATIONS.find(({ bridge }) => bridge.test(device)) ?? null

/** The generation of this processor, where its host bridges are on record. Null for other manufacturers and other models. */
const generationOf = ({ vendor, family, model }: CpuFeatures): Generation | null =>
  vendor === 'GenuineIntel' && family === 6
    ? (GENERATIONS.find(({ models }) => model !== null && models.includes(model)) ?? null)
    : null

interface GenerationFit {
  readonly fit: 'fits' | 'differs' | 'unknown'
  /** The processors that the bridge is a part of; null where it is not on record. */
  readonly bridgeOf: string | null
  readonly processor: string | null
}

/** Whether Intel's host bridge with this device id is part of this processor. Only two that are both on record can differ. */
export function fitOfBridge(cpu: CpuFeatures, device: string): GenerationFit {
  const [own, other] = [generationOf(cpu), bridgeOf(device)]
  const fit = own === null || other === null ? 'unknown' : own === other ? 'fits' : 'differs'
  return { fit, bridgeOf: other?.name ?? null, processor: own?.name ?? null }
}

const OLDER_INTEL = new Set([0x2c, 0x2e, 0x2f, 0x35, 0x36])

/** A processor whose memory controller and PCI Express root are in it and whose chipset is newer than 2010: Sandy Bridge, AMD family 14h, or later. */
export function isSince2011({ vendor, family, model }: CpuFeatures): boolean {
  if (family === null || model === null) return false
  if (vendor === 'GenuineIntel') return family === 6 ? model >= 0x2a && !OLDER_INTEL.has(model) : family > 15
  return (vendor === 'AuthenticAMD' && family >= 0x14) || (vendor === 'HygonGenuine' && family >= 0x18)
}

const UNCORE_ALWAYS = new Set([0x55, 0x6a, 0x6c, 0x8f, 0xcf])
const UNCORE_OFTEN = new Set([0x2d, 0x3e, 0x3f, 0x4f, 0x56, 0xad, 0xae, 0xaf, 0xdd])

/**
 * Whether the inside of this processor shows on the PCI bus. AMD: northbridge or data fabric at 00:18, since family 0Fh, and the kernel
 * cannot do without. Intel: servers; firmware hid the buses on some older ones. Null where it is unknown.
 */
export function showsUncore({ vendor, family, model }: CpuFeatures): 'always' | 'often' | 'never' | null {
  if (family === null || model === null) return null
  if (vendor === 'AuthenticAMD') return family >= 0x0f ? 'always' : 'never'
  if (vendor === 'HygonGenuine') return 'always'
  if (vendor !== 'GenuineIntel' || family !== 6) return null
  if (UNCORE_ALWAYS.has(model)) return 'always'
  return UNCORE_OFTEN.has(model) ? 'often' : 'never'
}

/**
 * The same for AMD, and for Hygon after its design: family, its models, and vendor and device of the host bridge
 * (pci.ids).
 */
const AMD_GENERATIONS: readonly {
  readonly name: string
  readonly family: number
  readonly models: readonly number[]
  readonly bridge: RegExp
}[] = [
  { name: 'Opteron', family: 0x10, models: [0x2, 0x4, 0x6, 0x8, 0x9, 0xa], bridge: /^(1002:5a1[0-4]|1022:960[01])$/ },
  { name: 'Opteron', family: 0x15, models: [0x1, 0x2], bridge: /^(1002:5a1[0-4]|1022:960[01])$/ },
  { name: 'Zen', family: 0x17, models: [0x1, 0x8], bridge: /^1022:1450$/ },
  { name: 'Hygon Dhyana', family: 0x18, models: [0x0, 0x1, 0x2], bridge: /^(1022|1d94):1450$/ },
  { name: 'Zen 2', family: 0x17, models: [0x31, 0x71], bridge: /^1022:1480$/ },
  { name: 'Zen 3', family: 0x19, models: [0x1, 0x8, 0x21], bridge: /^1022:1480$/ },
  { name: 'Zen 4 server', family: 0x19, models: [0x11, 0x18, 0xa0, 0xa1, 0xa2], bridge: /^1022:14a4$/ },
  { name: 'Zen 4', family: 0x19, models: [0x61], bridge: /^1022:14d8$/ },
  { name: 'Zen 5 server', family: 0x1a, models: [0x2, 0x8, 0x11], bridge: /^1022:153a$/ },
  { name: 'Zen 5', family: 0x1a, models: [0x44], bridge: /^1022:14d8$/ },
]

/** The name of the processor’s generation where it is on record and the bridge is its own; null where either is unknown, or they differ. */
const amdOf = ({ family, model }: CpuFeatures, vendor: string, device: string): string | null =>
  AMD_GENERATIONS.find(
    (one) =>
      one.family === family && model !== null && one.models.includes(model) && one.bridge.test(`${vendor}:${device}`),
  )?.name ?? null

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

/**
 * A drive controller that a BlueField data-processing unit emulates (pci.ids: 15b3:6001, NVMe SNAP Controller): its manufacturer builds no
 * drives, and who operates the unit chooses model and serial number.
 */
export const isUnitDrive = ({ vendor, class: kind }: Pick<PciDevice, 'vendor' | 'class'>): boolean =>
  vendor === '15b3' && kind.startsWith('01')

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

interface CopiedPart {
  readonly name: string
  /** Processors that hardware never combined it with: all 64-bit ones, or those launched after 2011. */
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

/** Manufacturers of PCI Express switches, as found above GPUs in servers: PLX, Broadcom, Microchip, IDT. */
const SWITCH_VENDORS: ReadonlySet<string> = new Set(['10b5', '1000', '11f8', '111d'])
export const isSwitchPort = ({ vendor, class: kind }: PciDevice): boolean =>
  kind.startsWith('0604') && SWITCH_VENDORS.has(vendor)

const isCopiedBridge = (vendor: string, device: string): boolean =>
  COPIED_HOST_BRIDGES.has(`${vendor}:${device}`) || VIRTUAL_HOST_BRIDGES.has(`${vendor}:${device}`)

/** A device of a vendor that makes nothing but virtual devices; of 1234 (unassigned) and Microsoft only the virtual display. */
export function virtualDevicePlatform({ vendor, device }: PciDevice): string | null {
  if (vendor === '1234' && device !== '1111') return null
  if (vendor === '1414' && device === '5353') return 'Microsoft Hyper-V'
  return VIRTUAL_VENDORS.get(vendor) ?? null
}

// Mesh, memory-controller and power-control functions of Intel server processors, Sandy Bridge to Emerald Rapids (pci.ids).
const INTEL_UNCORE =
  /^(09a[2-7]|324[0-9a-f]|325[0-8]|344[a-f]|345[0-9a-f]|20[0-8][0-9a-f]|2880|6f[0-9a-f]{2}|2f[0-9a-f]{2}|0e[0-9a-f]{2}|3c[0-9a-f]{2})$/

const NO_UNCORE_CLASS = /^(02|06|0c)/
/** Fewer functions than this are not the interior of a processor: one id alone may be that of the host bridge. */
export const LEAST_UNCORE = 4

/** Functions that are the processor itself: Intel's uncore; AMD's and Hygon's data fabric at 00:18 and above. */
export const isUncore = ({ vendor, device, address, class: kind }: PciDevice): boolean =>
  (vendor === '8086' && INTEL_UNCORE.test(device) && !NO_UNCORE_CLASS.test(kind)) ||
  ((vendor === '1022' || vendor === '1d94') && /^0000:00:1[89a-f]\.[0-7]$/.test(address))

/**
 * One part of the minimum evidence for hardware: whether it is met, and what was observed or is missing, as a
 * sentence.
 */
interface Held {
  readonly holds: boolean
  readonly text: string
}

const held = (text: string): Held => ({ holds: true, text })
const missing = (text: string): Held => ({ holds: false, text })

/**
 * Manufacturers of arm64 server and edge processors, whose root ports carry their vendor id (pci.ids). Amazon is
 * excluded: its host bridge and ports (1d0f:0200) occur in guests on its processors as well (measured).
 */
const ARM_MAKERS: ReadonlyMap<string, string> = new Map([
  ['10de', 'NVIDIA'],
  ['1def', 'Ampere'],
  ['177d', 'Cavium or Marvell'],
  ['14e4', 'Broadcom'],
  ['19e5', 'HiSilicon'],
  ['1db7', 'Phytium'],
  ['15b3', 'NVIDIA Mellanox'],
  ['17cb', 'Qualcomm'],
  ['1957', 'NXP'],
  ['1e0a', 'Fujitsu'],
  ['106b', 'Apple'],
])

const name = ({ address, vendor, device }: PciDevice): string => `${address} (${vendor}:${device})`
const isVirtual = (device: PciDevice): boolean =>
  virtualDevicePlatform(device) !== null || isCopiedBridge(device.vendor, device.device)

/**
 * The function at the root of the tree: 0000:00:00.0, or the first function of the lowest bus where it does not
 * exist.
 */
export const rootFunction = (devices: readonly PciDevice[]): PciDevice | null =>
  devices.find(({ address }) => address === '0000:00:00.0') ?? null

/** Whether the head of the PCI tree is of the processor’s manufacturer and generation. Not read does not hold. */
export function rootFitsProcessor(read: Read): Held {
  const [pci, cpu] = [read(pciDevices), read(cpuFeatures)]
  if (!pci.ok) return missing(`${pciDevices.title}: ${pci.reason}.`)
  if (!cpu.ok) return missing(`${cpuFeatures.title}: ${cpu.reason}.`)
  const { devices } = pci.fact
  if (cpu.fact.architecture === 'arm64') return armRoot(devices)
  const root = rootFunction(devices)
  if (cpu.fact.architecture !== 'x86' || root === null)
    return missing('The head of the PCI tree, 0000:00:00.0, is not there, or is on no record for this architecture.')
  return isVirtual(root)
    ? missing(`The head of the PCI tree, ${name(root)}, is one that hypervisors present.`)
    : x86Root(cpu.fact, root)
}

// Opterons of 2010 to 2016 sit behind chipsets of ATI, bought by AMD and still under its own vendor id.
const X86_MAKERS: Readonly<Record<string, readonly string[]>> = {
  GenuineIntel: ['8086'],
  AuthenticAMD: ['1022', '1002'],
  HygonGenuine: ['1d94', '1022'],
}

/** Whether a port or bridge is of the processor’s manufacturer, and not a model of one that emulators copy. */
const isOfProcessor = (cpu: CpuFeatures, port: PciDevice): boolean =>
  !isVirtual(port) &&
  !COPIED_PARTS.has(`${port.vendor}:${port.device}`) &&
  (cpu.architecture === 'arm64'
    ? ARM_MAKERS.has(port.vendor)
    : X86_MAKERS[cpu.vendor ?? '']?.includes(port.vendor) === true)

function x86Root(cpu: CpuFeatures, root: PciDevice): Held {
  if (X86_MAKERS[cpu.vendor ?? '']?.includes(root.vendor) !== true)
    return missing(`The root of the PCI tree, ${name(root)}, is not of the processor’s manufacturer.`)
  const { fit, bridgeOf } = fitOfBridge(cpu, root.device)
  if (fit === 'differs') return missing(`The head of the PCI tree, ${name(root)}, is part of a ${bridgeOf} processor.`)
  const generation = root.vendor === '8086' ? (fit === 'fits' ? bridgeOf : null) : amdOf(cpu, root.vendor, root.device)
  // A processor or a bridge that is on no record can be any person's invention: neither makes the other fit.
  return generation === null
    ? missing(`Whether the head of the PCI tree, ${name(root)}, is part of this processor is on no record.`)
    : held(`The head of the PCI tree, ${name(root)}, is part of a ${generation} processor, as this one is.`)
}

function armRoot(devices: readonly PciDevice[]): Held {
  const ports = devices.filter(({ class: kind, above }) => /^060[04]/.test(kind) && above.length === 0)
  const own = ports.find((port) => ARM_MAKERS.has(port.vendor) && !isVirtual(port))
  return own === undefined || ports.some(isVirtual)
    ? missing('No PCI root port of a known arm64 processor manufacturer was observed, or one that hypervisors present.')
    : held(`The PCI root port ${name(own)} is of ${ARM_MAKERS.get(own.vendor)}, which makes arm64 processors.`)
}

/** Functions of the processor’s inside on the PCI bus. Processors that show none (desktops, arm64) need none. */
export function uncoreFunctions(read: Read): Held {
  const [pci, cpu] = [read(pciDevices), read(cpuFeatures)]
  if (!pci.ok) return missing(`${pciDevices.title}: ${pci.reason}.`)
  if (!cpu.ok) return missing(`${cpuFeatures.title}: ${cpu.reason}.`)
  if (cpu.fact.architecture === 'arm64') return held('Processors of this architecture show no inside on the PCI bus.')
  const found = pci.fact.devices.filter(isUncore)
  if (found.length >= LEAST_UNCORE)
    return held(
      `${count(found.length, 'PCI function belongs', 'PCI functions belong')} to the inside of the processor (memory controllers, mesh, data fabric).`,
    )
  const shown = showsUncore(cpu.fact)
  // Nothing is known about Intel models that are not on record; anyone could have invented them.
  if (cpu.fact.vendor === 'GenuineIntel' && generationOf(cpu.fact) === null)
    return missing('Which PCI functions show the inside of this processor is on no record.')
  return shown === 'never'
    ? held('Processors of this kind show no inside on the PCI bus.')
    : missing(
        `The PCI functions of the processor’s inside (memory controllers, mesh, data fabric) are not there, which ${quote(cpu.fact.modelName ?? 'this processor')} would show.`,
      )
}

/** Ports that run, or could run, at 8 GT/s or more on lanes that hardware has; not those that a provider shows to its guests. */
export const fastPorts = (devices: readonly PciDevice[]): readonly PciDevice[] =>
  devices.filter(
    (device) =>
      device.class.startsWith('0604') &&
      (device.maxLinkSpeed ?? 0) >= 8 &&
      (device.maxLinkWidth ?? 1) <= 16 &&
      !SHARED_VENDORS.has(device.vendor) &&
      !isVirtual(device),
  )

/** Real PCI Express ports: fast ones that show the register blocks which the speed requires. Without their capabilities nothing is known of them. */
export function realPorts(read: Read): Held {
  const pci = read(pciDevices)
  if (!pci.ok) return missing(`${pciDevices.title}: ${pci.reason}.`)
  const fast = fastPorts(pci.fact.devices)
  if (fast.length === 0) return missing('No PCI port has a link of 8 GT/s or more.')
  const found = `${count(fast.length, 'PCI port')} with links of 8 GT/s or more`
  const ports = read(pciPorts)
  if (!ports.ok) return missing(`${found}, as self-reported. ${pciPorts.title}: ${ports.reason}.`)
  const whole = ports.fact.ports.filter(
    ({ address, equalizes }) => equalizes && fast.some((p) => p.address === address),
  )
  return whole.length > 0
    ? held(`${found}, ${whole.length} of them with the registers for link equalization.`)
    : missing(`${found}, and none shows the registers for link equalization.`)
}

/**
 * Data-processing units: the whole functions and the bridges that they show to the machine they are in, and no virtual function (pci.ids).
 */
const UNITS: ReadonlySet<string> = new Set([
  // NVIDIA BlueField to BlueField-4: adapters, bridges of the card and bridges that it emulates, its management interface.
  ...['a2d0', 'a2d1', 'a2d2', 'a2d4', 'a2d5', 'a2d6', 'a2d7', 'a2d8', 'a2d9'].map((id) => `15b3:${id}`),
  ...['a2da', 'a2db', 'a2dc', 'a2dd', 'a2de', 'a2df'].map((id) => `15b3:${id}`),
  ...['1975', '1978', '197a', '197b', '197c', '2021', '2024', '2025'].map((id) => `15b3:${id}`),
  ...['c2d1', 'c2d2', 'c2d3', 'c2d4', 'c2d5', 'c2d6'].map((id) => `15b3:${id}`),
  // AMD Pensando.
  ...['0002', '0008', '1000', '1001', '1002', '1004', '1005', '1007', '100c'].map((id) => `1dd8:${id}`),
  // Intel’s infrastructure processors; Broadcom Stingray; Alibaba’s card.
  ...['8086:1452', '14e4:d802', '14e4:d804', '1ded:2050', '1ded:5011', '1ded:8000'],
])
/**
 * Manufacturers of cards that a provider builds for itself. Each of their functions belongs to such a card, or to a
 * hypervisor.
 */
const PROVIDERS: ReadonlySet<string> = new Set(['1d0f', '1ae0', '1ded'])
const VIRTIO = '1af4'

/**
 * Functions that guests have, where a card in this machine presents them: each is behind a port of the processor
 * whose link equalization registers were read, a virtio function next to a data-processing unit below that same port.
 * The appearance of such a function decides about that device, and nothing about the machine. Without an answer about
 * the ports, there is none: QEMU’s ports lack these registers, and Amazon’s ports (1d0f:0200) occur in guests as well
 * (measured: an instance with eight H100).
 */
export function cardFunctions(read: Read): ReadonlySet<string> {
  const [pci, cpu, ports] = [read(pciDevices), read(cpuFeatures), read(pciPorts)]
  if (!pci.ok || !cpu.ok || !ports.ok) return new Set()
  const { devices } = pci.fact
  const equalizing = new Set(ports.fact.ports.filter(({ equalizes }) => equalizes).map(({ address }) => address))
  const real = new Set(
    fastPorts(devices)
      .filter((port) => port.above.length === 0 && isOfProcessor(cpu.fact, port) && equalizing.has(port.address))
      .map(({ address }) => address),
  )
  const portOf = ({ above: [first] }: PciDevice): string | null =>
    first !== undefined && real.has(first) ? first : null
  const withUnit = new Set(
    devices.filter(({ vendor, device }) => UNITS.has(`${vendor}:${device}`)).flatMap((unit) => portOf(unit) ?? []),
  )
  return new Set(
    devices
      .filter((device) => {
        const port = portOf(device)
        return port !== null && (PROVIDERS.has(device.vendor) || (device.vendor === VIRTIO && withUnit.has(port)))
      })
      .map(({ address }) => address),
  )
}

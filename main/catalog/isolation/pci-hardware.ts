import { quote } from '../../core/plain-text.ts'
import { type CpuFeatures, cpuFeatures } from '../probes/cpu-features.ts'
import { type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { pciPorts } from '../probes/pci-ports.ts'
import { count } from '../steps.ts'
import { amdOf, fitOfBridge, generationOf, showsUncore } from './pci-generations.ts'
import {
  COPIED_PARTS,
  isCopiedBridge,
  isUncore,
  LEAST_UNCORE,
  SHARED_VENDORS,
  virtualDevicePlatform,
} from './pci-tables.ts'
import type { Read } from './signal.ts'

/** One part of the minimum evidence for hardware: whether it is there, and what was seen or is missing, as a sentence. */
export interface Held {
  readonly holds: boolean
  readonly text: string
}

const held = (text: string): Held => ({ holds: true, text })
const missing = (text: string): Held => ({ holds: false, text })

/**
 * Manufacturers of arm64 server and edge processors, whose root ports carry their vendor id (pci.ids). Amazon is none of them here: its
 * host bridge and ports (1d0f:0200) are in guests on its processors as well (measured).
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

/** The function at the head of the tree: 0000:00:00.0, or the first function of the lowest bus where there is none. */
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
export const isOfProcessor = (cpu: CpuFeatures, port: PciDevice): boolean =>
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
  // Of Intel's models that are on no record nothing is known: they can be any person's invention.
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
  const said = `${count(fast.length, 'PCI port')} with links of 8 GT/s or more`
  const ports = read(pciPorts)
  if (!ports.ok) return missing(`${said}, as self-reported. ${pciPorts.title}: ${ports.reason}.`)
  const whole = ports.fact.ports.filter(
    ({ address, equalizes }) => equalizes && fast.some((p) => p.address === address),
  )
  return whole.length > 0
    ? held(`${said}, ${whole.length} of them with the registers for link equalization.`)
    : missing(`${said}, and none shows the registers for link equalization.`)
}

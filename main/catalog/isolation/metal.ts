import type { Step } from '../../core/check.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { acpiOverview } from '../probes/acpi-overview.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { cpuPlatform, energyZones, processorSensors, uncoreUnits } from '../probes/cpu-platform.ts'
import { dmiIdentity } from '../probes/dmi-identity.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { INITIAL_NAMESPACES, NAMESPACE_KINDS, namespaces as namespacesProbe } from '../probes/namespaces.ts'
import { isNvidiaGpu, pciDevices } from '../probes/pci-devices.ts'
import { steal as stealProbe } from '../probes/steal.ts'
import { virtBuses } from '../probes/virt-buses.ts'
import { count, leavesUnclear, named, speaksFor } from '../steps.ts'
import { hasHostPowerBits } from './cpu-tables.ts'
import { isCopiedBridge, isUncore } from './pci-tables.ts'
import type { LayerReadings } from './readings.ts'

/** What of the minimum evidence for hardware was seen, and what is missing. Only an argument with nothing missing speaks for hardware. */
export interface MetalCase {
  readonly seen: readonly Step[]
  readonly missing: readonly Step[]
}

/** The minimum evidence, part by part: each either speaks for hardware or says what is missing. An unread part is never taken as absent. */
export function metalCase(readings: LayerReadings): MetalCase {
  const steps = [
    ...unread(readings),
    ...processor(readings),
    ...tree(readings),
    ...instruments(readings),
    ...session(readings),
    ...gpus(readings),
    ...quiet(readings),
  ]
  return { seen: steps.filter(({ says }) => says === 'for'), missing: steps.filter(({ says }) => says === 'unclear') }
}

function unread(readings: LayerReadings): readonly Step[] {
  const parts: readonly (readonly [Probe<unknown>, Parsed<unknown>])[] = [
    [cpuFeatures, readings.cpu],
    [cpuPlatform, readings.platform],
    [dmiIdentity, readings.dmi],
    [acpiOverview, readings.acpi],
    [pciDevices, readings.pci],
    [virtBuses, readings.buses],
    [stealProbe, readings.steal],
    [namespacesProbe, readings.namespaces],
  ]
  return parts.flatMap(([probe, reading]) =>
    reading.ok ? [] : [leavesUnclear(`${probe.title}: ${reading.reason}.`, probe)],
  )
}

function processor({ cpu }: LayerReadings): readonly Step[] {
  if (!cpu.ok) return []
  const { fact } = cpu
  if (fact.architecture !== 'x86' || fact.powerBitsAsked.length === 0)
    return [
      leavesUnclear(
        'This processor family does not show the power-management features that tell hardware from a guest; hardware cannot be argued for it yet.',
        cpuFeatures,
      ),
    ]
  const shown = `${fact.powerBits.length} of the ${fact.powerBitsAsked.length} power-management features that only a host may use`
  return [
    hasHostPowerBits(fact)
      ? speaksFor(`The processor shows ${shown}; virtual machines on record show at most 3.`, cpuFeatures)
      : leavesUnclear(`The processor shows ${shown}; hardware of its kind shows more.`, cpuFeatures),
    ...(fact.hypervisorBit
      ? []
      : [
          speaksFor(
            'The hypervisor flag of the processor is not set. One setting of a hypervisor hides it, so this alone says little.',
            cpuFeatures,
          ),
        ]),
  ]
}

function tree({ pci, cpu }: LayerReadings): readonly Step[] {
  if (!pci.ok) return []
  const { devices } = pci.fact
  const maker = cpu.ok
    ? { GenuineIntel: '8086', AuthenticAMD: '1022', HygonGenuine: '1d94' }[cpu.fact.vendor ?? '']
    : undefined
  const bridge = devices.find(
    ({ address, vendor, device }) => address === '0000:00:00.0' && vendor === maker && !isCopiedBridge(vendor, device),
  )
  const uncore = devices.filter(isUncore)
  return [
    bridge !== undefined
      ? speaksFor(
          `The root of the PCI tree, ${bridge.address} (${bridge.vendor}:${bridge.device}), is of the processor’s maker and generation, in a tree of ${count(devices.length, 'PCI device')}.`,
          pciDevices,
        )
      : leavesUnclear('The root of the PCI tree is not a current part of the processor’s maker.', pciDevices),
    uncore.length >= 4
      ? speaksFor(
          `${uncore.length} PCI functions belong to the inside of the processor (memory controllers, mesh, data fabric).`,
          pciDevices,
        )
      : leavesUnclear(
          'The PCI functions of the processor’s inside (memory controllers, mesh, data fabric) are not there.',
          pciDevices,
        ),
  ]
}

function instruments({ platform, pci }: LayerReadings): readonly Step[] {
  if (!platform.ok) return []
  const { fact } = platform
  const fastPorts = pci.ok
    ? pci.fact.devices.filter((device) => device.class.startsWith('0604') && (device.maxLinkSpeed ?? 0) >= 8)
    : []
  const found: readonly (readonly [string, readonly string[]])[] = [
    ['energy counters', energyZones(fact)],
    ['counting units outside the cores', uncoreUnits(fact)],
    ['memory controllers under error detection', fact.memoryControllers],
    ['processor sensors', processorSensors(fact)],
  ]
  const present = found.filter(([, names]) => names.length > 0)
  const steps = present.map(([what, names]) => speaksFor(`The kernel drives ${what}: ${named(names, 4)}.`, cpuPlatform))
  const ports =
    fastPorts.length > 0
      ? [speaksFor(`${count(fastPorts.length, 'PCI port')} with links of 8 GT/s or more.`, pciDevices, 'links')]
      : []
  return present.length + ports.length >= 2
    ? [...steps, ...ports]
    : [
        ...steps,
        ...ports,
        leavesUnclear(
          'Fewer than two of these were found: energy counters, uncore counters, memory error detection, processor sensors, fast PCI ports.',
          cpuPlatform,
        ),
      ]
}

function session({ namespaces }: LayerReadings): readonly Step[] {
  if (!namespaces.ok) return []
  const { own, secondProcess } = namespaces.fact
  const others = NAMESPACE_KINDS.filter((kind) => own[kind] !== INITIAL_NAMESPACES[kind])
  return [
    others.length === 0
      ? speaksFor('Our session sits in the system’s initial namespaces.', namespacesProbe, 'own')
      : leavesUnclear(`Our session is not in the initial namespace of: ${others.join(', ')}.`, namespacesProbe, 'own'),
    ...(secondProcess === 'kthreadd'
      ? []
      : [
          leavesUnclear(
            'The kernel’s own process does not stand second in the process list, or could not be read.',
            namespacesProbe,
            'first',
          ),
        ]),
  ]
}

function gpus({ pci, gpus: driver }: LayerReadings): readonly Step[] {
  const listed = pci.ok ? pci.fact.devices.filter(isNvidiaGpu) : []
  if (listed.length === 0) return []
  if (!driver.ok) return [leavesUnclear(`${gpuNvidia.title}: ${driver.reason}.`, gpuNvidia)]
  const native = driver.fact.gpus.filter(({ virtualization }) => /^(None|Host VGPU)$/i.test(virtualization))
  return [
    native.length === listed.length
      ? speaksFor(
          `The GPU driver says of no GPU that it was given to a guest (${listed.length} of ${listed.length} read).`,
          gpuNvidia,
        )
      : leavesUnclear(
          `The PCI bus has ${count(listed.length, 'NVIDIA GPU')}, and the driver says of ${native.length} that they are native.`,
          gpuNvidia,
        ),
  ]
}

function quiet({ steal, buses, acpi }: LayerReadings): readonly Step[] {
  const isQuiet = buses.ok && buses.fact.vmbus + buses.fact.xen + buses.fact.virtio === 0
  return [
    ...(steal.ok && steal.fact.steal === 0
      ? [speaksFor('No processor time was taken by a hypervisor since boot.', stealProbe)]
      : []),
    ...(isQuiet ? [speaksFor('The buses of Hyper-V, Xen and virtio carry no device.', virtBuses, 'lists')] : []),
    ...(buses.ok && buses.fact.virtio > 0
      ? [leavesUnclear(`${count(buses.fact.virtio, 'virtio device')} on the bus.`, virtBuses, 'lists')]
      : []),
    ...(acpi.ok && !acpi.fact.present ? [leavesUnclear('The firmware has no ACPI tables.', acpiOverview)] : []),
  ]
}

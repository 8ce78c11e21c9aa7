import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, named, supports, unclear } from '../../../base/steps.ts'
import {
  HYPERVISOR_DRIVERS,
  isVirtualFunctionId,
  PROVIDER_DRIVERS,
} from '../../../data-protection/network/known-adapters.ts'
import { type Fabric, type FabricAdapter, type FabricPort, infiniband, isFull } from '../../../hardware/fabric/index.ts'
import { rdmaGpudirect } from '../../../hardware/fabric/rdma.ts'
import { gpuNvidia, type NvidiaGpus } from '../../../hardware/gpu/nvidia.ts'
import { isNvidiaGpu, type PciDevice, pciDevices } from '../../../hardware/pci/probes.ts'
import { isSoftwareAdapter } from '../attachments.ts'
import {
  metal,
  neutral,
  notApplicable,
  type Observation,
  oddSign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'

const NO_ADAPTER = 'the kernel drives no fabric adapter'
const hardware = ({ adapters }: Fabric): readonly FabricAdapter[] => adapters.filter((one) => !isSoftwareAdapter(one))
const names = (adapters: readonly FabricAdapter[]): string =>
  named(
    adapters.map(({ name, pciId }) => (pciId === null ? name : `${name} ${pciId}`)),
    4,
  )
const isPart = ({ pciId, physicalFunction }: FabricAdapter): boolean =>
  physicalFunction !== null || isVirtualFunctionId(pciId)

const pf: Signal = {
  id: 'ib.pf',
  family: 'network',
  title: 'Whether the fabric adapters are whole',
  onMetal: 'physical functions, which can be divided',
  onGuest: 'virtual functions without the adapter that they are a part of',
  spoofingEffort: 'S1',
  pitfalls: [
    'An adapter that was passed through as a whole indicates bare metal.',
    'Dividing can be switched off in an adapter’s firmware.',
    'Amazon’s adapters are presented by a card of the provider on whole machines too.',
    'Containers with virtual functions of this very machine see the whole adapter as well.',
  ],
  source:
    'Documentation/ABI/stable/sysfs-class-infiniband, testing/sysfs-bus-pci; pci.ids (ConnectX virtual functions).',
  probes: [infiniband],
  observe(read) {
    const reading = read(infiniband)
    if (!reading.ok) return unreadable(infiniband, reading.reason)
    const adapters = hardware(reading.fact)
    if (adapters.length === 0) return notApplicable(NO_ADAPTER)
    const given = adapters.filter(({ driver }) => HYPERVISOR_DRIVERS.has(driver ?? ''))
    const provided = adapters.filter(({ driver }) => PROVIDER_DRIVERS.has(driver ?? ''))
    const alone = adapters.filter(
      (one) => isPart(one) && one.physicalFunction === null && !provided.includes(one) && !given.includes(one),
    )
    const signs = [
      ...(given.length > 0
        ? [
            sign(
              'names',
              HYPERVISOR_DRIVERS.get(given[0]?.driver ?? '') ?? null,
              contradicts(`Fabric adapters that only a hypervisor provides: ${names(given)}.`, infiniband, 'values'),
            ),
          ]
        : []),
      ...(alone.length > 0
        ? [
            oddSign(
              `Virtual functions of a fabric adapter that is not in this system: ${names(alone)}. On hardware both are.`,
              infiniband,
              'values',
            ),
          ]
        : []),
    ]
    if (signs.length > 0)
      return virtual(`${given.length + alone.length} of ${count(adapters.length, 'fabric adapter')}`, ...signs)
    const whole = adapters.filter((one) => one.pciId !== null && !isPart(one) && !provided.includes(one))
    const divisible = whole.filter(({ divisibleInto }) => (divisibleInto ?? 0) > 0)
    return whole.length === adapters.length
      ? metal(`${count(whole.length, 'physical function')}, ${divisible.length} of them divisible`)
      : neutral(`${whole.length} of ${count(adapters.length, 'fabric adapter')} known to be whole`)
  },
}

// InfiniBand Architecture Specification vol. 1, 10.9: bit 15 of a key is full membership; 0x7fff is the default partition.
const partition = (key: string): number => Number.parseInt(key, 16) & 0x7fff
const DEFAULT = 0x7fff

const pkey: Signal = {
  id: 'ib.pkey',
  family: 'network',
  title: 'Partitions of the fabric that the node is in',
  onMetal: 'a partition of the tenant’s own',
  onGuest: 'the same: a partition is set by who manages the fabric',
  spoofingEffort: 'S0',
  pitfalls: [
    'Shows who can be reached over the fabric, never what the machine is.',
    'Only the provider can state the other members of a partition; ports over Ethernet have one default key that is no evidence.',
    'A limited member cannot talk to other limited members, and can to every full one.',
  ],
  source: 'InfiniBand Architecture Specification vol. 1, 10.9; Documentation/ABI/stable/sysfs-class-infiniband.',
  probes: [infiniband],
  observe(read) {
    const reading = read(infiniband)
    if (!reading.ok) return unreadable(infiniband, reading.reason)
    const active = reading.fact.ports.filter(({ isActive, linkLayer }) => isActive && linkLayer === 'InfiniBand')
    if (active.length === 0)
      return notApplicable(
        reading.fact.adapters.length === 0 ? NO_ADAPTER : 'no port of an InfiniBand fabric is active',
      )
    const keys = [...new Set(active.flatMap(({ partitionKeys }) => partitionKeys))].sort()
    const own = keys.filter((key) => partition(key) !== DEFAULT)
    const open = active.filter(({ partitionKeys }) =>
      partitionKeys.some((key) => partition(key) === DEFAULT && isFull(key)),
    )
    return neutral(
      own.length > 0
        ? `own partition ${own
            .map((key) => `0x${key}`)
            .slice(0, 4)
            .join(', ')}`
        : 'the default partition only',
      ...(open.length > 0
        ? [
            unclear(
              `${open.length} of ${count(active.length, 'InfiniBand port')} ${open.length === 1 ? 'is a full member' : 'are full members'} of the default partition, which reaches every member of the fabric.`,
              infiniband,
              'values',
            ),
          ]
        : own.length > 0
          ? [
              supports(
                `The InfiniBand ports are in a partition of their own: ${own
                  .map((key) => `0x${key} (${isFull(key) ? 'full' : 'limited'} member)`)
                  .slice(0, 4)
                  .join(', ')}. The provider has to state its other members.`,
                infiniband,
                'values',
              ),
            ]
          : []),
      ...managers(active),
    )
  },
}

/** The manager of the subnet decides who is in which partition: whether it runs on this node is worth knowing. */
const managers = (ports: readonly FabricPort[]): readonly ReturnType<typeof unclear>[] => {
  const here = ports.filter(({ lid, managerLid }) => lid !== null && lid !== 0 && lid === managerLid)
  return here.length === 0
    ? []
    : [
        unclear(
          `The manager of the fabric runs on this node (${count(here.length, 'port')}): it sets the partitions itself.`,
          infiniband,
          'values',
        ),
      ]
}

/** A machine with at least this many whole adapters was built for GPUs; slices of it have one or two. */
const MANY = 4

const scale: Signal = {
  id: 'ib.scale',
  family: 'network',
  title: 'Number of fabric adapters relative to GPUs',
  onMetal: 'about one for each GPU in servers that are built for them',
  onGuest: 'none or one; all of them where a whole machine was handed over',
  spoofingEffort: 'S1',
  pitfalls: [
    'Clouds hand all adapters of a machine to one guest (Azure’s ND series): many of them are no sign of hardware by themselves.',
    'Servers with few adapters for many GPUs exist, and so do GPU servers without a fabric.',
  ],
  source: 'NVIDIA’s DGX A100 and H100 system guides. Measured: corpus (DGX A100: 10 adapters).',
  probes: [infiniband, pciDevices, rdmaGpudirect],
  observe(read) {
    const [reading, pci, direct] = [read(infiniband), read(pciDevices), read(rdmaGpudirect)]
    if (!reading.ok) return unreadable(infiniband, reading.reason)
    if (!pci.ok) return unreadable(pciDevices, pci.reason)
    const gpus = pci.fact.devices.filter(isNvidiaGpu).length
    const adapters = hardware(reading.fact)
    if (gpus === 0 || adapters.length === 0)
      return notApplicable(gpus === 0 ? 'no NVIDIA GPU is on the PCI bus' : NO_ADAPTER)
    const whole = adapters.filter((one) => one.pciId !== null && !isPart(one))
    const value = `${count(adapters.length, 'fabric adapter')} for ${count(gpus, 'GPU')}`
    const modules = direct.ok ? direct.fact.modules.filter((one) => !/^(rdma_rxe|siw)$/.test(one)) : []
    const steps =
      modules.length > 0
        ? [
            unclear(
              `Direct paths between adapters, drives and GPU memory are ready: ${named(modules)}. Guests that were given both have them too.`,
              rdmaGpudirect,
              'modules',
            ),
          ]
        : []
    return whole.length >= MANY && whole.length >= gpus / 2 ? metal(value, ...steps) : neutral(value, ...steps)
  },
}

/** Signals of the fabric adapters. */
export const fabricSignals: readonly Signal[] = [pf, pkey, scale]

/** NVIDIA GPUs on the PCI bus; null where the bus was not read. */
function listedGpus(read: Read): number | null {
  const pci = read(pciDevices)
  return pci.ok ? pci.fact.devices.filter(isNvidiaGpu).length : null
}

/** No NVIDIA GPU: not on the bus, and none listed by a driver. An unread bus leaves that open. */
export function lacksNvidia(read: Read): Observation | null {
  const driver = read(gpuNvidia)
  return listedGpus(read) === 0 && !(driver.ok && driver.fact.gpus.length > 0)
    ? notApplicable('The PCI bus has no NVIDIA GPU.')
    : null
}

/**
 * Judges what the driver reports about its GPUs. Without a driver's report it cannot be evaluated; a machine without such GPUs has nothing
 * to evaluate.
 */
export function onNvidia(read: Read, judge: (driver: NvidiaGpus, listed: number | null) => Observation): Observation {
  const none = lacksNvidia(read)
  if (none !== null) return none
  const driver = read(gpuNvidia)
  if (!driver.ok) return unreadable(gpuNvidia, driver.reason)
  return driver.fact.gpus.length === 0
    ? unreadable(gpuNvidia, 'the driver responds, and lists no GPU')
    : judge(driver.fact, listedGpus(read))
}

/** Judges the devices of a PCI bus that was read; a machine without one has nothing to evaluate. */
export function onPci(read: Read, judge: (devices: readonly PciDevice[]) => Observation): Observation {
  const reading = read(pciDevices)
  if (!reading.ok) return unreadable(pciDevices, reading.reason)
  return reading.fact.devices.length === 0 ? notApplicable('The machine has no PCI bus.') : judge(reading.fact.devices)
}

import type { DraftObservation } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { isSoftwareAdapter } from '../isolation/locality/hca.ts'
import { type Fabric, type FabricAdapter, type FabricPort, infiniband } from '../probes/infiniband.ts'
import { type PciDevices, pciDevices } from '../probes/pci-devices.ts'
import { type RdmaLinks, rdmaLinks } from '../probes/rdma-links.ts'
import { contradicts, count, named, unclear } from '../steps.ts'

/** An RDMA port of hardware with the adapter it belongs to. */
export interface Port extends FabricPort {
  readonly of: FabricAdapter
}

export function portsOf({ adapters, ports }: Fabric): readonly Port[] {
  const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]))
  return ports.flatMap((port) => {
    const of = byName.get(port.adapter)
    return of === undefined || isSoftwareAdapter(of) ? [] : [{ ...port, of }]
  })
}

export const portName = ({ adapter, port }: FabricPort): string => `${adapter}/${port}`

/** Of ports that should be active and are not: against where the kernel states that each is down, else it stays open. */
export function withoutActive(ports: readonly Port[], rdma: Parsed<RdmaLinks>, kind: string): DraftObservation {
  const down = new Set(
    rdma.ok ? rdma.fact.ports.filter(({ active }) => !active).map(({ device, port }) => `${device}/${port}`) : [],
  )
  const text = `None of ${count(ports.length, `${kind} port`)} is active: ${named(ports.map(portName))}.`
  return ports.every((port) => down.has(portName(port))) ? contradicts(text, rdmaLinks) : unclear(text, infiniband)
}

/** Network adapters, by vendor and device, that can do RDMA and whose port the kernel lists only with a driver of its own (pci.ids). */
const ABLE: readonly RegExp[] = [/^15b3:/, /^14e4:(16[cd]|17[56])/, /^19e5:a22/, /^8086:(159|18[89]|37[cd])/]

/** Why no port of that kind is there: against where the bus was read whole and holds no adapter that could have one. */
export function withoutPort({ devices }: PciDevices, fabric: Fabric, kind: 'InfiniBand' | 'RoCE'): DraftObservation {
  const seen = new Set(fabric.adapters.map(({ pciAddress }) => pciAddress))
  const idle = devices.filter(
    (device) =>
      !seen.has(device.address) &&
      (kind === 'InfiniBand'
        ? device.class.startsWith('0207')
        : device.class.startsWith('0200') && ABLE.some((id) => id.test(`${device.vendor}:${device.device}`))),
  )
  if (devices.length === 0)
    return unclear('No device is listed on a PCI bus, so that nothing shows which adapters there are.', pciDevices)
  return idle.length > 0
    ? unclear(
        `${count(idle.length, 'adapter')} on the PCI bus could have a port of ${kind}, and the kernel has none for it.`,
        pciDevices,
      )
    : contradicts(
        `No ${kind} port of an adapter among ${count(fabric.ports.length, 'RDMA port')}, and no idle adapter for one among ${count(devices.length, 'PCI device')}.`,
        infiniband,
      )
}

import { type DraftObservation, defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import type { Parsed } from '../../core/probe.ts'
import { type Fabric, infiniband } from '../probes/infiniband.ts'
import { type PciDevices, pciDevices } from '../probes/pci-devices.ts'
import { type RdmaLinks, rdmaLinks } from '../probes/rdma-links.ts'
import { decide, named, supports, unclear } from '../steps.ts'
import { portName, portsOf, withoutActive, withoutPort } from './fabric-ports.ts'
import { oneOf } from './values.ts'

const KINDS = ['roce-v2', 'infiniband', 'either'] as const

/**
 * Drivers whose adapters all use RoCE version 2: ConnectX-4 and later (mlx5), NetXtreme-E (bnxt), Kunpeng (hns). Older ones use version 1,
 * and adapters of other manufacturers can be set to iWARP, with the same kind of port.
 */
const VERSION_2: ReadonlySet<string> = new Set(['mlx5_core', 'bnxt_en', 'hns3'])

const LIMITS =
  'An active port of an adapter that supports it, as reported by the kernel. Which version of RoCE a connection uses is chosen for each connection and not read, and neither are the switches’ settings against loss.'

const CLAIMS: Readonly<Record<(typeof KINDS)[number], string>> = {
  infiniband: 'An RDMA port over InfiniBand is active.',
  'roce-v2': 'An RDMA port over Ethernet is active, of an adapter that supports RoCE version 2.',
  either: 'An RDMA port is active, over InfiniBand or of an adapter that supports RoCE version 2.',
}

export const networkRdma: ClaimTest = {
  id: 'network.rdma',
  title: 'An RDMA port of the claimed kind is active.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: LIMITS,
  of(value) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    return defineCheck({
      id: 'network.rdma',
      property: 'operations',
      expected: CLAIMS[kind],
      limitations: LIMITS,
      requires: { fabric: infiniband, pci: pciDevices },
      optional: { rdma: rdmaLinks },
      evaluate({ fabric, pci }, { rdma }) {
        const steps = (kind === 'either' ? (['infiniband', 'roce-v2'] as const) : [kind]).map((one) =>
          stepOf(one, fabric, pci, rdma),
        )
        // Of two that both fit, one that is there is enough.
        const there = steps.filter(({ direction }) => direction === 'supports')
        const open = steps.filter(({ direction }) => direction === 'unclear')
        return decide(there.length > 0 ? there : open.length > 0 ? open : steps)
      },
    })
  },
}

function stepOf(
  kind: 'roce-v2' | 'infiniband',
  fabric: Fabric,
  pci: PciDevices,
  rdma: Parsed<RdmaLinks>,
): DraftObservation {
  const [layer, word] =
    kind === 'infiniband' ? (['InfiniBand', 'InfiniBand'] as const) : (['Ethernet', 'RoCE'] as const)
  const ports = portsOf(fabric).filter(({ linkLayer }) => linkLayer === layer)
  if (ports.length === 0) return withoutPort(pci, fabric, word)
  const active = ports.filter(({ isActive }) => isActive)
  if (active.length === 0) return withoutActive(ports, rdma, word)
  const able = active.filter(({ of }) => kind === 'infiniband' || VERSION_2.has(of.driver ?? ''))
  return able.length > 0
    ? supports(`Active over ${layer}: ${named(able.map(portName))}.`, infiniband)
    : unclear(
        `Active over ${layer}, by a driver that does not report the protocol: ${named(active.map(portName))}.`,
        infiniband,
      )
}

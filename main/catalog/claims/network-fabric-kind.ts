import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { infiniband } from '../probes/infiniband.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { decide, named, supports, unclear } from '../steps.ts'
import { portName, portsOf, withoutPort } from './fabric-ports.ts'
import { oneOf } from './values.ts'

const KINDS = ['infiniband', 'roce'] as const

const LIMITS =
  'The kind of link that RDMA ports of adapters have, by the kernel. A port that is there and not active leaves it open, and no port counts as absent while an adapter without a listed port could have one.'

/**
 * Which fabric a node has, for claims that concern one kind only. Unlike `network.rdma`, a port that is down never shows that the node has
 * no such fabric: the cable, not the order, can be at fault. Documentation/ABI/stable/sysfs-class-infiniband, link_layer.
 */
export const networkFabricKind: ClaimTest = {
  id: 'network.fabric-kind',
  title: 'The node has a port of the named kind of RDMA fabric.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: LIMITS,
  of(value) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    const word = kind === 'infiniband' ? 'InfiniBand' : 'RoCE'
    return defineCheck({
      id: 'network.fabric-kind',
      property: 'operations',
      expected: `An RDMA port of an adapter has the link of ${word}, and it is active.`,
      limitations: LIMITS,
      requires: { fabric: infiniband, pci: pciDevices },
      evaluate({ fabric, pci }) {
        const layer = kind === 'infiniband' ? 'InfiniBand' : 'Ethernet'
        const all = portsOf(fabric)
        const ports = all.filter(({ linkLayer }) => linkLayer === layer)
        const active = ports.filter(({ isActive }) => isActive)
        if (active.length > 0)
          return decide([supports(`Active over ${layer}: ${named(active.map(portName))}.`, infiniband)])
        if (ports.length > 0)
          return decide([unclear(`Over ${layer}, and not active: ${named(ports.map(portName))}.`, infiniband)])
        const unsaid = all.filter(({ linkLayer }) => linkLayer !== 'InfiniBand' && linkLayer !== 'Ethernet')
        return decide([
          unsaid.length > 0
            ? unclear(`The kernel does not give the kind of link of ${named(unsaid.map(portName))}.`, infiniband)
            : withoutPort(pci, fabric, word),
        ])
      },
    })
  },
}

import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { infiniband } from '../probes/infiniband.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { rdmaLinks } from '../probes/rdma-links.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { type Port, portName, portsOf, withoutActive, withoutPort } from './fabric-ports.ts'
import { MOST_GBPS, numberBetween } from './values.ts'

const LIMITS =
  'The nominal rate and width of a port, as the kernel gives them. The traffic and other users of the fabric’s switches are not shown; nothing was sent.'

export const networkInfinibandRate: ClaimTest = {
  id: 'network.infiniband-rate',
  title: 'An InfiniBand port is active at the claimed nominal rate or better.',
  takes: { kind: 'number', unit: 'Gbit/s' },
  limitations: LIMITS,
  of(value) {
    const promised = numberBetween(value, 1, MOST_GBPS)
    if (promised === null) return null
    return defineCheck({
      id: 'network.infiniband-rate',
      property: 'operations',
      expected: `An InfiniBand port is active at ${promised} Gbit/s or more.`,
      limitations: LIMITS,
      requires: { fabric: infiniband, pci: pciDevices },
      optional: { rdma: rdmaLinks },
      evaluate({ fabric, pci }, { rdma }) {
        const ports = portsOf(fabric).filter(({ linkLayer }) => linkLayer === 'InfiniBand')
        if (ports.length === 0) return decide([withoutPort(pci, fabric, 'InfiniBand')])
        const active = ports.filter(({ isActive }) => isActive)
        if (active.length === 0) return decide([withoutActive(ports, rdma, 'InfiniBand')])
        const fast = active.filter((port) => (gigabits(port) ?? 0) >= promised)
        if (fast.length > 0)
          return decide([supports(`Active at that rate or better: ${named(fast.map(rated))}.`, infiniband, 'values')])
        const silent = active.filter((port) => gigabits(port) === null)
        return decide([
          silent.length > 0
            ? unclear(
                `Active, with no rate reported by the kernel: ${named(silent.map(portName))}.`,
                infiniband,
                'values',
              )
            : contradicts(
                `Every InfiniBand port that is active is slower: ${named(active.map(rated))}.`,
                infiniband,
                'values',
              ),
        ])
      },
    })
  },
}

/** sysfs-class-infiniband: "200 Gb/sec (4X HDR)". */
function gigabits({ rate }: Port): number | null {
  const digits = /^(\d{1,6}(?:\.\d{1,3})?) Gb\/sec/.exec(rate)?.[1]
  return digits === undefined ? null : Number(digits)
}

const rated = (port: Port): string => `${portName(port)}, ${port.rate}`

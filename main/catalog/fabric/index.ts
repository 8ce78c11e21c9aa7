import { defineCheck } from '../../core/check.ts'
import { pciDevices } from '../pci/probes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { type FabricPort, infiniband } from './probes.ts'
import { encryptionInTransitFabric, rdmaGpudirect, rdmaLinks } from './rdma.ts'

// InfiniBand Architecture Specification vol. 1, 10.9: bit 15 of a key is full membership; 0x7fff is the default partition.
const isDefault = (key: string): boolean => (Number.parseInt(key, 16) & 0x7fff) === 0x7fff
const isFull = (key: string): boolean => (Number.parseInt(key, 16) & 0x8000) !== 0
const name = ({ adapter, port }: FabricPort): string => `${adapter}/${port}`

const tenancyFabricPartition = defineCheck({
  id: 'tenancy.fabric-partition',
  property: 'isolation',
  expected:
    'Every active InfiniBand port is a member of its own partition, and not a full member of the fabric’s default partition.',
  limitations:
    'The node’s own partition tables only. Which other servers are in the partition, and what the fabric’s switches enforce, is on the side of the provider. VLANs of Ethernet fabrics are not visible here.',
  requires: { fabric: infiniband, pci: pciDevices },
  evaluate({ fabric, pci }) {
    const cards = pci.devices.filter((device) => device.class.startsWith('0207'))
    if (fabric.adapters.length === 0)
      return pci.devices.length > 0 && cards.length === 0
        ? {
            verdict: 'not-applicable',
            observations: [
              supports(
                `No fabric adapter: none of the ${count(pci.devices.length, 'PCI device')} is one, and the kernel has none.`,
                infiniband,
                'adapters',
              ),
            ],
          }
        : decide([
            unclear(
              `${count(cards.length, 'InfiniBand adapter')} on the PCI bus, and the kernel drives none.`,
              infiniband,
              'adapters',
            ),
          ])
    const active = fabric.ports.filter(({ isActive }) => isActive)
    const ports = active.filter(({ linkLayer }) => linkLayer === 'InfiniBand')
    const others = active.filter(({ linkLayer }) => linkLayer !== 'InfiniBand')
    const open = ports.filter(({ partitionKeys }) => partitionKeys.some((key) => isDefault(key) && isFull(key)))
    const own = ports.filter(({ partitionKeys }) => partitionKeys.some((key) => !isDefault(key)))
    const bare = ports.filter((port) => !own.includes(port) && !open.includes(port))
    const keys = [...new Set(own.flatMap(({ partitionKeys }) => partitionKeys.filter((key) => !isDefault(key))))].sort()
    return decide([
      ...(open.length > 0
        ? [
            contradicts(
              `Full members of the default partition, which reaches every other member of the fabric (${open.length} of ${count(ports.length, 'port')}): ${named(open.map(name))}.`,
              infiniband,
              'values',
            ),
          ]
        : []),
      ...(own.length > 0 && open.length === 0
        ? [
            supports(
              `Members of a partition of their own, and not in full of the default one (${own.length} of ${count(ports.length, 'port')}): ${named(keys.map((key) => `0x${key}`))}.`,
              infiniband,
              'values',
            ),
          ]
        : []),
      ...(bare.length > 0
        ? [
            unclear(
              `No partition but limited membership of the default one (${bare.length} of ${count(ports.length, 'port')}).`,
              infiniband,
              'values',
            ),
          ]
        : []),
      ...(others.length > 0
        ? [
            unclear(
              `Fabric ports over Ethernet, where partitions are VLANs on the switch (${others.length}): ${named(others.map(name))}.`,
              infiniband,
              'values',
            ),
          ]
        : []),
      ...(active.length === 0
        ? [unclear(`None of ${count(fabric.ports.length, 'fabric port')} is active.`, infiniband, 'values')]
        : []),
    ])
  },
})

export const fabricSubject = defineSubject({
  id: 'fabric',
  title: 'RDMA fabric',
  probes: [infiniband, rdmaGpudirect, rdmaLinks],
  checks: [tenancyFabricPartition, encryptionInTransitFabric],
  data,
})

import { describe, expect, test } from 'vitest'
import { infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { gpuNvidia } from '../../main/catalog/hardware/gpu/nvidia.ts'
import {
  claimedGraph,
  compareWithPci,
  gpuTopology,
  parseTopology,
  relationOf,
} from '../../main/catalog/hardware/gpu/topology.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { readProbe } from '../../main/core/recording/probe.ts'
import { fact } from '../support/answers.ts'
import { fixtureOf } from '../support/evaluated.ts'
import { pci, TOPOLOGY_FLAT_GUEST, TOPOLOGY_OLD } from './gpu-forms.ts'

// A processor port, a switch below it, and a second switch below one of the first one's ports.
const SWITCH = ['0000:15:01.0', '0000:16:00.0'] as const
const gpu = pci('0000:18:00.0', '10de:2330', [...SWITCH, '0000:17:00.0'])
const besides = pci('0000:19:00.0', '15b3:1021', [...SWITCH, '0000:17:01.0'], '020700')
const deeper = pci('0000:1d:00.0', '15b3:1021', [...SWITCH, '0000:17:02.0', '0000:1a:00.0', '0000:1b:00.0'], '020700')
const otherPort = pci('0000:20:00.0', '10de:2330', ['0000:15:02.0'])
const otherRoot = pci('0000:3a:00.0', '10de:2330', ['0000:37:01.0'])

describe('what the PCI tree shows about two devices', () => {
  test.each([
    ['one switch', besides, 'PIX'],
    ['two switches', deeper, 'PXB'],
    ['two ports of one root', otherPort, 'PHB'],
    ['two roots', otherRoot, 'far'],
  ])('%s', (_, other, expected) => {
    expect(relationOf(gpu, other)).toBe(expected)
    expect(relationOf(other, gpu)).toBe(expected)
  })
  test('functions on the root bus itself meet in the processor', () =>
    expect(relationOf(pci('0000:00:1b.0', '10de:26b9'), pci('0000:00:1c.0', '10de:26b9'))).toBe('PHB'))
  test('a path that names no root shows nothing', () => expect(relationOf({ ...gpu, root: null }, besides)).toBeNull())
})

const node = (name: string) => {
  const by = fixtureOf(name).captures
  const { gpus } = fact(readProbe(gpuNvidia, by))
  const { adapters } = fact(readProbe(infiniband, by))
  const { devices } = fact(readProbe(pciDevices, by))
  return { graph: claimedGraph(fact(readProbe(gpuTopology, by)), { gpus, adapters }), devices }
}

describe('an eight-GPU server', () => {
  const { graph, devices } = node('demo-gpu-01')
  test('each pair once, each name with its device', () => {
    expect(graph.nodes).toHaveLength(16)
    expect(graph.edges).toHaveLength((16 * 15) / 2)
    expect(graph.nodes[0]).toEqual({
      id: 'GPU0',
      kind: 'gpu',
      label: 'GPU0 NVIDIA H100 80GB HBM3',
      address: '0000:18:00.0',
    })
    expect(graph.nodes[8]).toEqual({ id: 'NIC0', kind: 'nic', label: 'NIC0 mlx5_0', address: '0000:19:00.0' })
  })
  test('driver and tree agree', () =>
    expect(compareWithPci(graph, devices)).toEqual({ compared: 64, switched: 8, far: 56, disagreements: [] }))
})

describe('disagreements', () => {
  test('a guest’s driver names a switch, and its bus is flat', () => {
    const gpus = [
      { address: '0000:00:1b.0', name: 'NVIDIA L40S' },
      { address: '0000:00:1c.0', name: 'NVIDIA L40S' },
    ]
    const graph = claimedGraph(fact(parseTopology(TOPOLOGY_FLAT_GUEST)), { gpus, adapters: [] })
    const flat = gpus.map(({ address }) => pci(address, '10de:26b9'))
    expect(compareWithPci(graph, flat).disagreements).toEqual([
      { from: 'GPU0', to: 'GPU1', claimed: 'PIX', found: 'PHB', what: 'switch-claimed' },
    ])
  })
  test('a switch denied, and another distance', () => {
    const gpus = [
      { address: gpu.address, name: '' },
      { address: otherRoot.address, name: '' },
    ]
    const adapters = [{ name: 'mlx5_0', pciAddress: besides.address }]
    const matrix = fact(parseTopology(TOPOLOGY_OLD.replaceAll('PIX', 'SYS').replaceAll('NV12', 'PHB')))
    const { disagreements } = compareWithPci(claimedGraph(matrix, { gpus, adapters }), [gpu, besides, otherRoot])
    expect(disagreements.map(({ from, to, what }) => [from, to, what])).toEqual([
      ['GPU0', 'GPU1', 'distance'],
      ['GPU0', 'mlx5_0', 'switch-denied'],
    ])
  })
  test('what neither the kernel nor the bus names is not compared', () => {
    const graph = claimedGraph(fact(parseTopology(TOPOLOGY_OLD)), { gpus: [], adapters: [] })
    expect(graph.nodes.map(({ address }) => address)).toEqual([null, null, null])
    expect(compareWithPci(graph, [gpu])).toEqual({ compared: 0, switched: 0, far: 0, disagreements: [] })
  })
})

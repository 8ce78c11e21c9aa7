import type { NvidiaGpu } from '../probes/gpu-nvidia.ts'
import type { GpuTopology } from '../probes/gpu-topology.ts'
import type { FabricAdapter } from '../probes/infiniband.ts'
import type { PciDevice } from '../probes/pci-devices.ts'

/** A part of the picture. Switches and roots have only the PCI address they are at. */
export interface TopologyNode {
  readonly id: string
  readonly kind: 'gpu' | 'nic'
  readonly label: string
  /** PCI address, or the domain and bus of a root; null where it is not known which device it is. */
  readonly address: string | null
}
/** kind: NV18, PIX, PXB, PHB, NODE, SYS as the driver states; or "pci", a way of the PCI tree. */
export interface TopologyEdge {
  readonly from: string
  readonly to: string
  readonly kind: string
}
export interface TopologyGraph {
  readonly nodes: readonly TopologyNode[]
  readonly edges: readonly TopologyEdge[]
}

export interface TopologyParts {
  /** In the order of the driver: the first one is GPU0. */
  readonly gpus: readonly Pick<NvidiaGpu, 'address' | 'name'>[]
  readonly adapters: readonly Pick<FabricAdapter, 'name' | 'pciAddress'>[]
}

/** What the driver claims: GPUs and adapters, each pair with how one reaches the other. Pairs are listed once. */
export function claimedGraph(matrix: GpuTopology, parts: TopologyParts): TopologyGraph {
  const addresses = addressesOf(matrix, parts)
  const names = matrix.rows.flatMap(({ name }) => [name])
  const columns = [...(matrix.rows[0]?.cells.keys() ?? [])]
  const nodes = [...new Set([...names, ...columns])].map((name): TopologyNode => {
    const isGpu = name.startsWith('GPU')
    const gpu = isGpu ? parts.gpus[Number(name.slice(3))]?.name : undefined
    const adapter = isGpu ? undefined : matrix.adapters.get(name)
    const shown = gpu ?? (adapter === name ? undefined : adapter)
    return {
      id: name,
      kind: isGpu ? 'gpu' : 'nic',
      label: shown === undefined ? name : `${name} ${shown}`,
      address: addresses.get(name) ?? null,
    }
  })
  const seen = new Set<string>()
  const edges = matrix.rows.flatMap(({ name, cells }) =>
    [...cells].flatMap(([other, kind]): readonly TopologyEdge[] => {
      if (other === name || kind === 'X' || seen.has(`${other} ${name}`)) return []
      seen.add(`${name} ${other}`)
      return [{ from: name, to: other, kind }]
    }),
  )
  return { nodes, edges }
}

/** Which PCI address each name of the matrix has, as far as the driver and the kernel state. */
function addressesOf(matrix: GpuTopology, { gpus, adapters }: TopologyParts): ReadonlyMap<string, string> {
  const byName = new Map(adapters.map(({ name, pciAddress }) => [name, pciAddress]))
  return new Map([
    ...gpus.map(({ address }, index) => [`GPU${index}`, address] as const),
    ...[...matrix.adapters].flatMap(([name, adapter]) => {
      const address = byName.get(adapter) ?? null
      return address === null ? [] : [[name, address] as const]
    }),
  ])
}

/**
 * How two devices must reach each other, read off the PCI tree: PIX, PXB, PHB, or far (NODE or SYS); null where the tree does not state.
 */
export function relationOf(a: PciDevice, b: PciDevice): 'PIX' | 'PXB' | 'PHB' | 'far' | null {
  if (a.root === null || b.root === null) return null
  if (a.root !== b.root) return 'far'
  const different = a.above.findIndex((address, index) => address !== b.above[index])
  const shared = different < 0 ? a.above.length : different
  if (shared === 0) return 'PHB'
  return Math.max(a.above.length, b.above.length) - shared <= 1 ? 'PIX' : 'PXB'
}

export interface Disagreement {
  /** Names of the matrix. */
  readonly from: string
  readonly to: string
  readonly claimed: string
  readonly found: 'PIX' | 'PXB' | 'PHB' | 'far'
  /**
   * switch-claimed: the driver states that a switch joins them and the tree has none; switch-denied: the other way round; distance: one
   * states that they share a root of the processor, the other states that they do not.
   */
  readonly what: 'switch-claimed' | 'switch-denied' | 'distance'
}
export interface Comparison {
  /** Pairs with a GPU for which both the driver and the tree state something. NVLink pairs are none: they need no way over PCI. */
  readonly compared: number
  /** Pairs that a switch joins, by both. */
  readonly switched: number
  /** Pairs that meet in a processor, by both. */
  readonly far: number
  readonly disagreements: readonly Disagreement[]
}

type Reach = 'switch' | 'root' | 'far'
const reachOf = (kind: string): Reach | null =>
  kind === 'PIX' || kind === 'PXB'
    ? 'switch'
    : kind === 'PHB'
      ? 'root'
      : ['NODE', 'SYS', 'SOC', 'far'].includes(kind)
        ? 'far'
        : null

/**
 * The driver's claim against the PCI tree, pair by pair. Whether one or several bridges of a switch are between (PIX, PXB) is left alone:
 * drivers count them differently.
 */
export function compareWithPci(graph: TopologyGraph, devices: readonly PciDevice[]): Comparison {
  const byAddress = new Map(devices.map((device) => [device.address, device]))
  const deviceOf = new Map(graph.nodes.map(({ id, address }) => [id, byAddress.get(address ?? '')]))
  const gpus = new Set(graph.nodes.flatMap(({ id, kind }) => (kind === 'gpu' ? [id] : [])))
  const pairs = graph.edges.flatMap(({ from, to, kind }) => {
    // Two functions of one adapter can sit on the root bus itself, where "at most one bridge" is true without a switch.
    if (!gpus.has(from) && !gpus.has(to)) return []
    const [a, b, claimed] = [deviceOf.get(from), deviceOf.get(to), reachOf(kind)]
    const found = a === undefined || b === undefined ? null : relationOf(a, b)
    return claimed === null || found === null ? [] : [{ from, to, kind, claimed, found }]
  })
  const agreeing = (reach: Reach): number =>
    pairs.filter(({ claimed, found }) => claimed === reach && reachOf(found) === reach).length
  return {
    compared: pairs.length,
    switched: agreeing('switch'),
    far: agreeing('root') + agreeing('far'),
    disagreements: pairs.flatMap(({ from, to, kind, claimed, found }): readonly Disagreement[] => {
      const is = reachOf(found)
      if (is === claimed) return []
      const what = claimed === 'switch' ? 'switch-claimed' : is === 'switch' ? 'switch-denied' : 'distance'
      return [{ from, to, claimed: kind, found, what }]
    }),
  }
}

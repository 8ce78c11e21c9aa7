import type { TopologyEdge, TopologyGraph, TopologyNode } from '../gpu/topology.ts'
import type { TopologyRow } from '../probes/gpu-topology.ts'
import type { PciDevice } from '../probes/pci-devices.ts'

/** GPUs with the adapters that a PCI switch joins them to, as the driver states; a GPU without such a switch stands alone. */
export interface Joint {
  readonly gpus: readonly TopologyNode[]
  readonly adapters: readonly TopologyNode[]
  readonly kind: 'PIX' | 'PXB' | null
}

/** What reaches each other without crossing between processors. */
export interface Side {
  readonly label: string
  readonly joints: readonly Joint[]
  /** Adapters that no switch joins to a GPU. */
  readonly loose: readonly TopologyNode[]
}

const SWITCHED = new Set(['PIX', 'PXB'])
const NEAR = new Set([...SWITCHED, 'PHB', 'NODE'])

/** The parts of the picture by side and by switch, in the order of the driver. */
export function sidesOf(
  { nodes, edges }: TopologyGraph,
  rows: readonly TopologyRow[],
  devices: readonly PciDevice[] | null,
): readonly Side[] {
  const numa = new Map(rows.map((row) => [row.name, row.numa]))
  const roots = new Map((devices ?? []).map(({ address, root }) => [address, root]))
  const rootOf = ({ address }: TopologyNode): string | null => roots.get(address ?? '') ?? null
  const isGpu = new Set(nodes.flatMap(({ id, kind }) => (kind === 'gpu' ? [id] : [])))
  const near = edges.filter(({ kind }) => NEAR.has(kind))
  const alike = [
    ...sameIn(nodes, ({ id }) => numa.get(id) ?? null),
    // Where the driver reports about two that they are far apart, a root that they share does not bring them together here.
    ...sameIn(nodes, rootOf).filter((pair) => !isFar(edges, pair)),
  ]
  const switched = edges.filter(({ from, to, kind }) => SWITCHED.has(kind) && (isGpu.has(from) || isGpu.has(to)))
  return components(nodes, [...near, ...alike]).map((own): Side => {
    const joints = components(own, switched)
      .filter((some) => some.some(({ kind }) => kind === 'gpu'))
      .map((some): Joint => {
        const ids = new Set(some.map(({ id }) => id))
        const kinds = new Set(switched.filter(({ from }) => ids.has(from)).map(({ kind }) => kind))
        return {
          gpus: some.filter(({ kind }) => kind === 'gpu'),
          adapters: some.filter(({ kind }) => kind === 'nic'),
          kind: kinds.has('PXB') ? 'PXB' : kinds.has('PIX') ? 'PIX' : null,
        }
      })
    const joined = new Set(joints.flatMap(({ adapters }) => adapters))
    const only = (values: readonly (string | null)[]): string | null => {
      const [first = null, ...rest] = new Set(values.filter((value) => value !== null))
      return rest.length === 0 ? first : null
    }
    const [memory, root] = [only(own.map(({ id }) => numa.get(id) ?? null)), only(own.map(rootOf))]
    return {
      label: memory !== null ? `Memory node ${memory}` : root !== null ? `PCI root ${root}` : 'Processor',
      joints,
      loose: own.filter((node) => node.kind === 'nic' && !joined.has(node)),
    }
  })
}

interface Pair {
  readonly from: string
  readonly to: string
}

const isFar = (edges: readonly TopologyEdge[], { from, to }: Pair): boolean =>
  edges.some(
    (edge) =>
      (edge.kind === 'SYS' || edge.kind === 'SOC') &&
      ((edge.from === from && edge.to === to) || (edge.from === to && edge.to === from)),
  )

/** Each node with the one before it that has the same value. */
function sameIn(nodes: readonly TopologyNode[], value: (node: TopologyNode) => string | null): readonly Pair[] {
  const last = new Map<string, string>()
  return nodes.flatMap((node) => {
    const own = value(node)
    if (own === null) return []
    const before = last.get(own)
    last.set(own, node.id)
    return before === undefined ? [] : [{ from: before, to: node.id }]
  })
}

/** Nodes that the pairs connect, in the order of the nodes. */
function components(nodes: readonly TopologyNode[], pairs: readonly Pair[]): readonly (readonly TopologyNode[])[] {
  const group = new Map(nodes.map(({ id }) => [id, id]))
  for (const { from, to } of pairs) {
    const [one, other] = [group.get(from), group.get(to)]
    if (one === undefined || other === undefined || one === other) continue
    for (const [id, own] of group) if (own === other) group.set(id, one)
  }
  const found = new Map<string, TopologyNode[]>()
  for (const node of nodes) {
    const key = group.get(node.id) ?? node.id
    found.set(key, [...(found.get(key) ?? []), node])
  }
  return [...found.values()]
}

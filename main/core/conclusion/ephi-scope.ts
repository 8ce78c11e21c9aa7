import type { Engagement, Register } from '../../../schemas/types.ts'
import { attachmentsBy, isReached, type NodeVerdicts, REQUESTS, stateOf } from '../register/documents.ts'
import type { Catalog } from '../rules/catalog.ts'

/** The servers that controls on ePHI test. */
export interface EphiScope {
  /** Names of nodes that hold or carry declared ePHI; null where every node is tested. */
  readonly nodes: ReadonlySet<string> | null
  /** Servers on which the engagement places ePHI and that no list of nodes names: none of them was reached. */
  readonly unlisted: readonly string[]
}

interface ScopeMatter {
  readonly register: Register
  readonly engagement: Engagement | undefined
  readonly asOf: string
}

/** The scope of ePHI of one run (docs/conclusions.md, modifiers). The order of nodes carries no meaning. */
export function ephiScope(
  catalog: Pick<Catalog, 'requests' | 'conclusions'>,
  nodes: readonly NodeVerdicts[],
  matter: ScopeMatter,
): EphiScope {
  const known = new Set(nodes.map(({ node }) => node))
  const placed = matter.engagement?.ephi.stores.flatMap((store) => store.nodes) ?? []
  const mapped = inspectedMap(catalog, known, matter)
  return {
    nodes: mapped === null ? null : new Set([...mapped, ...declaring(nodes)]),
    unlisted: [...new Set(placed)].filter((node) => !known.has(node)),
  }
}

/**
 * The nodes of the data map, where it was inspected and supports it; null before, and where a store or a flow names no node of the population,
 * so that what is not known to be outside is tested. A flow carries through every node whose name is a word of its ends.
 */
function inspectedMap(
  { requests, conclusions }: Pick<Catalog, 'requests' | 'conclusions'>,
  known: ReadonlySet<string>,
  { register, engagement, asOf }: ScopeMatter,
): ReadonlySet<string> | null {
  const request = requests.find(({ id }) => id === conclusions.dataMap)
  if (request === undefined || engagement === undefined) return null
  const attached = attachmentsBy(register, asOf, engagement.reportingBasis)
  if (stateOf(attached(REQUESTS, request.id), request.minimum, asOf).conclusion !== 'supports') return null
  const { stores, flows } = engagement.ephi
  const placed = [
    ...stores.map((store) => store.nodes),
    ...flows.map(({ from, to }) => `${from} ${to}`.split(/[\s,;()]+/u)),
  ].map((words) => words.filter((word) => known.has(word)))
  return placed.length === 0 || placed.some((some) => some.length === 0) ? null : new Set(placed.flat())
}

/**
 * Nodes on which the fleet file declares an ePHI path: the map cannot exclude them. The declaration decides and not a
 * check of it, since a node must not leave the scope for lack of evidence.
 */
const declaring = (nodes: readonly NodeVerdicts[]): readonly string[] =>
  nodes.flatMap(({ node, declaresEphi = false }) => (declaresEphi ? [node] : []))

/** How many of some nodes were reached: of the names of one machine, no more than one more than it has names outside of them. */
export function reachedAmong(
  nodes: readonly NodeVerdicts[],
  machines: readonly (readonly string[])[] | undefined,
  surplus: number,
): number {
  const reached = nodes.filter(isReached)
  if (machines === undefined) return Math.max(0, reached.length - surplus)
  const names = new Set(nodes.map(({ node }) => node))
  const twice = machines.map((one) => Math.min(one.filter((name) => names.has(name)).length, one.length - 1))
  return Math.max(0, reached.length - twice.reduce((sum, count) => sum + count, 0))
}

import type { DeclaredNode, Engagement, EphiMap, EphiStore } from '../../../schemas/types.ts'
import { alike } from '../base/grouping.ts'
import { names, quote } from '../base/plain-text.ts'
import { compare } from '../recording/recording.ts'

/** One path on one node, and its ePHI location in the map; null where the map has none. */
export interface EphiPlace {
  readonly node: string
  readonly path: string
  readonly store: string | null
}

/** Differences between the ePHI map and the collection. */
interface EphiGaps {
  /** Locations on a node whose declared paths omit them: they are tested because the map declares them. */
  readonly onlyInMap: readonly EphiPlace[]
  /** Locations on a declared node that was not collected. */
  readonly notCollected: readonly EphiPlace[]
  /** Locations on a node that is in no list. */
  readonly unknownNodes: readonly EphiPlace[]
  /** Paths collected on a node without a location in the map. */
  readonly unexplained: readonly EphiPlace[]
}

/**
 * Compares the ePHI map with the declarations of each node at collection (`recording.node`). Paths are compared exactly, because checks test
 * exactly these paths and those of the map: a subfolder can be a different mount on another disk. Each list is ordered by node, path and location.
 */
export function ephiGaps(
  { ephi, population }: Pick<Engagement, 'ephi' | 'population'>,
  collected: readonly Pick<DeclaredNode, 'name' | 'ephiPaths'>[],
): EphiGaps {
  const asked = new Map(collected.map(({ name, ephiPaths = [] }) => [name, new Set(ephiPaths.map(bare))]))
  const declared = new Set(population.nodes)
  const places = ephi.stores.flatMap(placesOf)
  const explained = new Set(places.map(keyOf))
  return {
    onlyInMap: ordered(places.filter(({ node, path }) => asked.get(node)?.has(bare(path)) === false)),
    notCollected: ordered(places.filter(({ node }) => !asked.has(node) && declared.has(node))),
    unknownNodes: ordered(places.filter(({ node }) => !asked.has(node) && !declared.has(node))),
    unexplained: ordered(
      [...asked]
        .flatMap(([node, paths]) => [...paths].map((path): EphiPlace => ({ node, path, store: null })))
        .filter((place) => !explained.has(keyOf(place))),
    ),
  }
}

/** The same in sentences; nodes of which the same is stated share one. */
export const ephiGapSentences = ({
  onlyInMap,
  notCollected,
  unknownNodes,
  unexplained,
}: EphiGaps): readonly string[] => [
  ...together(unknownNodes, (place, nodes, isOne) =>
    isOne
      ? `${storeOf(place)} is declared on ${nodes}, which is in no list of nodes.`
      : `${storeOf(place)} is declared on ${nodes}, which are in no list of nodes.`,
  ),
  ...together(notCollected, (place, nodes, isOne) =>
    isOne
      ? `${storeOf(place)} is on ${nodes}, which was not collected; not tested.`
      : `${storeOf(place)} is on ${nodes}, which were not collected; not tested.`,
  ),
  ...together(
    onlyInMap,
    (place, nodes) =>
      `${storeOf(place)} is at ${quote(place.path)} on ${nodes}, but the fleet file does not list that path; it is tested because the map declares it.`,
  ),
  ...together(
    unexplained,
    ({ path }, nodes) =>
      `The fleet file lists ${quote(path)} as an ePHI path on ${nodes}, but the map has no location there.`,
  ),
]

/** How many nodes a sentence names. */
const MOST_NAMED = 12

/** One sentence for all places with the same location and path. */
const together = (
  places: readonly EphiPlace[],
  sentence: (place: EphiPlace, nodes: string, isOne: boolean) => string,
): readonly string[] =>
  alike(places, ({ store, path }) => JSON.stringify([store, path])).flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const isOne = group.length === 1
    const named = isOne
      ? `node ${quote(first.node)}`
      : `${group.length} nodes (${names(
          group.map(({ node }) => node),
          MOST_NAMED,
        )})`
    return [sentence(first, named, isOne)]
  })

const storeOf = ({ store }: EphiPlace): string => `ePHI location ${quote(store ?? '')}`

const placesOf = ({ name, path, nodes }: EphiStore): readonly EphiPlace[] =>
  [...new Set(nodes)].map((node) => ({ node, path, store: name }))

const keyOf = ({ node, path }: EphiPlace): string => `${node}\n${bare(path)}`

/**
 * A node as checks take it: with the paths of the map in addition to those of the fleet file, so that a location that is declared anywhere is
 * tested. No question depends on a path, so that the captures of an earlier collection answer for a map that was drawn later.
 */
export function withMappedPaths<T extends Pick<DeclaredNode, 'name' | 'ephiPaths'>>(
  node: T,
  ephi: Pick<EphiMap, 'stores'> | undefined,
): T {
  const own = node.ephiPaths ?? []
  const known = new Set(own.map(bare))
  const mapped = (ephi?.stores ?? []).flatMap(({ path, nodes }) => (nodes.includes(node.name) ? [path] : []))
  const added = [...new Set(mapped.map(bare))].filter((path) => !known.has(path)).sort(compare)
  return added.length === 0 ? node : { ...node, ephiPaths: [...own, ...added] }
}

/** A path without doubled or trailing slashes. */
const bare = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`

const ordered = (places: readonly EphiPlace[]): readonly EphiPlace[] =>
  [...places].sort(
    (a, b) => compare(a.node, b.node) || compare(a.path, b.path) || compare(a.store ?? '', b.store ?? ''),
  )

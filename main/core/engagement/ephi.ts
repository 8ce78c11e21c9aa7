import type { DeclaredNode, Engagement, EphiStore } from '../../../schemas/types.ts'
import { quote } from '../plain-text.ts'
import { compare } from '../recording.ts'

/** One path on one node, and the store that the map puts there; null where no store explains it. */
export interface EphiPlace {
  readonly node: string
  readonly path: string
  readonly store: string | null
}

/** Where the map of ePHI and what nodes were asked about part. */
export interface EphiGaps {
  /** Stores on a node whose declared paths do not name them: no check asked about them. */
  readonly notAsked: readonly EphiPlace[]
  /** Stores on a declared node that was not collected. */
  readonly notCollected: readonly EphiPlace[]
  /** Stores on a node that stands in no list. */
  readonly unknownNodes: readonly EphiPlace[]
  /** Paths that a node was asked about, and no store of the map. */
  readonly unexplained: readonly EphiPlace[]
}

/**
 * The map of ePHI against what was declared of each node as it was collected (`recording.node`). Paths are compared whole, since checks look at
 * exactly these: a folder below one may be another mount, on another disk. Each list is in the order of nodes, paths and stores.
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
    notAsked: ordered(places.filter(({ node, path }) => asked.get(node)?.has(bare(path)) === false)),
    notCollected: ordered(places.filter(({ node }) => !asked.has(node) && declared.has(node))),
    unknownNodes: ordered(places.filter(({ node }) => !asked.has(node) && !declared.has(node))),
    unexplained: ordered(
      [...asked]
        .flatMap(([node, paths]) => [...paths].map((path): EphiPlace => ({ node, path, store: null })))
        .filter((place) => !explained.has(keyOf(place))),
    ),
  }
}

/** The same, one sentence each. */
export const ephiGapSentences = ({
  notAsked,
  notCollected,
  unknownNodes,
  unexplained,
}: EphiGaps): readonly string[] => [
  ...unknownNodes.map(
    (place) => `${storeOf(place)} is said to lie on node ${quote(place.node)}, which stands in no list of nodes.`,
  ),
  ...notCollected.map(
    (place) =>
      `${storeOf(place)} lies on node ${quote(place.node)}, which was not collected: nothing was asked about it.`,
  ),
  ...notAsked.map(
    (place) =>
      `${storeOf(place)} lies at ${quote(place.path)} on node ${quote(place.node)}, and the fleet file does not name that path: nothing was asked about it.`,
  ),
  ...unexplained.map(
    ({ node, path }) =>
      `The fleet file names ${quote(path)} on node ${quote(node)} as a place of ePHI, and the map has no store there.`,
  ),
]

const storeOf = ({ store }: EphiPlace): string => `Store ${quote(store ?? '')}`

const placesOf = ({ name, path, nodes }: EphiStore): readonly EphiPlace[] =>
  [...new Set(nodes)].map((node) => ({ node, path, store: name }))

const keyOf = ({ node, path }: EphiPlace): string => `${node}\n${bare(path)}`

/** A path without doubled slashes and the one at its end. */
const bare = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`

const ordered = (places: readonly EphiPlace[]): readonly EphiPlace[] =>
  [...places].sort(
    (a, b) => compare(a.node, b.node) || compare(a.path, b.path) || compare(a.store ?? '', b.store ?? ''),
  )

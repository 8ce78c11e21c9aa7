import type { Layer, Way } from './ways.ts'

/** A layer in its place: `depth` counts from the drives, `row` is the row it is in. */
export interface Placed {
  readonly layer: Layer
  readonly row: number
  readonly depth: number
  /** Null at the drives' end. */
  readonly below: Placed | null
  /** It holds the data and is at the left edge. */
  readonly isPlace: boolean
  /** Every way that comes down to here has passed an encrypting layer. */
  readonly isCovered: boolean
}

/** Longer ways are drawn with their middle in one box. */
const MAX_LAYERS = 7

interface Draft {
  readonly layer: Layer
  readonly above: Map<string, Draft>
  readonly places: Layer[]
}

const draft = (layer: Layer): Draft => ({ layer, above: new Map(), places: [] })

/**
 * Ways that end in the same layers, joined from the drives up, so that each layer is drawn once however many things are on it. Rows are
 * numbered from `firstRow` on, one for each way.
 */
export function placedWays(ways: readonly Way[], firstRow: number): readonly Placed[] {
  const root = draft({ names: [], kind: '', encrypts: false })
  for (const [index, way] of ways.entries()) {
    const [place, ...layers] = shortened(way.layers)
    let at = root
    for (const layer of layers.reverse()) {
      const key = JSON.stringify([layer.names, layer.kind, layer.isOpen === true ? index : null])
      const next = at.above.get(key) ?? draft(layer)
      at.above.set(key, next)
      at = next
    }
    if (place !== undefined) at.places.push(place)
  }
  const placed: Placed[] = []
  let row = firstRow
  const visit = (here: Draft, below: Placed | null, depth: number): void => {
    const self = { layer: here.layer, row, depth, below, isPlace: false, isCovered: isCovered(here) }
    if (depth >= 0) placed.push(self)
    const lower = depth < 0 ? null : self
    for (const layer of here.places) {
      placed.push({ layer, row, depth: depth + 1, below: lower, isPlace: true, isCovered: layer.encrypts })
      row += 1
    }
    for (const next of here.above.values()) visit(next, lower, depth + 1)
  }
  visit(root, null, -1)
  return placed
}

const isCovered = ({ layer, above, places }: Draft): boolean =>
  layer.encrypts || (places.every(({ encrypts }) => encrypts) && [...above.values()].every(isCovered))

function shortened(layers: readonly Layer[]): readonly Layer[] {
  if (layers.length <= MAX_LAYERS) return layers
  const left = Math.ceil(MAX_LAYERS / 2)
  const right = MAX_LAYERS - left - 1
  const middle = layers.slice(left, layers.length - right)
  const encrypts = middle.some((layer) => layer.encrypts)
  const merged = { names: [`${middle.length} layers`], kind: encrypts ? 'one encrypts' : 'in between', encrypts }
  return [...layers.slice(0, left), merged, ...layers.slice(layers.length - right)]
}

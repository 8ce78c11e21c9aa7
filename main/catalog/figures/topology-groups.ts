import type { FigureMark } from '../../../schemas/figure.ts'
import type { TopologyEdge, TopologyGraph, TopologyNode, TopologyRow } from '../hardware/gpu/topology.ts'
import type { PciDevice } from '../hardware/pci/probes.ts'
import { box, FIGURE_WIDTH, line, words } from './marks.ts'

interface LinkedPair {
  readonly from: string
  readonly to: string
  readonly links: number
}

/**
 * What the driver reports about NVLink between GPUs. `uniform`: the number of links of every pair; null where pairs
 * differ.
 */
export interface Nvlink {
  readonly pairs: readonly LinkedPair[]
  readonly uniform: number | null
}

export function nvlinkOf({ nodes, edges }: TopologyGraph): Nvlink {
  const gpus = nodes.filter(({ kind }) => kind === 'gpu').length
  const pairs = edges.flatMap(({ from, to, kind }): readonly LinkedPair[] =>
    kind.startsWith('NV') ? [{ from, to, links: Number(kind.slice(2)) }] : [],
  )
  const counts = new Set(pairs.map(({ links }) => links))
  const [first = null] = counts
  const isAll = gpus > 2 && counts.size === 1 && pairs.length === (gpus * (gpus - 1)) / 2
  return { pairs, uniform: isAll ? first : null }
}

/** Lines drawn above the GPUs: their positions, by the name of the GPU. */
interface Drawn {
  readonly marks: readonly FigureMark[]
  readonly height: number
}

const weightOf = (links: number): 1 | 2 | 3 => (links >= 12 ? 3 : links >= 5 ? 2 : 1)
const BAR = 16
const DROP = 10
const LEVEL = 12
const MAX_LEVELS = 5

/** NVLink above a row of GPUs whose middles are given: one bar where every pair is joined alike, else a bracket for each pair. */
export function drawNvlink({ pairs, uniform }: Nvlink, middles: ReadonlyMap<string, number>, top: number): Drawn {
  const xs = [...middles.values()]
  if (pairs.length === 0 || xs.length === 0) return { marks: [], height: 0 }
  if (uniform !== null) {
    const [left, right] = [Math.min(...xs) - 24, Math.max(...xs) + 24]
    const text = `NVLink: ${uniform} links between every two GPUs`
    return {
      height: BAR + DROP,
      marks: [
        box(left, top, right - left, BAR),
        ...words(text, (left + right) / 2, top + 11, right - left - 8, { anchor: 'middle', bold: true }),
        ...xs.map((x) =>
          line(
            [
              [x, top + BAR],
              [x, top + BAR + DROP],
            ],
            'plain',
            { weight: weightOf(uniform) },
          ),
        ),
      ],
    }
  }
  return drawBrackets(pairs, middles, top)
}

interface Bracket extends LinkedPair {
  readonly left: number
  readonly right: number
  readonly level: number
}

function drawBrackets(pairs: readonly LinkedPair[], middles: ReadonlyMap<string, number>, top: number): Drawn {
  const brackets: Bracket[] = []
  const spans = pairs
    .flatMap((pair) => {
      const [a, b] = [middles.get(pair.from), middles.get(pair.to)]
      return a === undefined || b === undefined ? [] : [{ ...pair, left: Math.min(a, b), right: Math.max(a, b) }]
    })
    .sort((a, b) => a.right - a.left - (b.right - b.left) || a.left - b.left)
  for (const span of spans) {
    const taken = new Set(
      brackets.filter(({ left, right }) => left < span.right && right > span.left).map(({ level }) => level),
    )
    const level = [...Array(MAX_LEVELS).keys()].find((one) => !taken.has(one))
    if (level !== undefined) brackets.push({ ...span, level })
  }
  const missing = pairs.length - brackets.length
  const levels = Math.max(0, ...brackets.map(({ level }) => level + 1))
  const base = top + (missing > 0 ? LEVEL : 0) + levels * LEVEL + DROP
  const ends = new Map<string, number>()
  const end = (gpu: string, x: number): number => {
    const before = ends.get(gpu) ?? 0
    ends.set(gpu, before + 1)
    return x + (before % 7) * 5 - 15
  }
  return {
    height: base - top,
    marks: [
      ...(missing > 0
        ? words(`NVLink of ${missing} more pairs is not drawn here.`, 0, top + 9, 300, { tone: 'quiet' })
        : []),
      ...brackets.flatMap(({ from, to, left, right, level, links }) => {
        const [a, b] = (middles.get(from) ?? 0) < (middles.get(to) ?? 0) ? [from, to] : [to, from]
        const [x, y, z] = [end(a, left), base - DROP - level * LEVEL, end(b, right)]
        return [
          line(
            [
              [x, base],
              [x, y],
              [z, y],
              [z, base],
            ],
            'plain',
            { weight: weightOf(links) },
          ),
          ...words(`NV${links}`, (x + z) / 2, y - 2, 40, { anchor: 'middle' }),
        ]
      }),
    ],
  }
}

/**
 * GPUs with the adapters on the same PCI switch, as the driver states; a GPU without such a switch forms its own
 * group.
 */
export interface Joint {
  readonly gpus: readonly TopologyNode[]
  readonly adapters: readonly TopologyNode[]
  readonly kind: 'PIX' | 'PXB' | null
}

/** Devices that reach each other without crossing between processors. */
export interface Side {
  readonly label: string
  /** The label where it has little room. */
  readonly brief: string
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
    // Where the driver reports that two devices are far apart, a common root does not join them here.
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
      brief: memory !== null ? `NUMA ${memory}` : root !== null ? `Root ${root.replace(/^0000:/, '')}` : 'CPU',
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

/** A part of a side that is in one row of the picture. */
export interface Block extends Side {
  readonly columns: number
}

/** One row of GPUs with what hangs below them. */
export interface Band {
  readonly blocks: readonly Block[]
  readonly unit: number
  readonly width: number
}

const COLUMNS = 8
const MAX_UNIT = 110
/** A narrower column has no room for the address of a GPU. */
const MIN_UNIT = 46
export const BETWEEN = 22
/** More adapters than these rows hold are left out. */
export const MAX_PART_ROWS = 3

/** Sides laid out in rows of at most eight GPUs. */
export function bandsOf(sides: readonly Side[]): readonly Band[] {
  const rows: Block[][] = [[]]
  for (const block of sides.flatMap(blocksOf)) {
    const row = rows.at(-1) ?? []
    const together = [...row, block]
    if (columnsIn(together) <= COLUMNS && unitOf(together) >= MIN_UNIT) row.push(block)
    else rows.push([block])
  }
  return rows
    .filter((blocks) => blocks.length > 0)
    .map((blocks): Band => {
      const unit = Math.min(MAX_UNIT, unitOf(blocks))
      return { blocks, unit, width: columnsIn(blocks) * unit + gapsIn(blocks) }
    })
}

const columnsIn = (blocks: readonly Block[]): number => blocks.reduce((sum, { columns }) => sum + columns, 0)
const gapsIn = (blocks: readonly Block[]): number => (blocks.length - 1) * BETWEEN
const unitOf = (blocks: readonly Block[]): number => (FIGURE_WIDTH - gapsIn(blocks)) / columnsIn(blocks)

/** How many parts of the sides the bands do not show. */
export const notShown = (sides: readonly Side[], bands: readonly Band[]): number =>
  sides.reduce((sum, side) => sum + partsIn(side), 0) -
  bands.flatMap(({ blocks }) => blocks.map(shownIn)).reduce((sum, shown) => sum + shown, 0)

const partsIn = ({ joints, loose }: Side): number =>
  joints.reduce((sum, { gpus, adapters }) => sum + gpus.length + adapters.length, 0) + loose.length

const shownIn = ({ joints, loose, columns }: Block): number =>
  joints.reduce(
    (sum, { gpus, adapters }) => sum + gpus.length + Math.min(adapters.length, gpus.length * MAX_PART_ROWS),
    0,
  ) + Math.min(loose.length, columns * MAX_PART_ROWS)

/** A side in pieces of at most eight GPUs. */
function blocksOf({ label, brief, joints, loose }: Side): readonly Block[] {
  const pieces = joints.flatMap((joint) =>
    Array.from(
      { length: Math.ceil(joint.gpus.length / COLUMNS) },
      (_, index): Joint => ({
        ...joint,
        gpus: joint.gpus.slice(index * COLUMNS, (index + 1) * COLUMNS),
        adapters: index === 0 ? joint.adapters : [],
      }),
    ),
  )
  const blocks: { joints: Joint[]; columns: number }[] = []
  for (const joint of pieces) {
    const last = blocks.at(-1)
    if (last !== undefined && last.columns + joint.gpus.length <= COLUMNS) {
      last.joints.push(joint)
      last.columns += joint.gpus.length
    } else blocks.push({ joints: [joint], columns: joint.gpus.length })
  }
  if (blocks.length === 0)
    return [{ label, brief, joints: [], loose, columns: Math.min(COLUMNS, Math.max(1, loose.length)) }]
  return blocks.map((block, index) => ({ label, brief, ...block, loose: index === 0 ? loose : [] }))
}

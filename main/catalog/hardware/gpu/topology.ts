import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { lines } from '../../base/read-text.ts'
import type { FabricAdapter } from '../fabric/index.ts'
import type { PciDevice } from '../pci/probes.ts'
import type { NvidiaGpu } from './nvidia.ts'

/** One row of the matrix: how a GPU or an adapter reaches each column. */
export interface TopologyRow {
  /** GPU0, NIC0, or the adapter's own name with older drivers. */
  readonly name: string
  /** Column → X, NV18, PIX, PXB, PHB, NODE, SYS (SOC with drivers of before 2017). */
  readonly cells: ReadonlyMap<string, string>
  /** Logical processors near it, such as 0-55,112-167, and the memory node; null where the driver names none. */
  readonly cpus: string | null
  readonly numa: string | null
}

export interface GpuTopology {
  /** GPU name → how it reaches each other column (NV18, PIX, PXB, NODE, SYS). */
  readonly links: ReadonlyMap<string, readonly string[]>
  readonly rows: readonly TopologyRow[]
  /** Names of the adapters in the matrix → names of the kernel: NIC0 → mlx5_0. */
  readonly adapters: ReadonlyMap<string, string>
}

/** nvidia-smi(1), topo -m. SYS and PHB everywhere is what a virtual machine shows; switches and NVLink are what boards have. */
export const gpuTopology = defineProbe({
  id: 'gpu.topology',
  title: 'GPU interconnect topology',
  why: 'Shows whether GPUs and fabric adapters sit behind real switches.',
  commands: { matrix: run(['nvidia-smi', 'topo', '-m'], { timeoutSeconds: 60 }) },
  parse: ({ matrix }) =>
    matrix.exitCode === 0 ? parseTopology(matrix.text) : unknown('the GPU driver did not respond'),
})

const GPU = /^GPU\d{1,3}$/
const COLUMN = /^(GPU\d{1,3}|NIC\d{1,3}|[a-z][a-z0-9_]{2,30})$/
const CELL = /^(X|SYS|SOC|NODE|PHB|PXB|PIX|NV\d{1,3})$/
// More than any machine has; a longer heading was not printed by the driver.
const MAX_COLUMNS = 256

/** Reads the matrix with tabs, as the driver prints it, or with blanks, as it looks on a terminal. */
export function parseTopology(text: string): Parsed<GpuTopology> {
  // Headings of the matrix are underlined on a terminal.
  const rows = lines(text.replace(/\x1b\[[0-9;]*m/g, ''))
  const heading = rows.findIndex((line) => GPU.test(wordsOf(line)[0] ?? '') && !hasCells(line))
  const columns = heading < 0 ? [] : columnsOf(rows[heading] ?? '')
  const read = rows
    .slice(heading + 1)
    .filter((line) => columns.includes(wordsOf(line)[0] ?? ''))
    .map((line) => readRow(line, columns))
  const gpus = read.filter((row) => row !== null && GPU.test(row.name))
  if (gpus.length === 0) return unknown('the output of nvidia-smi lists no GPU')
  if (read.includes(null) || gpus.length !== columns.filter((name) => GPU.test(name)).length)
    return unknown('the matrix of nvidia-smi is not complete')
  const whole = read.filter((row) => row !== null)
  return known({
    links: new Map(whole.filter(({ name }) => GPU.test(name)).map((row) => [row.name, [...row.cells.values()]])),
    rows: whole,
    adapters: adaptersOf(rows, columns),
  })
}

const wordsOf = (line: string): readonly string[] => line.trim().split(/\s+/)
const hasCells = (line: string): boolean => CELL.test(wordsOf(line)[1] ?? '')

function columnsOf(heading: string): readonly string[] {
  const words = wordsOf(heading)
  const end = words.findIndex((word) => !COLUMN.test(word))
  const columns = words.slice(0, end < 0 ? words.length : end)
  return columns.length <= MAX_COLUMNS && new Set(columns).size === columns.length ? columns : []
}

function readRow(line: string, columns: readonly string[]): TopologyRow | null {
  const [name = '', ...rest] = wordsOf(line)
  const cells = rest.slice(0, columns.length)
  if (cells.length < columns.length || cells.some((cell) => !CELL.test(cell))) return null
  const after = rest.slice(columns.length)
  const list = (word: string | undefined): string | null =>
    word !== undefined && /^\d[\d,-]{0,400}$/.test(word) ? word : null
  return {
    name,
    cells: new Map(columns.map((column, index) => [column, cells[index] ?? ''])),
    cpus: list(after[0]),
    numa: list(after[1]),
  }
}

/** Newer drivers number the adapters and explain the numbers below; older ones name them in the heading. */
function adaptersOf(rows: readonly string[], columns: readonly string[]): ReadonlyMap<string, string> {
  const legend = new Map(
    rows.flatMap((line) => {
      const [, name, adapter] = /^\s*(NIC\d{1,3}):\s+(\S{1,64})\s*$/.exec(line) ?? []
      return name === undefined || adapter === undefined ? [] : [[name, adapter] as const]
    }),
  )
  return new Map(
    columns
      .filter((name) => !GPU.test(name))
      .flatMap((name) => {
        const adapter = /^NIC\d/.test(name) ? legend.get(name) : name
        return adapter === undefined ? [] : [[name, adapter] as const]
      }),
  )
}

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

/**
 * The topology as the driver states it: GPUs and adapters, and for each pair the connection between them. Pairs are
 * listed once.
 */
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

/** The PCI address of each name in the matrix, as far as the driver and the kernel state it. */
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
  /**
   * Pairs with a GPU for which both the driver and the device tree state a connection. NVLink pairs do not count,
   * since they need no PCI path.
   */
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

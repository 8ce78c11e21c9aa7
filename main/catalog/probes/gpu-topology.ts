import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

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
// More than any machine has; a longer heading is none of the driver's.
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

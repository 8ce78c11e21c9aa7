import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { resolve } from 'node:path'

/** One line of the table of results: what was measured, against what in the same run, and the ratio that was aimed at. */
export interface Result {
  readonly what: string
  /** With its unit. */
  readonly ours: string
  /** What it is compared with, with its figure; null where only a limit applies. */
  readonly against: string | null
  readonly ratio: number | null
  /** Null for a figure that is only stated. */
  readonly target: { readonly text: string; readonly isKept: boolean } | null
}

const PAGE = resolve('docs/performance.md')
const MOST_LOAD = 2

/** Figures of a busy machine compare nothing. Why a benchmark is refused on this one; null where it may run. */
export function tooBusy(argv: readonly string[]): string | null {
  const load = loadavg()[0] ?? 0
  return load <= MOST_LOAD || argv.includes('--force')
    ? null
    : `the load is ${load.toFixed(1)}, above ${MOST_LOAD}; wait, or measure all the same with --force`
}

/** The state of the machine, as it stands above every table. */
export const machine = (): string =>
  `Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, load before ${(loadavg()[0] ?? 0).toFixed(1)}`

/** Whether the target was reached, in one word. */
export const keptWord = ({ isKept }: NonNullable<Result['target']>): string => (isKept ? 'kept' : 'missed')

/** Replaces the table of one benchmark in docs/performance.md. */
export function writeResults(name: string, results: readonly Result[], state: string, day: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const [begin, end] = [`<!-- ${name}: written by the benchmark -->`, `<!-- end of ${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no place for ${name}`)
  const rows = results.map(
    ({ what, ours, against, ratio, target }) =>
      `| ${what} | ${ours} | ${against ?? '–'} | ${ratio === null ? '–' : `${ratio} ×`} | ${target === null ? '–' : `${target.text}, ${keptWord(target)}`} |`,
  )
  const table = [
    `Measured ${day}. ${state}.`,
    '',
    '| | Barewitness | Against | Ratio | Target |',
    '|---|---|---|---|---|',
    ...rows,
  ]
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n${table.join('\n')}\n${page.slice(to)}`)
}

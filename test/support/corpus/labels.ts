import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export type Truth = string

/** One labelled machine: what it is known to be, and the folder that holds what was captured on it. */
export interface CorpusCase {
  readonly name: string
  readonly truth: Truth
  readonly scope: string
  readonly platform: string
  /** Where it was published, as the table says. */
  readonly source: string
  /** Its folder; of a joined case that of every capture. */
  readonly folders: readonly string[]
}

export interface Corpus {
  readonly cases: readonly CorpusCase[]
  /** Names of labels without a folder. */
  readonly missing: readonly string[]
}

const DEEPEST = 8

/**
 * The cases of a corpus: the rows of its table of labels, each with the folder of its name, wherever below `dir` that lies.
 * The table is read by its heading, so that columns may stand in any order; only the name and the truth must be there.
 * Throws a sentence for a person where there is no table or it lacks one of them.
 */
export function readCorpus(dir: string, labels: string | null = null): Corpus {
  if (!existsSync(dir)) throw new Error(`there is no folder ${dir}`)
  const table = labels ?? findLabels(dir)
  if (table === null || !existsSync(table)) throw new Error(`there is no table of labels (labels.tsv) in ${dir}`)
  const rows = readTable(readFileSync(table, 'utf8'))
  const folders = foldersNamed(dir, new Set(rows.map(({ name }) => name)))
  return {
    cases: rows.flatMap((row) => {
      const folder = folders.get(row.name)
      return folder === undefined ? [] : [{ ...row, folders: [folder] }]
    }),
    missing: rows.filter(({ name }) => !folders.has(name)).map(({ name }) => name),
  }
}

// linuxhw names each machine by twelve hex digits, and every capture of it by the same ones.
const HARDWARE_ID = /(?:^|[^0-9A-F])([0-9A-F]{12})$/

/** The id of the machine that a case was captured on, where its source gives one. */
export const hardwareId = ({ source, name }: Pick<CorpusCase, 'source' | 'name'>): string | null =>
  HARDWARE_ID.exec(source)?.[1] ?? HARDWARE_ID.exec(name)?.[1] ?? null

/**
 * Captures of one machine as one case, by the hardware id that their sources give it: what each of them lacks, another may have. Captures
 * of one id that are labelled differently are of a machine that changed, and are not joined.
 */
export function joinedCases(cases: readonly CorpusCase[]): readonly CorpusCase[] {
  const machines = new Map<string, CorpusCase[]>()
  for (const one of cases) {
    const id = hardwareId(one)
    if (id !== null) machines.set(id, [...(machines.get(id) ?? []), one])
  }
  return [...machines].flatMap(([id, own]) => {
    const [first] = own
    return first === undefined || own.length < 2 || own.some(({ truth }) => truth !== first.truth)
      ? []
      : [{ ...first, name: `joined-${id}`, scope: 'joined', folders: own.flatMap(({ folders }) => folders) }]
  })
}

/** The default corpus: beside the repository, or where an environment variable says. */
export const defaultCorpus = (repository: string): string =>
  process.env.BAREWITNESS_CORPUS ?? join(repository, '..', 'shared', 'corpus')

export const hasLabels = (dir: string): boolean => existsSync(dir) && findLabels(dir) !== null

function findLabels(dir: string): string | null {
  const here = join(dir, 'labels.tsv')
  if (existsSync(here)) return here
  const below = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return below.map(({ name }) => join(dir, name, 'labels.tsv')).find((path) => existsSync(path)) ?? null
}

const COLUMNS = {
  name: ['case', 'name', 'id', 'folder'],
  truth: ['truth', 'label', 'layer'],
  scope: ['scope'],
  platform: ['platform', 'hypervisor'],
  source: ['source'],
} as const

export function readTable(text: string): readonly Omit<CorpusCase, 'folders'>[] {
  const [heading = '', ...rows] = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const titles = heading.split('\t').map((title) => title.trim().toLowerCase())
  const column = (names: readonly string[]): number => titles.findIndex((title) => names.includes(title))
  const [name, truth, scope, platform, source] = [
    COLUMNS.name,
    COLUMNS.truth,
    COLUMNS.scope,
    COLUMNS.platform,
    COLUMNS.source,
  ].map(column)
  if (name === undefined || name < 0 || truth === undefined || truth < 0)
    throw new Error('the heading of the table of labels names no case or no truth')
  return rows.flatMap((row) => {
    const cells = row.split('\t')
    const cell = (index: number | undefined): string => (index === undefined ? '' : (cells[index] ?? '').trim())
    return cell(name) === ''
      ? []
      : [
          {
            name: cell(name),
            truth: cell(truth),
            scope: cell(scope) || 'unstated',
            platform: cell(platform),
            source: cell(source),
          },
        ]
  })
}

function foldersNamed(dir: string, wanted: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const walk = (folder: string, depth: number): void => {
    const name = basename(folder)
    if (depth > 0 && wanted.has(name)) {
      if (!found.has(name)) found.set(name, folder)
      return
    }
    if (depth < DEEPEST)
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory()) walk(join(folder, entry.name), depth + 1)
  }
  walk(dir, 0)
  return found
}

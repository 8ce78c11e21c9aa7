import type { Capture } from '../../../schemas/types.ts'
import { redact } from '../collector/redact.ts'
import { plain } from '../plain-text.ts'
import type { Parsed } from '../probe.ts'
import { compare, type RecordingOutline } from '../recording.ts'
import { alike } from './grouping.ts'
import { type Block, type Cell, heading, type MarkName, monoCell, plainCell, quiet } from './model.ts'
import { names, of, plural } from './wording.ts'

/** A command in the sudo log. */
export interface LoggedCommand {
  /** Unix time in seconds, by the node’s clock. */
  readonly at: number
  readonly user: string
  /** Reason why sudo rejected it; null where it ran. */
  readonly refused: string | null
  /** Program with path, and arguments as joined by sudo. */
  readonly command: string
}

export interface SudoRow {
  /** `both`: recorded and logged. `only-asked`: recorded, not logged. `only-logged`: logged, not recorded. */
  readonly state: 'both' | 'only-asked' | 'only-logged'
  readonly command: string
  /** "probe/command" of the recording. */
  readonly asked: string | null
  /** Unix time in seconds, by the node’s clock. */
  readonly loggedAt: number | null
  readonly refused: string | null
}

export interface SudoReconciliation {
  /** Ordered: only logged, only recorded, both; each by command. */
  readonly rows: readonly SudoRow[]
  /** Commands that ran after the log was read and therefore cannot be in it. */
  readonly askedLater: number
  /** Log lines of this account from before the collection. */
  readonly earlier: number
  /** Log lines of other accounts during the collection. */
  readonly ofOthers: number
}

export interface SudoWindow {
  /** Node’s clock, Unix time in seconds: start of the collection and reading of the log. */
  readonly from: number
  readonly to: number
  /** Collector’s clock, ISO 8601: reading of the log. */
  readonly readAt: string
}

/** The log and the node’s clock have a resolution of one second each. */
const TOLERANCE_SECONDS = 2

/**
 * Compares the sudo log of the login account with the commands that the recording ran through sudo, one to one: a command that
 * ran twice needs two lines. Arguments are compared without white space and quotation marks, because sudo wraps lines and quotes arguments
 * with blanks only since 1.9. Program paths are ignored, because the commands do not name them.
 * A missing program never reaches the log (exit status 127); lost commands and commands that did not run are not expected in it.
 */
export function reconcileSudo(
  { recording, captures }: RecordingOutline,
  logged: readonly LoggedCommand[],
  window: SudoWindow,
): SudoReconciliation {
  const { user } = recording.node
  const throughSudo = captures.map(({ meta }) => meta).filter(reachedSudo)
  const asked = throughSudo.filter(({ startedAt }) => compare(startedAt, window.readAt) <= 0)
  const within = logged.filter(({ at }) => at >= window.from - TOLERANCE_SECONDS && at <= window.to + TOLERANCE_SECONDS)
  const ours = within.filter((entry) => entry.user === user)
  const left = byWords(ours)
  const pairs = [...asked].sort(byTime).map((capture): SudoRow => {
    const entry = left.get(wordsOf(capture.argv))?.shift() ?? left.get(wordsOf(asRedacted(capture.argv)))?.shift()
    return {
      state: entry === undefined ? 'only-asked' : 'both',
      command: capture.argv.join(' '),
      asked: `${capture.probe}/${capture.command}`,
      loggedAt: entry?.at ?? null,
      refused: entry?.refused ?? null,
    }
  })
  const extra = [...left.values()]
    .flat()
    .map(({ command, at, refused }): SudoRow => ({ state: 'only-logged', command, asked: null, loggedAt: at, refused }))
  return {
    rows: [...extra, ...pairs].sort((a, b) => ORDER[a.state] - ORDER[b.state] || compare(a.command, b.command)),
    askedLater: throughSudo.length - asked.length,
    earlier: logged.filter((entry) => entry.user === user && entry.at < window.from - TOLERANCE_SECONDS).length,
    ofOthers: within.length - ours.length,
  }
}

const ORDER: Readonly<Record<SudoRow['state'], number>> = { 'only-logged': 0, 'only-asked': 1, both: 2 }

const NEVER_ASKED: readonly Capture['status'][] = ['not-run', 'not-asked', 'no-path', 'lost']

const reachedSudo = ({ privilege, status, exitCode }: Capture): boolean =>
  privilege === 'sudo' && !NEVER_ASKED.includes(status) && exitCode !== 127

const byTime = (a: Capture, b: Capture): number =>
  compare(a.startedAt, b.startedAt) || compare(a.probe, b.probe) || compare(a.command, b.command)

function byWords(entries: readonly LoggedCommand[]): Map<string, LoggedCommand[]> {
  const groups = new Map<string, LoggedCommand[]>()
  for (const entry of entries) {
    const key = wordsOf(entry.command.split(' '))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return groups
}

/** Comparison key. sudo escapes quotation marks inside quotation marks with a backslash and prints control characters as #ooo. */
function wordsOf([program = '', ...words]: readonly string[]): string {
  const bare = words.join('').replaceAll(/[\s'"\\]/g, '')
  return `${program.replace(/^.*\//, '')} ${bare}`
}

/** The log was masked, the commands in the recording were not: a pattern that resembles a password is masked in the log only. */
const asRedacted = (argv: readonly string[]): readonly string[] =>
  new TextDecoder().decode(redact(new TextEncoder().encode(argv.join(' '))).bytes).split(' ')

const STATES: Readonly<Record<SudoRow['state'], { readonly mark: MarkName; readonly says: string }>> = {
  'only-logged': { mark: 'square-cross', says: 'Logged by sudo, not in the recording' },
  'only-asked': { mark: 'diamond-question', says: 'In the recording, not in the log' },
  both: { mark: 'dot', says: 'In the recording and logged by sudo' },
}

/** Rows printed per node; matching commands are only counted. */
const MOST_ROWS = 60

/** Result of the comparison on one node, in a few sentences. */
function foundIn(read: Parsed<SudoReconciliation>): readonly string[] {
  if (!read.ok) return [`Not compared: ${read.reason}.`]
  const { rows, askedLater, earlier, ofOthers } = read.fact
  const agreeing = rows.filter(({ state }) => state === 'both')
  const refused = agreeing.filter((row) => row.refused !== null).length
  return [
    `${plural(agreeing.length, 'command', 'commands')} recorded and logged by sudo, one line each; ${rows.length - agreeing.length} without a counterpart.`,
    refused > 0 ? `sudo rejected ${plural(refused, 'of these commands', 'of these commands')}.` : '',
    askedLater > 0 ? `${plural(askedLater, 'command', 'commands')} ran after the log was read.` : '',
    earlier > 0 ? `${plural(earlier, 'line', 'lines')} from before this collection.` : '',
    ofOthers > 0 ? `${plural(ofOthers, 'line', 'lines')} from other accounts.` : '',
  ].filter((note) => note !== '')
}

const apartIn = (read: Parsed<SudoReconciliation>): readonly SudoRow[] =>
  read.ok ? read.fact.rows.filter(({ state }) => state !== 'both') : []

const apartBlocks = (apart: readonly SudoRow[]): readonly Block[] => [
  ...(apart.length === 0 ? [] : [tableOf(apart.slice(0, MOST_ROWS))]),
  ...(apart.length > MOST_ROWS ? [quiet(`And ${apart.length - MOST_ROWS} more.`)] : []),
]

/** Agreement of the sudo logs with the recordings: nodes with the same outcome in one row, then, for small fleets, each command without a counterpart. */
export function sudoSection(sudo: ReadonlyMap<string, Parsed<SudoReconciliation>>, inFull: boolean): readonly Block[] {
  if (sudo.size === 0) return []
  const found = [...sudo].map(([node, read]) => ({ node, read, says: foundIn(read).join(' ') }))
  const groups = alike(found, ({ says }) => says)
  const left = groups.length - MOST_ROWS
  return [
    heading(3, 'Privileged commands compared with the sudo log', true),
    {
      kind: 'table',
      columns: [
        { title: 'Nodes', width: 34 },
        { title: 'Result of the comparison', width: 66 },
      ],
      rows: groups
        .slice(0, MOST_ROWS)
        .map((group) => [
          plainCell(`${of(group.length, found.length)}: ${names(group.map(({ node }) => node))}`),
          plainCell(group[0]?.says ?? ''),
        ]),
    },
    ...(left > 0 ? [quiet(`And ${left} more outcomes.`)] : []),
    ...(inFull
      ? found.flatMap(({ node, read }): readonly Block[] => {
          const apart = apartIn(read)
          return apart.length === 0 ? [] : [heading(4, plain(node, 80)), ...apartBlocks(apart)]
        })
      : []),
  ]
}

const tableOf = (rows: readonly SudoRow[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Status', width: 0.3 },
    { title: 'Command', width: 0.5 },
    { title: 'Probe/command', width: 0.2 },
  ],
  rows: rows.map(({ state, command, asked }): readonly Cell[] => [
    [{ text: STATES[state].says, mark: STATES[state].mark }],
    monoCell(plain(command, 300)),
    plainCell(asked ?? 'Not in the recording'),
  ]),
})

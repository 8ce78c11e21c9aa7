import type { Capture } from '../../../schemas/types.ts'
import { redact } from '../collector/redact.ts'
import { plain } from '../plain-text.ts'
import type { Parsed } from '../probe.ts'
import { compare, type RecordingOutline } from '../recording.ts'
import { alike } from './grouping.ts'
import { type Block, type Cell, heading, type MarkName, monoCell, plainCell, quiet } from './model.ts'
import { names, of, plural } from './wording.ts'

/** A command as sudo's own log has it. */
export interface LoggedCommand {
  /** Seconds since 1970, by the node's clock. */
  readonly at: number
  readonly user: string
  /** Why sudo did not run it; null where it did. */
  readonly refused: string | null
  /** Program with folder, and arguments as sudo joined them. */
  readonly command: string
}

export interface SudoRow {
  /** `both`: one question of ours, one line of sudo's. `only-asked`: sudo has no line for it. `only-logged`: we have no question for it. */
  readonly state: 'both' | 'only-asked' | 'only-logged'
  readonly command: string
  /** "probe/command" of our question. */
  readonly asked: string | null
  /** Seconds since 1970, by the node's clock. */
  readonly loggedAt: number | null
  readonly refused: string | null
}

export interface SudoReconciliation {
  /** In this order: only logged, only asked, both; each by command. */
  readonly rows: readonly SudoRow[]
  /** Questions that were asked after the log was read, and so cannot stand in what was read of it. */
  readonly askedLater: number
  /** Lines of this login from before this collection. */
  readonly earlier: number
  /** Lines in the time of the collection about other logins. */
  readonly ofOthers: number
}

export interface SudoWindow {
  /** Node's clock, seconds since 1970: when the collection began and when the log was read. */
  readonly from: number
  readonly to: number
  /** Our clock, ISO 8601: when the log was read. */
  readonly readAt: string
}

/** Times in the log are whole seconds, and the node's clock was asked in whole seconds too. */
const TOLERANCE_SECONDS = 2

/**
 * Lays what sudo wrote down about our login beside what our recording says that we asked through sudo, one to one: a command that was
 * asked twice needs two lines. Words are compared without white space and quotation marks, since sudo wraps lines, and puts arguments
 * with blanks in quotation marks from 1.9 on only; folders of programs are left out, since we name none.
 * A tool that the node does not have never reaches sudo (exit status 127); what was lost or not run is not expected in the log.
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

/** What is compared. sudo writes a backslash before a quotation mark inside quotation marks; control characters stand as #ooo. */
function wordsOf([program = '', ...words]: readonly string[]): string {
  const bare = words.join('').replaceAll(/[\s'"\\]/g, '')
  return `${program.replace(/^.*\//, '')} ${bare}`
}

/** The log went through the redactor, the recording's own commands did not: a pattern of ours that looks like a password is gone there. */
const asRedacted = (argv: readonly string[]): readonly string[] =>
  new TextDecoder().decode(redact(new TextEncoder().encode(argv.join(' '))).bytes).split(' ')

const STATES: Readonly<Record<SudoRow['state'], { readonly mark: MarkName; readonly says: string }>> = {
  'only-logged': { mark: 'square-cross', says: 'Logged by sudo, not in our recording' },
  'only-asked': { mark: 'diamond-question', says: 'Asked by us, not in the log' },
  both: { mark: 'dot', says: 'Asked by us and logged by sudo' },
}

/** Shown of one node at most; what agrees is only counted. */
const MOST_ROWS = 60

/** What was found on one node, in a few sentences. */
function foundIn(read: Parsed<SudoReconciliation>): readonly string[] {
  if (!read.ok) return [`They could not be compared: ${read.reason}.`]
  const { rows, askedLater, earlier, ofOthers } = read.fact
  const agreeing = rows.filter(({ state }) => state === 'both')
  const refused = agreeing.filter((row) => row.refused !== null).length
  return [
    `${plural(agreeing.length, 'command', 'commands')} asked by us and logged by sudo, one line for each; ${rows.length - agreeing.length} without a counterpart.`,
    refused > 0 ? `sudo refused ${plural(refused, 'of these commands', 'of these commands')}.` : '',
    askedLater > 0 ? `${plural(askedLater, 'command was', 'commands were')} asked after the log was read.` : '',
    earlier > 0 ? `${plural(earlier, 'line is', 'lines are')} from before this collection.` : '',
    ofOthers > 0 ? `${plural(ofOthers, 'line is', 'lines are')} about other logins.` : '',
  ].filter((note) => note !== '')
}

const apartIn = (read: Parsed<SudoReconciliation>): readonly SudoRow[] =>
  read.ok ? read.fact.rows.filter(({ state }) => state !== 'both') : []

const apartBlocks = (apart: readonly SudoRow[]): readonly Block[] => [
  ...(apart.length === 0 ? [] : [tableOf(apart.slice(0, MOST_ROWS))]),
  ...(apart.length > MOST_ROWS ? [quiet(`And ${apart.length - MOST_ROWS} more.`)] : []),
]

/** For the report, how far the log of sudo and our recordings agree. All nodes together: those with the same outcome in one row, then, where nodes are few, each command without a counterpart. */
export function sudoSection(sudo: ReadonlyMap<string, Parsed<SudoReconciliation>>, inFull: boolean): readonly Block[] {
  if (sudo.size === 0) return []
  const found = [...sudo].map(([node, read]) => ({ node, read, says: foundIn(read).join(' ') }))
  const groups = alike(found, ({ says }) => says)
  const left = groups.length - MOST_ROWS
  return [
    heading(3, 'Root commands beside sudo’s own log', true),
    {
      kind: 'table',
      columns: [
        { title: 'Nodes', width: 34 },
        { title: 'Asked through sudo, against what sudo wrote down', width: 66 },
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
    { title: 'Where it stands', width: 0.3 },
    { title: 'Command', width: 0.5 },
    { title: 'Question', width: 0.2 },
  ],
  rows: rows.map(({ state, command, asked }): readonly Cell[] => [
    [{ text: STATES[state].says, mark: STATES[state].mark }],
    monoCell(plain(command, 300)),
    plainCell(asked ?? 'None of ours'),
  ]),
})

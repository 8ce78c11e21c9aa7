import { alike } from '../../core/grouping.ts'
import { names, of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import {
  type Block,
  type Cell,
  heading,
  type MarkName,
  monoCell,
  plainCell,
  quiet,
} from '../../core/report-document.ts'
import type { SudoReconciliation, SudoRow } from '../../core/sudo-log.ts'

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

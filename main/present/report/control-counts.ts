import {
  documentStateWords,
  ROW_STATES,
  type RowState,
  rowStateWords,
  serverStateWords,
} from '../../../schemas/conclusion-words.ts'
import type { ControlAssessment } from '../../../schemas/types.ts'
import { of, plural } from '../../core/phrases.ts'
import { type Block, type Cell, type MarkName, plainCell } from '../../core/report-document.ts'
import { partsTable } from '../formats/row-counts.ts'
import { stateLine } from './wording.ts'

/** Whether a check decides the control, from servers or from what the tool itself produces. */
export const isTested = ({ checks }: ControlAssessment): boolean => checks.some(({ decides }) => decides)

/** Controls by server part and document part. Every control in scope is counted in exactly one cell. */
export function partsBlock(rows: readonly ControlAssessment[]): Block {
  const { documents, lines } = partsTable(rows)
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Server part', width: 28 },
      ...documents.map((state) => ({ title: documentStateWords[state].label, width: 18 })),
    ],
    rows: lines.map(({ server, counts }): readonly Cell[] => [
      [{ text: serverStateWords[server].label, style: 'strong', mark: serverStateWords[server].mark as MarkName }],
      ...counts.map((count) => plainCell(String(count))),
    ]),
  }
}

/** Controls by state, with the meaning of each state that occurs. */
export function stateBlock(rows: readonly ControlAssessment[]): Block {
  const used = ROW_STATES.map((state) => ({ state, items: rows.filter((row) => row.state === state) })).filter(
    ({ items }) => items.length > 0,
  )
  return {
    kind: 'table',
    columns: [
      { title: 'State', width: 30 },
      { title: 'Controls', width: 20 },
      { title: 'Meaning', width: 50 },
    ],
    rows: used.map(({ state, items }) => [
      [stateLine(state)],
      [{ text: of(items.length, rows.length) }, ...apart(state, items)],
      plainCell(rowStateWords[state].meaning),
    ]),
  }
}

/** Of the supported controls, those with server tests; of those with deviations, those where every deviation is risk-accepted. */
function apart(state: RowState, rows: readonly ControlAssessment[]): Cell {
  if (state === 'supported')
    return [{ text: `${plural(rows.filter(isTested).length, 'control')} with server tests`, style: 'quiet' }]
  if (state !== 'deviations') return []
  const accepted = rows.filter(
    ({ server, documents }) =>
      documents.state !== 'deviations' && server.deviating > 0 && server.accepted === server.deviating,
  )
  return accepted.length === 0
    ? []
    : [{ text: `${accepted.length} with every deviation risk-accepted`, style: 'quiet' }]
}

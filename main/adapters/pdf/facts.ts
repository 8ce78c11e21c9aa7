import type { Block, Cell } from '../../core/report-document.ts'
import type { Sheet } from './sheet.ts'
import type { TableBlock } from './table-rows.ts'

type Facts = Extract<Block, { kind: 'facts' }>

/** A table, or facts as a table without column titles in which each label is the header of the value beside it. */
export function asTable(sheet: Sheet, block: Extract<Block, { kind: 'facts' | 'table' }>): TableBlock {
  if (block.kind === 'table') {
    const { columns, rows, rowHeaders = false } = block
    return { form: 'table', columns, rows, headers: rowHeaders ? [0] : [] }
  }
  return block.isPaired === true ? paired(sheet, block) : listed(block)
}

const column = (width: number): { readonly title: string; readonly width: number } => ({ title: '', width })

const listed = ({ rows }: Facts): TableBlock => ({
  form: 'facts',
  columns: [column(22), column(78)],
  rows: rows.map(({ label, value }) => [[{ text: label, style: 'strong' }], value]),
  headers: [0],
})

/** Least and largest share of a label in half of the width. */
const LABEL = { least: 0.16, most: 0.36 } as const

/** Two facts in each row, with both columns of labels as wide as their longest label. */
function paired(sheet: Sheet, { rows }: Facts): TableBlock {
  const { fact, table } = sheet.type
  const measure = sheet.measure('sans', fact.quiet)
  const half = sheet.page.bodyWidth / 2
  const share = (side: 0 | 1): number => {
    const labels = rows.filter((_, index) => index % 2 === side).map(({ label }) => sheet.drawable(label, 'sans'))
    const wanted = Math.max(0, ...labels.map(measure)) + 2 * table.padX + 4
    return Math.min(LABEL.most, Math.max(LABEL.least, wanted / half))
  }
  const [left, right] = [share(0), share(1)]
  const cells = rows.map(({ label, value }): readonly Cell[] => [[{ text: label, style: 'quiet' }], value])
  const pairs = cells.filter((_, index) => index % 2 === 0)
  return {
    form: 'pairs',
    columns: [column(left), column(1 - left), column(right), column(1 - right)],
    rows: pairs.map((first, index) => [...first, ...(cells[2 * index + 1] ?? [[], []])]),
    headers: [0, 2],
  }
}

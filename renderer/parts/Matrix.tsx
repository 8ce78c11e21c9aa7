import { type KeyboardEvent, useRef, useState } from 'react'
import { type Property, propertyWords, verdictWords } from '../../schemas/words.ts'
import { type Cell, layerLine, type Matrix, type MatrixRow, supportedNodes, whyNotCollected } from '../model.ts'
import { plural } from '../text.ts'
import { Shape, VerdictMark } from './Mark.tsx'

export interface MatrixProps {
  readonly matrix: Matrix
  readonly onOpen: (node: string, property: Property) => void
  readonly label: string
}

/** Nodes by properties as a grid: one stop for Tab, arrows inside, Home and End, Enter opens the argument. */
export function MatrixGrid({ matrix, onOpen, label }: MatrixProps) {
  const grid = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState<readonly [row: number, column: number]>([0, 0])
  const { properties, rows } = matrix
  const width = (row: number): number => (rows[row]?.cells === null ? 1 : properties.length)

  function move(row: number, column: number): void {
    const y = Math.max(0, Math.min(rows.length - 1, row))
    const x = Math.max(0, Math.min(width(y) - 1, column))
    setAt([y, x])
    grid.current?.querySelector<HTMLElement>(`[data-at="${y}-${x}"]`)?.focus()
  }
  function onKeyDown(event: KeyboardEvent): void {
    const [row, column] = at
    const to: Readonly<Record<string, readonly [number, number]>> = {
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [rows.length - 1, properties.length - 1] : [row, properties.length - 1],
    }
    const target = to[event.key]
    if (target === undefined) return
    event.preventDefault()
    move(target[0], target[1])
  }
  const stop = (row: number, column: number): 0 | -1 =>
    row === Math.min(at[0], rows.length - 1) && column === Math.min(at[1], width(row) - 1) ? 0 : -1

  return (
    <div className="scroll">
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is walked cell by cell is a grid; its td are grid cells (HTML-AAM)
        role="grid"
        className="matrix"
        aria-label={label}
        aria-rowcount={rows.length + 2}
        ref={grid}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            <th scope="col">Node</th>
            {properties.map((property) => (
              <th key={property} scope="col" title={propertyWords[property].meaning}>
                {propertyWords[property].label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, y) => (
            <tr key={row.node.node}>
              <th scope="row">
                <span className="node-name">{row.node.node}</span>
                <NodeNotes row={row} />
              </th>
              {row.cells === null ? (
                <td colSpan={properties.length}>
                  <button
                    type="button"
                    className="cell"
                    data-at={`${y}-0`}
                    tabIndex={stop(y, 0)}
                    onFocus={() => setAt([y, 0])}
                    onClick={() => onOpen(row.node.node, properties[0] ?? 'isolation')}
                  >
                    <span className="status tone-not-tested">
                      <Shape mark="dotted-ring" tone="not-tested" />
                      <span>
                        {verdictWords['not-tested'].label}: {whyNotCollected(row.node)}
                      </span>
                    </span>
                  </button>
                </td>
              ) : (
                row.cells.map((cell, x) => (
                  <td key={cell.property}>
                    <button
                      type="button"
                      className="cell"
                      data-at={`${y}-${x}`}
                      tabIndex={stop(y, x)}
                      onFocus={() => setAt([y, x])}
                      onClick={() => onOpen(row.node.node, cell.property)}
                    >
                      <VerdictMark verdict={cell.verdict} />
                      <CellCount cell={cell} />
                    </button>
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Nodes supported</th>
            {properties.map((property) => (
              <td key={property}>
                {supportedNodes(matrix, property)} of {rows.length}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

function CellCount({ cell }: { readonly cell: Cell }) {
  return (
    <span className="count">
      {cell.met} of {plural(cell.total, 'check')}
    </span>
  )
}

function NodeNotes({ row: { node, cells } }: { readonly row: MatrixRow }) {
  const notes = [
    cells === null || node.isolation === null || node.isolation.layer === 'unknown' ? null : layerLine(node),
    node.status === 'partial' ? 'collected in part' : null,
    node.privilege === 'none' ? 'without administrator rights' : null,
    node.stale ? `${node.ageDays ?? '?'} days old: supports nothing` : null,
  ].filter((note) => note !== null)
  return notes.length === 0 ? null : <span className="note">{notes.join(' · ')}</span>
}

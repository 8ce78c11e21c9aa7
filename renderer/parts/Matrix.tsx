import { type CSSProperties, memo, useId, useRef } from 'react'
import type { NodeRow } from '../../schemas/ipc-results.ts'
import { remedyOf } from '../../schemas/node-remedies.ts'
import { type Property, propertyWords, type Verdict, verdictWords } from '../../schemas/words.ts'
import { isSamePlace, slotsAfter, visibleRows } from '../models/matrix-walk.ts'
import { rem, useWidth } from '../models/measure.ts'
import { countsOf, countWords, type Matrix, type MatrixRow, whyNotCollected } from '../models/model.ts'
import { stillToCome } from '../models/run-progress.ts'
import { plural, visible } from '../models/text.ts'
import { REMEDY_WORDS } from '../state/node-remedies.ts'
import { useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Shape } from './Mark.tsx'
import { CellButton, Counts, NodeNotes } from './MatrixCells.tsx'
import { useWalk } from './matrix-focus.ts'

interface MatrixProps {
  /** Its rows are filtered; its totals always cover all rows. */
  readonly matrix: Matrix
  /** How many rows there are without the filter. */
  readonly of: number
  readonly label: string
  readonly onOpen: (node: string, property: Property) => void
  readonly onNode: (node: string) => void
  readonly onTotal: (property: Property, state: Verdict) => void
  /** Actions for a node without evidence; null where nothing can be collected. */
  readonly fix: Fix | null
  readonly onClear: () => void
}

/** Boxes instead of table elements: rows are positioned one by one, and only those in sight exist. */
const AS = {
  grid: (rows: number, columns: number, label: string) => ({
    role: 'grid',
    'aria-rowcount': rows,
    'aria-colcount': columns,
    'aria-label': label,
  }),
  group: { role: 'rowgroup' },
  /** Rows in reading order, whatever the order of their elements. */
  body: (rows: readonly string[]) => ({
    role: 'rowgroup',
    ...(rows.length === 0 ? {} : { 'aria-owns': rows.join(' ') }),
  }),
  row: (index: number) => ({ role: 'row', 'aria-rowindex': index }),
  heading: (column: number) => ({ role: 'columnheader', 'aria-colindex': column }),
  rowHeading: { role: 'rowheader', 'aria-colindex': 1 },
  cell: (column: number, span = 1) => ({
    role: 'gridcell',
    'aria-colindex': column,
    ...(span === 1 ? {} : { 'aria-colspan': span }),
  }),
} as const

const idOf = (grid: string, slot: number | undefined): string => `${grid}-${slot}`

const NODE_COLUMN_REM = 10
/** Nine properties fit into a window of 1280 pixels. */
const NARROWEST_REM = 5.9
/** Width of a property column that fits the longest verdict on one line. */
const ROOMY_REM = 10
const SEEN_WHOLE = 24
/** Space for a scroll bar, in pixels. */
const SCROLL_BAR = 17
const BORDERS = 2
/** Minimum height of the grid, and the space that the page needs around it. */
const LEAST_REM = 24
const AROUND_REM = 8

/**
 * Nodes by properties as a grid: one Tab stop, arrow keys inside, Home and End, Enter opens the result. Only rows in
 * sight are drawn, each once while it stays in sight. The table of the component library would observe every cell of
 * every row.
 */
export function MatrixGrid({ matrix, of, label, onClear, onTotal, ...opens }: MatrixProps) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const { progress } = useStore()
  const unit = rem()
  const { properties, rows } = matrix
  const columns = properties.length + 1
  const roomy = width >= (NODE_COLUMN_REM + properties.length * ROOMY_REM) * unit
  const rowHeight = Math.round((roomy ? 2.875 : 3.375) * unit)
  const headingHeight = Math.round(4.125 * unit)
  // A small fleet scrolls with the page; a large one scrolls under its column titles.
  const seenWhole = rows.length <= SEEN_WHOLE
  const fits = width - (seenWhole ? 0 : SCROLL_BAR) >= (NODE_COLUMN_REM + properties.length * NARROWEST_REM) * unit
  const height = headingHeight + Math.max(rows.length, 3) * rowHeight + (fits ? BORDERS : SCROLL_BAR)
  const blockSize = seenWhole ? `${height}px` : `min(${height}px, max(${LEAST_REM}rem, 100vh - ${AROUND_REM}rem))`
  const inSight = Math.max(LEAST_REM * unit, window.innerHeight - AROUND_REM * unit) - headingHeight
  const sight = seenWhole ? rows.length : Math.ceil(inSight / rowHeight) + 1
  const pending = (node: string): string | null => (opens.fix === null ? null : stillToCome(progress, node))
  const stopsIn = (at: number): number => {
    const row = rows[at]
    if (row === undefined || row.collected) return columns
    return opens.fix !== null && pending(row.node.node) === null ? 3 : 2
  }
  const { first, place, events } = useWalk(frame, { rows, rowHeight, sight, stopsIn })
  const drawn = visibleRows({ first, sight, rows: rows.length, kept: place.row })
  const slots = useRef<ReadonlyMap<number, number>>(new Map())
  slots.current = slotsAfter(slots.current, drawn)
  const id = useId()
  const bySlot = [...slots.current].sort(([, a], [, b]) => a - b)
  return (
    <div ref={frame} className={`matrix-frame${roomy ? ' roomy' : ''}${fits ? ' fits' : ''}`}>
      <div
        {...AS.grid(rows.length + 1, columns, label)}
        className="matrix"
        style={{ blockSize, '--properties': properties.length } as CSSProperties}
        {...events}
      >
        <div {...AS.group} className="matrix-head">
          <div {...AS.row(1)} className="matrix-line" data-row={-1} style={{ blockSize: headingHeight }}>
            <div
              {...AS.heading(1)}
              className="matrix-column node-column"
              data-stop={0}
              tabIndex={isSamePlace(place, -1, 0) ? 0 : -1}
            >
              Node
            </div>
            {properties.map((property, at) => (
              <div key={property} {...AS.heading(at + 2)} className="matrix-column">
                <Total
                  matrix={matrix}
                  property={property}
                  stop={at + 1}
                  isCurrent={isSamePlace(place, -1, at + 1)}
                  onTotal={onTotal}
                />
              </div>
            ))}
          </div>
        </div>
        <div
          {...AS.body(drawn.map((at) => idOf(id, slots.current.get(at))))}
          className="matrix-body"
          style={{ blockSize: Math.max(rows.length, 3) * rowHeight }}
        >
          {rows.length === 0 && (
            <div {...AS.row(2)}>
              <div {...AS.cell(1, columns)}>
                <EmptyState title="No nodes match this filter" action={<Button onPress={onClear}>Clear filter</Button>}>
                  The totals above still include all {plural(of, 'declared node')}.
                </EmptyState>
              </div>
            </div>
          )}
          {bySlot.map(([at, slot]) => {
            const row = rows[at]
            return row === undefined ? null : (
              <OneRow
                key={slot}
                id={idOf(id, slot)}
                row={row}
                at={at}
                height={rowHeight}
                stop={place.row === at ? Math.min(place.column, stopsIn(at) - 1) : null}
                pending={row.collected ? null : pending(row.node.node)}
                {...opens}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

const NOTHING = countsOf(undefined)

/** The property and the results of all nodes tested. It opens the nodes that are not satisfied. */
function Total({
  matrix,
  property,
  stop,
  isCurrent,
  onTotal,
}: {
  readonly matrix: Matrix
  readonly property: Property
  readonly stop: number
  readonly isCurrent: boolean
} & Pick<MatrixProps, 'onTotal'>) {
  const sum = matrix.sums[matrix.properties.indexOf(property)] ?? NOTHING
  const { label, meaning } = propertyWords[property]
  return (
    <>
      <span title={meaning}>{label}</span>
      <button
        type="button"
        className="total"
        data-stop={stop}
        tabIndex={isCurrent ? 0 : -1}
        aria-label={`${label}, all nodes tested: ${countWords(sum)}. Show nodes not satisfied.`}
        title={countWords(sum)}
        onClick={() => onTotal(property, 'not-satisfied')}
      >
        <Counts counts={sum} />
      </button>
    </>
  )
}

interface OneRowProps extends Pick<MatrixProps, 'onOpen' | 'onNode' | 'fix'> {
  readonly id: string
  readonly row: MatrixRow
  readonly at: number
  /** In pixels. */
  readonly height: number
  /** Which of its stops is the Tab stop of the grid; null in all other rows. */
  readonly stop: number | null
  /** Why a run in progress has no evidence of the node yet. */
  readonly pending: string | null
}

/** Drawn once while it is in sight: its props change only with its results and the focus. */
const OneRow = memo(function OneRow({ id, row, at, height, stop, pending, onOpen, onNode, fix }: OneRowProps) {
  const { node, collected, cells } = row
  const tab = (place: number): 0 | -1 => (stop === place ? 0 : -1)
  return (
    <div
      {...AS.row(at + 2)}
      id={id}
      className="matrix-row matrix-line"
      data-key={node.node}
      data-row={at}
      style={{ insetBlockStart: at * height, blockSize: height }}
    >
      <div {...AS.rowHeading} className="matrix-cell node-cell" tabIndex={-1}>
        <button type="button" className="cell" data-stop={0} tabIndex={tab(0)} onClick={() => onNode(node.node)}>
          <span className="node-name">{node.node}</span>
          <NodeNotes row={row} />
        </button>
      </div>
      {collected ? (
        cells.map((cell, place) => (
          <div key={cell.property} {...AS.cell(place + 2)} className="matrix-cell" tabIndex={-1}>
            <CellButton
              cell={cell}
              stop={place + 1}
              tab={tab(place + 1)}
              onPress={() => onOpen(node.node, cell.property)}
            />
          </div>
        ))
      ) : (
        <NotCollected node={node} span={cells.length} pending={pending} fix={fix} tab={tab} />
      )}
    </div>
  )
})

/** Actions for a node without evidence. */
interface Fix {
  readonly retry: (node: string) => void
  /** Resolves what its failure needs first: another address, a comparison of the host key, or another login. */
  readonly correct: (node: string, failure: string) => void
}

interface NotCollectedProps {
  readonly node: NodeRow
  /** Number of columns that it represents. */
  readonly span: number
  readonly pending: string | null
  readonly fix: Fix | null
  readonly tab: (stop: number) => 0 | -1
}

/** Why a node has no evidence, and the available actions. While it waits in a run, there are no actions. */
function NotCollected({ node, span, pending, fix, tab }: NotCollectedProps) {
  const why = visible(pending ?? whyNotCollected(node))
  const failure = node.failure?.code ?? ''
  const remedy = remedyOf(failure)
  const correction = remedy === 'collect-again' ? 'Edit address' : REMEDY_WORDS[remedy]
  const actions = fix !== null && pending === null ? fix : null
  return (
    <div
      {...AS.cell(2, span)}
      className="matrix-cell missing-cell"
      {...(actions === null ? { 'data-stop': 1, tabIndex: tab(1) } : { tabIndex: -1 })}
    >
      <span className="status tone-not-tested" title={why}>
        <Shape mark={verdictWords['not-tested'].mark} tone="not-tested" />
        <span className="cell-lines">Not collected: {why}</span>
      </span>
      {actions !== null && (
        <span className="mend">
          <MendButton name={`Try again: ${node.node}`} stop={1} tab={tab(1)} onPress={() => actions.retry(node.node)}>
            Try again
          </MendButton>
          <MendButton
            name={`${correction} of ${node.node}`}
            stop={2}
            tab={tab(2)}
            onPress={() => actions.correct(node.node, failure)}
          >
            {correction}
          </MendButton>
        </span>
      )}
    </div>
  )
}

interface MendButtonProps {
  readonly name: string
  readonly stop: number
  readonly tab: 0 | -1
  readonly onPress: () => void
  readonly children: string
}

const MendButton = ({ name, stop, tab, onPress, children }: MendButtonProps) => (
  <button
    type="button"
    className="button secondary small"
    aria-label={name}
    data-stop={stop}
    tabIndex={tab}
    onClick={onPress}
  >
    <span>{children}</span>
  </button>
)

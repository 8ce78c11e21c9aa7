import { IconClock } from '@tabler/icons-react'
import { useEffect, useMemo } from 'react'
import { Cell, Column, Row, Table, TableBody, TableHeader, TableLayout, Virtualizer } from 'react-aria-components'
import type { NodeRow } from '../../schemas/ipc-results.ts'
import { type Environment, type Property, propertyWords, type Verdict, verdictWords } from '../../schemas/words.ts'
import { rem, useWidth } from '../measure.ts'
import {
  type Acceptance,
  type CellCounts,
  countsOf,
  countWords,
  environmentLine,
  excludedWords,
  type Matrix,
  type MatrixRow,
  type Cell as OneCell,
  whyNotCollected,
} from '../model.ts'
import { stillToCome } from '../run-progress.ts'
import { useStore } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Shape } from './Mark.tsx'

export interface MatrixProps {
  readonly matrix: Matrix
  /** The filtered rows; totals always cover all rows. */
  readonly rows: readonly MatrixRow[]
  readonly label: string
  readonly onOpen: (node: string, property: Property) => void
  readonly onNode: (node: string) => void
  readonly onTotal: (property: Property, state: Verdict) => void
  /** Actions for a node without evidence; null where nothing can be collected. */
  readonly fix: Fix | null
  readonly onClear: () => void
}

/** The node column stays in place while the others scroll under it. */
class FirstColumnStays<T> extends TableLayout<T> {
  override isStickyColumn(node: { readonly index: number }): boolean {
    return node.index === 0
  }
}

const NODE_COLUMN_REM = 10
const NARROWEST_REM = 6.15
/** Width of a property column that fits the longest verdict on one line. */
const ROOMY_REM = 10
const SEEN_WHOLE = 24
/** Space for the scroll bar when columns do not fit, in pixels. */
const SCROLL_BAR = 17
const BORDERS = 2

/** Nodes by properties as a grid: one Tab stop, arrow keys inside, Home and End, Enter opens the result. Only visible rows are drawn. */
export function MatrixGrid({ matrix, rows, label, onClear, onTotal, ...opens }: MatrixProps) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const unit = rem()
  const { properties } = matrix
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list starts at the top
  useEffect(() => {
    frame.current?.querySelector('.matrix')?.scrollTo({ top: 0 })
  }, [rows])
  const roomy = width >= (NODE_COLUMN_REM + properties.length * ROOMY_REM) * unit
  const rowHeight = Math.round((roomy ? 2.875 : 3.375) * unit)
  const headingHeight = Math.round(4.125 * unit)
  const options = useMemo(() => ({ rowHeight, headingHeight }), [rowHeight, headingHeight])
  // A small fleet scrolls with the page; a large one scrolls under its column titles.
  const fits = width >= (NODE_COLUMN_REM + properties.length * NARROWEST_REM) * unit
  const height = headingHeight + Math.max(rows.length, 3) * rowHeight + (fits ? BORDERS : SCROLL_BAR)
  const blockSize = rows.length <= SEEN_WHOLE ? `${height}px` : `min(${height}px, max(24rem, 100vh - 8rem))`
  return (
    <div ref={frame} className={roomy ? 'matrix-frame roomy' : 'matrix-frame'}>
      <Virtualizer layout={FirstColumnStays} layoutOptions={options}>
        <Table className="matrix" aria-label={label} style={{ blockSize }}>
          <TableHeader className="matrix-head">
            <Column
              id="node"
              isRowHeader
              textValue="Node"
              className="matrix-column node-column"
              width={NODE_COLUMN_REM * unit}
            >
              Node
            </Column>
            {properties.map((property) => (
              <Column
                key={property}
                id={property}
                className="matrix-column"
                textValue={propertyWords[property].label}
                aria-label={propertyWords[property].label}
                width="1fr"
                minWidth={NARROWEST_REM * unit}
              >
                <Total matrix={matrix} property={property} onTotal={onTotal} />
              </Column>
            ))}
          </TableHeader>
          <TableBody
            items={rows}
            dependencies={[opens.fix === null]}
            renderEmptyState={() => (
              <EmptyState title="No nodes match this filter" action={<Button onPress={onClear}>Clear filter</Button>}>
                The totals above still include all {plural(matrix.rows.length, 'declared node')}.
              </EmptyState>
            )}
          >
            {(row) => drawRow(row, properties, opens)}
          </TableBody>
        </Table>
      </Virtualizer>
    </div>
  )
}

const NOTHING = countsOf(undefined)

/** The property name, and the results of all nodes tested: opens the nodes with one that is not satisfied. */
function Total({
  matrix,
  property,
  onTotal,
}: { readonly matrix: Matrix; readonly property: Property } & Pick<MatrixProps, 'onTotal'>) {
  const sum = matrix.sums[matrix.properties.indexOf(property)] ?? NOTHING
  const { label, meaning } = propertyWords[property]
  return (
    <>
      <span className="matrix-title" title={meaning}>
        {label}
      </span>
      <button
        type="button"
        className="total"
        aria-label={`${label}, all nodes tested: ${countWords(sum)}. Show nodes not satisfied.`}
        title={countWords(sum)}
        onClick={() => onTotal(property, 'not-satisfied')}
      >
        <Counts counts={sum} />
      </button>
    </>
  )
}

type Opens = Pick<MatrixProps, 'onOpen' | 'onNode' | 'fix'>

/** A function and not a component: the grid wants its cells as direct children. */
function drawRow(row: MatrixRow, properties: readonly Property[], { onOpen, onNode, fix }: Opens) {
  const { node, collected, cells } = row
  return (
    <Row id={node.node} textValue={node.node} className="matrix-row">
      <Cell className="matrix-cell node-cell">
        <button type="button" className="cell" onClick={() => onNode(node.node)}>
          <span className="node-name">{node.node}</span>
          <NodeNotes row={row} />
        </button>
      </Cell>
      {collected ? (
        cells.map((cell) => (
          <Cell key={cell.property} className="matrix-cell">
            <CellButton cell={cell} onPress={() => onOpen(node.node, cell.property)} />
          </Cell>
        ))
      ) : (
        <Cell key="none" className="matrix-cell missing-cell" colSpan={properties.length}>
          <NotCollected node={node} fix={fix} />
        </Cell>
      )}
    </Row>
  )
}

export const acceptedWords = ({ until, owner }: Acceptance): string =>
  `Accepted until ${day(until)} · ${visible(owner)}`

/** The counts of a cell, with what is counted against no node. */
const countsSaid = (counts: CellCounts): string =>
  [countWords(counts), excludedWords(counts)].filter(Boolean).join('; not counted: ')

const COUNTED = [
  ['notSatisfied', 'not-satisfied'],
  ['inconclusive', 'inconclusive'],
  ['satisfied', 'satisfied'],
] as const

/** Not satisfied, inconclusive, satisfied: always in this order, never one word for all of them. */
export const Counts = ({ counts }: { readonly counts: CellCounts }) => (
  <span className="cell-counts number">
    {COUNTED.map(([name, verdict]) => (
      <span key={name} className={counts[name] === 0 ? 'cell-count none' : `cell-count tone-${verdict}`}>
        <Shape mark={verdictWords[verdict].mark} tone={counts[name] === 0 ? 'none' : verdict} />
        {counts[name]}
      </span>
    ))}
  </span>
)

/** A cell as a sentence, for screen readers. */
function cellSentence(cell: OneCell): string {
  const { accepted, expired, property } = cell
  const parts = [
    `${propertyWords[property].label}: ${countsSaid(countsOf(cell))}`,
    accepted === null
      ? null
      : `${accepted.count} risk accepted until ${day(accepted.until)}, ${visible(accepted.owner)}`,
    expired === 0 ? null : `${plural(expired, 'acceptance')} expired`,
  ]
  return `${parts.filter((part) => part !== null).join('. ')}.`
}

function CellButton({ cell, onPress }: { readonly cell: OneCell; readonly onPress: () => void }) {
  const { accepted, expired } = cell
  const counts = countsOf(cell)
  return (
    <button
      type="button"
      className={accepted === null ? 'cell' : 'cell has-corner'}
      aria-label={cellSentence(cell)}
      title={accepted === null ? countsSaid(counts) : `${acceptedWords(accepted)} · ${countsSaid(counts)}`}
      onClick={onPress}
    >
      <Counts counts={counts} />
      <span className="count of-acceptance">
        {accepted === null
          ? expired > 0
            ? 'acceptance expired'
            : counts.notTested > 0 && `${counts.notTested} not tested`
          : `accepted until ${day(accepted.until)}`}
      </span>
    </button>
  )
}

/** Notes under the name of a node. */
const SAID_LAYERS: readonly Environment[] = ['virtual-machine', 'container', 'logical-partition', 'hypervisor-host']

function NodeNotes({ row: { node, collected } }: { readonly row: MatrixRow }) {
  const notes = [
    collected && node.environment !== null && SAID_LAYERS.includes(node.environment) ? environmentLine(node) : null,
    node.status === 'partial' ? 'partially collected' : null,
    node.privilege === 'none' ? 'no privileged checks' : null,
    node.place === null ? null : visible(node.place),
  ].filter((note) => note !== null)
  return (
    <>
      {node.stale && (
        <span className="stale">
          <Icon of={IconClock} size={12} />
          {node.ageDays === null ? 'of unknown age' : `${plural(node.ageDays, 'day')} old`}
        </span>
      )}
      {notes.length > 0 && (
        <span className="node-note" title={notes.join(' · ')}>
          {notes.join(' · ')}
        </span>
      )}
    </>
  )
}

/** Actions for a node without evidence. */
interface Fix {
  readonly retry: (node: string) => void
  readonly edit: (node: string) => void
}

/** Why a node has no evidence, and the available actions; while it waits in a run, only that. */
function NotCollected({ node, fix }: { readonly node: NodeRow; readonly fix: Fix | null }) {
  const { progress } = useStore()
  const pending = fix === null ? null : stillToCome(progress, node.node)
  const why = visible(pending ?? whyNotCollected(node))
  return (
    <>
      <span className="status tone-not-tested" title={why}>
        <Shape mark={verdictWords['not-tested'].mark} tone="not-tested" />
        <span>Not collected: {why}</span>
      </span>
      {fix !== null && pending === null && (
        <span className="mend">
          <Button small label={`Retry ${node.node}`} onPress={() => fix.retry(node.node)}>
            Retry
          </Button>
          <Button small label={`Edit address of ${node.node}`} onPress={() => fix.edit(node.node)}>
            Edit address
          </Button>
        </span>
      )}
    </>
  )
}

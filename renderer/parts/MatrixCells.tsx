import { IconClock } from '@tabler/icons-react'
import { dayCount, type Environment, propertyWords, verdictWords } from '../../schemas/words.ts'
import {
  type Acceptance,
  type Cell,
  type CellCounts,
  countsOf,
  countWords,
  environmentLine,
  excludedWords,
  type MatrixRow,
} from '../models/model.ts'
import { day, plural, visible } from '../models/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { Shape } from './Mark.tsx'

export const acceptedWords = ({ until, owner }: Acceptance): string =>
  `Accepted until ${day(until)} · ${visible(owner)}`

/** The counts of a cell, and the results that count against no node. */
const countsText = (counts: CellCounts): string =>
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
function cellSentence(cell: Cell): string {
  const { accepted, expired, property } = cell
  const parts = [
    `${propertyWords[property].label}: ${countsText(countsOf(cell))}`,
    accepted === null
      ? null
      : `${accepted.count} risk accepted until ${day(accepted.until)}, ${visible(accepted.owner)}`,
    expired === 0 ? null : `${plural(expired, 'acceptance')} expired`,
  ]
  return `${parts.filter((part) => part !== null).join('. ')}.`
}

interface CellButtonProps {
  readonly cell: Cell
  readonly stop: number
  readonly tab: 0 | -1
  readonly onPress: () => void
}

/** The counts of one property of a node; opens its results. */
export function CellButton({ cell, stop, tab, onPress }: CellButtonProps) {
  const { accepted, expired } = cell
  const counts = countsOf(cell)
  const note =
    accepted !== null
      ? `accepted until ${day(accepted.until)}`
      : expired > 0
        ? 'acceptance expired'
        : counts.notTested > 0
          ? `${counts.notTested} not tested`
          : null
  return (
    <button
      type="button"
      className={accepted === null ? 'cell' : 'cell has-corner'}
      data-stop={stop}
      tabIndex={tab}
      aria-label={cellSentence(cell)}
      title={accepted === null ? countsText(counts) : `${acceptedWords(accepted)} · ${countsText(counts)}`}
      onClick={onPress}
    >
      <Counts counts={counts} />
      {note !== null && <span className="count">{note}</span>}
    </button>
  )
}

/** Execution environments that are named under a node. Bare metal is expected and not named. */
const NAMED_LAYERS: readonly Environment[] = ['virtual-machine', 'container', 'logical-partition', 'hypervisor-host']

/** Notes under the name of a node. */
export function NodeNotes({ row: { node, collected } }: { readonly row: MatrixRow }) {
  const notes = [
    collected && node.environment !== null && NAMED_LAYERS.includes(node.environment) ? environmentLine(node) : null,
    node.status === 'partial' ? 'partially collected' : null,
    node.privilege === 'none' ? 'no privileged checks' : null,
    node.place === null ? null : visible(node.place),
  ].filter((note) => note !== null)
  return (
    <>
      {node.stale && (
        <span className="stale">
          <Icon of={IconClock} size={12} />
          {node.ageDays === null ? 'of unknown age' : `${dayCount(node.ageDays)} old`}
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

import { useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import type { EvidencePiece } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import {
  type Direction,
  directionWords,
  type Entry,
  type Group,
  needsRights,
  SHOWN_AT_FIRST,
  type Side,
  shortened,
} from '../models/ledger.ts'
import { linesOf } from '../models/output-lines.ts'
import { plural, shellLine, visible } from '../models/text.ts'
import { useAnswer } from '../state/bridge.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Fact } from '../ui/Fact.tsx'
import { Ask } from './Ask.tsx'
import { Shape } from './Mark.tsx'

interface LedgerProps {
  readonly sides: readonly Side[]
  readonly of: Source
  readonly node: string
  /** Opens the instructions for allowing a privileged probe; null where nothing can be changed. */
  readonly onAllow: ((probe: string) => void) | null
  /** The first observation that cites a capture starts open. */
  readonly opensFirst?: boolean
}

/**
 * The observations of one check: counts by direction, then each observation by the part of the evidence it cites,
 * contradicting ones first. An observation opens to its fact, its raw lines and their digest.
 */
export function Ledger({ sides, of, node, onAllow, opensFirst = false }: LedgerProps) {
  const [only, setOnly] = useState<Direction | 'all'>('all')
  const shown = sides.filter(({ direction, count }) => count > 0 && (only === 'all' || direction === only))
  const total = sides.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return <p className="empty">No observations for this check.</p>
  const opened = opensFirst ? firstCited(sides) : null
  return (
    <div className="account">
      <ToggleButtonGroup
        className="account-sums"
        aria-label="Filter observations"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[only]}
        onSelectionChange={(keys) => setOnly(([...keys][0] ?? 'all') as Direction | 'all')}
      >
        <ToggleButton id="all" className="account-sum">
          All <span className="number">{total}</span>
        </ToggleButton>
        {sides.map(({ direction, count }) => (
          <ToggleButton
            key={direction}
            id={direction}
            className={`account-sum says-${direction}`}
            isDisabled={count === 0}
          >
            <Shape {...directionWords[direction]} />
            {directionWords[direction].label} <span className="number">{count}</span>
            {count === 0 && <span className="none">none</span>}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {shown.map((side) => (
        <OneSide key={side.direction} side={side} of={of} node={node} onAllow={onAllow} opened={opened} />
      ))}
    </div>
  )
}

/** The first observation that cites a capture, or null. */
const firstCited = (sides: readonly Side[]): Entry | null =>
  sides.flatMap(({ groups }) => groups.flatMap(({ entries }) => entries)).find((one) => one.captures.length > 0) ?? null

interface OneSideProps extends Omit<LedgerProps, 'sides' | 'opensFirst'> {
  readonly side: Side
  /** The observation that starts open, or null. */
  readonly opened: Entry | null
}

function OneSide({ side, of, node, onAllow, opened }: OneSideProps) {
  const [most, setMost] = useState(SHOWN_AT_FIRST)
  const { groups, left } = shortened(side, most)
  const { label, mark, tone } = directionWords[side.direction]
  return (
    <section className={`account-side says-${side.direction}`} aria-label={`${label}: ${plural(side.count, 'reason')}`}>
      <h3 className="account-head">
        <Shape mark={mark} tone={tone} />
        {label} <span className="number">{side.count}</span>
      </h3>
      <ul className="account-parts">
        {groups.map((group) => (
          <Part key={group.probe ?? ''} group={group} of={of} node={node} onAllow={onAllow} opened={opened} />
        ))}
      </ul>
      {left > 0 && (
        <Button kind="link" onPress={() => setMost(Number.POSITIVE_INFINITY)}>
          Show {plural(left, 'more observation')}
        </Button>
      )}
    </section>
  )
}

function Part({
  group: { probe, title, entries },
  of,
  node,
  onAllow,
  opened,
}: Omit<OneSideProps, 'side'> & { readonly group: Group }) {
  return (
    <li className="account-part">
      <p className="account-title">
        {title}
        {onAllow !== null && probe !== null && entries.some(needsRights) && (
          <Button kind="link" small onPress={() => onAllow(probe)} label={`Allow this probe: ${title}`}>
            Allow this probe
          </Button>
        )}
      </p>
      <ul className="account-entries">
        {entries.map((entry) => (
          <li key={entry.text}>
            <OneEntry entry={entry} of={of} node={node} startsOpen={entry === opened} />
          </li>
        ))}
      </ul>
    </li>
  )
}

function OneEntry({
  entry,
  of,
  node,
  startsOpen,
}: {
  readonly entry: Entry
  readonly of: Source
  readonly node: string
  readonly startsOpen: boolean
}) {
  const [wasOpened, setOpened] = useState(startsOpen)
  if (entry.captures.length === 0) return <p className="account-said">{visible(entry.text)}</p>
  return (
    <Disclosure
      level={4}
      className="account-entry"
      title={visible(entry.text)}
      aside={<span className="note">{plural(entry.captures.length, 'capture')}</span>}
      startsOpen={startsOpen}
      onToggle={(open) => {
        if (open) setOpened(true)
      }}
    >
      {wasOpened && entry.captures.map((capture) => <Proof key={capture.key} capture={capture} of={of} node={node} />)}
    </Disclosure>
  )
}

interface ProofProps {
  readonly capture: Entry['captures'][number]
  readonly of: Source
  readonly node: string
}

const MOST_LINES = 8
const LONGEST_LINE = 240

/** Evidence of one observation: parsed fact, its raw lines, and the digest of the whole capture. */
function Proof({ capture, of, node }: ProofProps) {
  const answer = useAnswer('evidence.get', { of, node, capture: capture.key, stream: 'stdout', offset: 0 })
  return (
    <div className="proof">
      <Ask answer={answer}>{(piece) => <Lines piece={piece} sha256={capture.sha256} />}</Ask>
      <Button kind="link" onPress={() => go({ screen: 'evidence', of, node, capture: capture.key })}>
        Open {capture.key} in raw evidence
      </Button>
    </div>
  )
}

function Lines({ piece, sha256 }: { readonly piece: EvidencePiece; readonly sha256: string }) {
  const lines = linesOf(piece.text)
  const marked = piece.marked.length > 0
  const places = marked ? piece.marked : [...lines.keys()].slice(0, MOST_LINES)
  const shown = places.slice(0, MOST_LINES)
  return (
    <dl className="proof-steps">
      <Fact term="Fact">
        {piece.reading.ok ? (
          <pre className="proof-text">{cut(visible(piece.reading.fact).split('\n'))}</pre>
        ) : (
          visible(piece.reading.reason)
        )}
      </Fact>
      <Fact term="Raw">
        <p className="mono source">$ {visible(shellLine(piece.capture.argv))}</p>
        {lines.length === 0 ? (
          <p className="quiet">No output.</p>
        ) : (
          <ol className="proof-lines" aria-label={marked ? 'Source lines' : 'First lines'}>
            {shown.map((line) => (
              <li key={line} value={line + 1}>
                <code>{short(lines[line] ?? '')}</code>
              </li>
            ))}
          </ol>
        )}
        {places.length > shown.length && <p className="note">and {places.length - shown.length} more lines</p>}
      </Fact>
      <Fact term="Digest">
        <span className="mono source">SHA-256 {sha256}</span>
        {piece.digestNow === sha256 ? (
          <span className="note">Recomputed for this view: identical.</span>
        ) : (
          <strong className="tone-not-satisfied">Recomputed for this view: different. Altered after collection.</strong>
        )}
      </Fact>
    </dl>
  )
}

const short = (line: string): string => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)
const cut = (lines: readonly string[]): string =>
  [...lines.slice(0, MOST_LINES).map(short), ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n')

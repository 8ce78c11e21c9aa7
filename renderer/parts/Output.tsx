import { type KeyboardEvent, useMemo, useState } from 'react'
import { Input, SearchField, ToggleButton } from 'react-aria-components'
import {
  byLineOf,
  LONGEST_ROW,
  linesOf,
  type Match,
  MOST_MATCHES,
  matchesOf,
  openedFor,
  openedFurther,
  piecesOf,
  type Row,
  rowAt,
  rowsOf,
} from '../models/output-lines.ts'
import { Button } from '../ui/Button.tsx'
import { type Target, TextRows } from './TextRows.tsx'

interface OutputProps {
  readonly text: string
  /** Lines, from 0, that the fact was parsed from. */
  readonly marked: readonly number[]
}

/** Raw output with line numbers, search, and the lines of a fact. Everything a node wrote is shown as text only. */
export function Output({ text, marked }: OutputProps) {
  const lines = useMemo(() => linesOf(text), [text])
  const isMarked = useMemo(() => new Set(marked), [marked])
  const [columns, setColumns] = useState(LONGEST_ROW)
  const [wraps, setWraps] = useState(true)
  const [opened, setOpened] = useState<ReadonlyMap<number, number>>(new Map())
  const [target, setTarget] = useState<Target | null>(null)
  const rows = useMemo(() => rowsOf(lines, wraps ? columns : LONGEST_ROW, opened), [lines, columns, wraps, opened])
  const open = (line: number, shown: number): ReadonlyMap<number, number> => new Map(opened).set(line, shown)
  const showPlace = ({ line, to }: Pick<Match, 'line' | 'to'>): void => {
    const length = lines[line]?.length ?? 0
    const more = openedFor(to, opened.get(line) ?? LONGEST_ROW, length)
    const wider = more === null ? opened : open(line, more)
    if (more !== null) setOpened(wider)
    const seen = more === null ? rows : rowsOf(lines, wraps ? columns : LONGEST_ROW, wider)
    setTarget({ row: rowAt(seen, line, Math.max(0, to - 1)) })
  }
  const find = useFind(lines, showPlace)
  const [markedAt, setMarkedAt] = useState(-1)
  const nextMarked = (): void => {
    const next = (markedAt + 1) % marked.length
    setMarkedAt(next)
    setTarget({ row: rowAt(rows, marked[next] ?? 0, 0) })
  }
  const byLine = useMemo(() => byLineOf(find.matches), [find.matches])
  const render = (row: Row, line: string) => {
    const own = byLine.get(row.line)
    if (own === undefined) return line.slice(row.from, row.to)
    return piecesOf(line, row, own, find.current).map((piece, index) =>
      piece.is === 'plain' ? (
        piece.text
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one row have no other key, and keep no state
        <mark key={index} className={piece.is}>
          {piece.text}
        </mark>
      ),
    )
  }
  return (
    <>
      <div className="output-bar">
        <FindBar find={find} />
        <ToggleButton className="button small" isSelected={wraps} onChange={setWraps}>
          Wrap lines
        </ToggleButton>
        {marked.length > 0 && (
          <Button small onPress={nextMarked}>
            Next marked line
          </Button>
        )}
        <span className="note" role="status">
          {marked.length > 0 &&
            (markedAt < 0
              ? `${marked.length} marked: source of the fact`
              : `Line ${(marked[markedAt] ?? 0) + 1}, ${markedAt + 1} of ${marked.length} marked`)}
        </span>
      </div>
      <TextRows
        label="Output text"
        lines={lines}
        rows={rows}
        target={target}
        isMarked={(line) => isMarked.has(line)}
        onColumns={setColumns}
        onMore={(line) =>
          setOpened(open(line, openedFurther(opened.get(line) ?? LONGEST_ROW, lines[line]?.length ?? 0)))
        }
        render={render}
      />
    </>
  )
}

interface Find {
  readonly wanted: string
  readonly matches: readonly Match[]
  readonly current: Match | undefined
  readonly at: number
  readonly want: (wanted: string) => void
  readonly step: (by: 1 | -1) => void
}

function useFind(lines: readonly string[], show: (match: Match) => void): Find {
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(-1)
  const matches = useMemo(() => matchesOf(lines, wanted), [lines, wanted])
  return {
    wanted,
    matches,
    at,
    current: matches[at],
    want: (next) => {
      setWanted(next)
      setAt(-1)
    },
    step: (by) => {
      if (matches.length === 0) return
      const next = at < 0 && by < 0 ? matches.length - 1 : (at + by + matches.length) % matches.length
      const match = matches[next]
      setAt(next)
      if (match !== undefined) show(match)
    },
  }
}

function FindBar({ find }: { readonly find: Find }) {
  const { wanted, matches, at } = find
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    find.step(event.shiftKey ? -1 : 1)
  }
  const total = matches.length === MOST_MATCHES ? `${MOST_MATCHES} or more` : String(matches.length)
  return (
    <div className="find">
      <SearchField className="field search" aria-label="Find in this output" value={wanted} onChange={find.want}>
        <Input
          className="input"
          placeholder="Find in this output"
          spellCheck="false"
          autoComplete="off"
          onKeyDown={key}
        />
      </SearchField>
      <span className="find-count number" role="status">
        {wanted === '' ? '' : matches.length === 0 ? 'No results' : at < 0 ? `${total} found` : `${at + 1} of ${total}`}
      </span>
      <Button small isDisabled={matches.length === 0} onPress={() => find.step(-1)} label="Previous match">
        Previous
      </Button>
      <Button small isDisabled={matches.length === 0} onPress={() => find.step(1)} label="Next match">
        Next
      </Button>
    </div>
  )
}

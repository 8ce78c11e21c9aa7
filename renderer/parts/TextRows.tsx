import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { LONGEST_ROW, type Row, rowsOf, scrollTo, sliceOf } from '../models/output-lines.ts'

/** A position to scroll into view; a new object scrolls again. */
export interface Target {
  readonly row: number
}

interface TextRowsProps {
  readonly label: string
  readonly lines: readonly string[]
  readonly rows: readonly Row[]
  readonly target?: Target | null
  readonly isMarked?: (line: number) => boolean
  readonly onMore: (line: number) => void
  readonly onColumns: (columns: number) => void
  readonly render: (row: Row, text: string) => ReactNode
}

/**
 * Lines with their numbers; only visible lines are laid out. All rows have the same height, so a million of them
 * scroll as quickly as ten. The number of characters per row is measured and reported.
 */
export function TextRows({ label, lines, rows, target, isMarked, onMore, onColumns, render }: TextRowsProps) {
  const view = useRef<HTMLElement>(null)
  const ruler = useRef<HTMLSpanElement>(null)
  const [scrolled, setScrolled] = useState(0)
  const [size, setSize] = useState({ rowHeight: 20, height: 400 })
  const listener = useRef(onColumns)
  listener.current = onColumns
  useLayoutEffect(() => {
    const element = view.current
    const probe = ruler.current
    if (element === null || probe === null) return
    const measure = (): void => {
      const { width, height } = probe.getBoundingClientRect()
      setSize({ rowHeight: Math.max(1, height), height: element.clientHeight })
      listener.current(Math.floor((element.clientWidth - GUTTER_CHARACTERS * (width / 10)) / (width / 10)))
    }
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  useEffect(() => {
    if (target == null || view.current === null) return
    view.current.scrollTop = scrollTo(target.row, rows.length, size.rowHeight, view.current.clientHeight)
  }, [target, rows.length, size.rowHeight])
  const { first, count, top, height } = sliceOf(rows.length, size.rowHeight, scrolled, size.height)
  return (
    <section
      className="text-rows"
      ref={view}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
    >
      <span className="text-ruler" ref={ruler} aria-hidden="true">
        0000000000
      </span>
      <div className="text-space" style={{ blockSize: height }}>
        <ol className="text-window" style={{ insetBlockStart: top }}>
          {rows.slice(first, first + count).map((row) => (
            <li
              key={`${row.line} ${row.from}`}
              className={`text-row${isMarked?.(row.line) === true ? ' marked-line' : ''}`}
              aria-setsize={lines.length}
              aria-posinset={row.line + 1}
            >
              <span className="text-number">{row.from === 0 ? row.line + 1 : ''}</span>
              <code>{render(row, lines[row.line] ?? '')}</code>
              {row.hidden > 0 && (
                <button type="button" className="link" onClick={() => onMore(row.line)}>
                  Show more of this line ({row.to.toLocaleString('en')} of {(row.to + row.hidden).toLocaleString('en')}{' '}
                  characters)
                </button>
              )}
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

/** Space for the line number, its padding and the scroll bar, in characters. */
const GUTTER_CHARACTERS = 12

/** Rows of text without search: for facts and standard error. */
export function PlainRows({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  const [columns, setColumns] = useState(LONGEST_ROW)
  const [opened, setOpened] = useState<ReadonlyMap<number, number>>(new Map())
  return (
    <TextRows
      label={label}
      lines={lines}
      rows={rowsOf(lines, columns, opened)}
      onColumns={setColumns}
      onMore={(line) => setOpened(new Map(opened).set(line, (opened.get(line) ?? LONGEST_ROW) * 2))}
      render={(row, text) => text.slice(row.from, row.to)}
    />
  )
}

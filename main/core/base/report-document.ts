import type { Figure } from '../../../schemas/figure.ts'

/**
 * A report as plain data: content and order, independent of pages, fonts and layout. The PDF adapter renders it;
 * every string in it is safe to print (text from a node has passed through quote() or plain()).
 */
export interface ReportDocument {
  readonly title: string
  /** BCP 47. */
  readonly language: string
  readonly subject: string
  readonly producer: string
  readonly demo: boolean
  /** A4 (ISO 216), or US Letter. A4 where it is absent. */
  readonly paper?: Paper
  /** Size of text: for reading (at least 9 pt), or small for annexes. Small where absent. */
  readonly density?: 'reading' | 'annex'
  /** Printed at the top and bottom of every page. */
  readonly runningHead: string
  readonly runningFoot: string
  readonly sections: readonly Section[]
}

export const PAPERS = ['letter', 'a4'] as const
export type Paper = (typeof PAPERS)[number]

export interface Section {
  /** Stable ID for links and bookmarks; an anchor like those of headings and lines. */
  readonly id: string
  readonly title: string
  readonly blocks: readonly Block[]
  /**
   * For a section that must fit on one page: shorter versions, longest first. The first that fits is printed,
   * otherwise the last.
   */
  readonly shorter?: readonly (readonly Block[])[]
  /** Consecutive sections of the same part share one bookmark of that name. */
  readonly part?: string
  /** Begins below the previous section where at least a third of the page is free. */
  readonly flows?: boolean
  /** Title in the running head, where the full title is too long for it. */
  readonly runningTitle?: string
}

export const MARK_NAMES = [
  'ring-tick',
  'square-cross',
  'diamond-question',
  'bar',
  'dotted-ring',
  'dot',
  // A ladder of four rungs, of which one is filled for each level of severity above informational.
  'severity-critical',
  'severity-high',
  'severity-medium',
  'severity-low',
  'severity-info',
] as const
export type MarkName = (typeof MARK_NAMES)[number]

/** One paragraph. A mark with `means` is printed alone and needs that label as alternative text; otherwise the text states it. */
export interface Line {
  readonly text: string
  readonly style?: 'strong' | 'mono' | 'quiet'
  readonly mark?: MarkName
  readonly means?: string
  /** A link to this anchor of the document. A link without an existing anchor is an error of the document. */
  readonly link?: string
  /** With a link: the page number of its target is printed after the text, or alone where the text is empty. */
  readonly showsPage?: boolean
  /** Anchor of this line, for links. */
  readonly anchor?: string
}

export type Cell = readonly Line[]

export interface Column {
  readonly title: string
  /** Share of the table’s width. */
  readonly width: number
  readonly align?: 'right'
}

export type Block =
  | { readonly kind: 'title'; readonly text: string; readonly over: string; readonly under: string }
  | {
      readonly kind: 'heading'
      readonly level: 3 | 4
      readonly text: string
      readonly bookmark?: boolean
      readonly anchor?: string
      readonly mark?: MarkName
    }
  | { readonly kind: 'text'; readonly line: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | {
      readonly kind: 'facts'
      readonly rows: readonly { readonly label: string; readonly value: Cell }[]
      /** Two facts are printed side by side. */
      readonly isPaired?: boolean
    }
  | {
      readonly kind: 'table'
      readonly columns: readonly Column[]
      /** A row with one cell, in a table of several columns, is a heading for the rows that follow. */
      readonly rows: readonly (readonly Cell[])[]
      /** The first cell of each row is its header. */
      readonly rowHeaders?: boolean
      /** Stays on one page where it fits on one: a table that people sign. */
      readonly isWhole?: boolean
    }
  | { readonly kind: 'code'; readonly lines: readonly string[] }
  | { readonly kind: 'banner'; readonly title: string; readonly text: string }
  | { readonly kind: 'figure'; readonly figure: Figure }
  | { readonly kind: 'contents' }

export const text = (words: string): Block => ({ kind: 'text', line: { text: words } })
export const quiet = (words: string): Block => ({ kind: 'text', line: { text: words, style: 'quiet' } })
export const heading = (level: 3 | 4, words: string, bookmark = false): Block => ({
  kind: 'heading',
  level,
  text: words,
  bookmark,
})
export const plainCell = (words: string): Cell => [{ text: words }]
export const monoCell = (words: string): Cell => [{ text: words, style: 'mono' }]
export const list = (items: readonly Line[]): Block => ({ kind: 'list', items })
export const code = (lines: readonly string[]): Block => ({ kind: 'code', lines })

type Widths = Readonly<Record<string, number>>
type Rows = readonly (readonly Cell[])[]
type Table = Extract<Block, { readonly kind: 'table' }>

/** A table from the titles of its columns with their widths, in order, and its rows. */
export const table = (widths: Widths, rows: Rows): Table => ({ kind: 'table', columns: columnsOf(widths), rows })

/** The same table, where the first cell of each row is its header. */
export const headedTable = (widths: Widths, rows: Rows): Table => ({
  kind: 'table',
  columns: columnsOf(widths),
  rows,
  rowHeaders: true,
})

const columnsOf = (widths: Widths): readonly Column[] =>
  Object.entries(widths).map(([title, width]) => ({ title, width }))

/** All readable text of the document, in reading order, for the wording lint and for searches. */
export function documentText(document: ReportDocument): readonly string[] {
  const { title, subject, producer, runningHead, runningFoot, sections } = document
  return [title, subject, producer, runningHead, runningFoot, ...sections.flatMap(sectionText)]
}

const sectionText = ({ part, title, runningTitle, blocks }: Section): readonly string[] => [
  ...[part, title, runningTitle].filter((words) => words !== undefined),
  ...blocks.flatMap(blockText),
]

function blockText(block: Block): readonly string[] {
  switch (block.kind) {
    case 'title':
      return [block.over, block.text, block.under]
    case 'heading':
      return [block.text]
    case 'text':
      return lineText(block.line)
    case 'list':
      return block.items.flatMap(lineText)
    case 'facts':
      return block.rows.flatMap(({ label, value }) => [label, ...value.flatMap(lineText)])
    case 'table':
      return [...block.columns.map(({ title }) => title), ...block.rows.flat(2).flatMap(lineText)]
    case 'code':
      return block.lines
    case 'banner':
      return [block.title, block.text]
    case 'figure':
      return figureText(block.figure)
    case 'contents':
      return []
  }
}

const lineText = (line: Line): readonly string[] => (line.means === undefined ? [line.text] : [line.means, line.text])

const figureText = ({ title, caption, marks, legend, table }: Figure): readonly string[] => [
  title,
  caption,
  ...marks.flatMap((mark) => (mark.is === 'text' ? [mark.text] : [])),
  ...legend.map((key) => key.text),
  ...table.head,
  ...table.rows.flat(),
]

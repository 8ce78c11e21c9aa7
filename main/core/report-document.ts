import type { Figure } from '../../schemas/figure.ts'

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
  /** Printed at the top and bottom of every page. */
  readonly runningHead: string
  readonly runningFoot: string
  readonly sections: readonly Section[]
}

export interface Section {
  /** Stable ID for links and bookmarks. */
  readonly id: string
  readonly title: string
  readonly blocks: readonly Block[]
  /** Consecutive sections of the same part share one bookmark of that name. */
  readonly part?: string
}

export const MARK_NAMES = ['ring-tick', 'square-cross', 'diamond-question', 'bar', 'dotted-ring', 'dot'] as const
export type MarkName = (typeof MARK_NAMES)[number]

/** One paragraph. A mark with `means` is printed alone and needs that label as alternative text; otherwise the text states it. */
export interface Line {
  readonly text: string
  readonly style?: 'strong' | 'mono' | 'quiet'
  readonly mark?: MarkName
  readonly means?: string
}
export type Cell = readonly Line[]

export interface Column {
  readonly title: string
  /** Share of the width. */
  readonly width: number
}

export type Block =
  | { readonly kind: 'title'; readonly text: string; readonly over: string; readonly under: string }
  | { readonly kind: 'heading'; readonly level: 3 | 4; readonly text: string; readonly bookmark?: boolean }
  | { readonly kind: 'text'; readonly line: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | { readonly kind: 'facts'; readonly rows: readonly { readonly label: string; readonly value: Cell }[] }
  | {
      readonly kind: 'table'
      readonly columns: readonly Column[]
      readonly rows: readonly (readonly Cell[])[]
      /** The first cell of each row is its header. */
      readonly rowHeaders?: boolean
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

/** Every readable string of the document, in reading order, for the wording lint and for searches. */
export function documentText(document: ReportDocument): readonly string[] {
  const { title, subject, producer, runningHead, runningFoot, sections } = document
  return [
    title,
    subject,
    producer,
    runningHead,
    runningFoot,
    ...sections.flatMap((section) => [...partOf(section), section.title, ...section.blocks.flatMap(blockText)]),
  ]
}

const partOf = ({ part }: Section): readonly string[] => (part === undefined ? [] : [part])

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

import type { Block, Cell, Line, Section } from '../../core/base/report-document.ts'
import { drawFigure, figureHeight } from './figure.ts'
import { MONO_ADVANCE } from './fonts.ts'
import { fitting, heightOf, setLine, sized } from './setting.ts'
import type { Element, SetLine, Sheet } from './sheet.ts'
import { BELOW_TABLE, drawTable, type TableBlock, tableStart } from './tables.ts'
import { INK } from './theme.ts'
import { wrapFixed } from './wrap.ts'

const GAP = 5

/** Called at each heading and at the contents. */
export interface Landmarks {
  readonly bookmark: (text: string) => void
  readonly contents: (parent: Element) => void
  /**
   * Level of a heading in the tag tree: below a title page's H1 there is no section title, and no level may be skipped.
   */
  readonly rank: (level: 3 | 4) => number
}

/** Draws one block below the previous one. `after` is what follows, so that a heading never ends a page. */
export function drawBlock(
  sheet: Sheet,
  parent: Element,
  block: Block,
  after: readonly Block[],
  landmarks: Landmarks,
): void {
  switch (block.kind) {
    case 'title':
      drawTitle(sheet, parent, block)
      break
    case 'heading':
      drawHeading(sheet, parent, block, after, landmarks)
      break
    case 'text':
      drawParagraph(sheet, parent, block.line)
      break
    case 'list':
      drawList(sheet, parent, block.items)
      break
    case 'facts':
    case 'table':
      drawTable(sheet, parent, asTable(sheet, block), belowTable(sheet, after[0]))
      break
    case 'code':
      drawCode(sheet, parent, block.lines)
      break
    case 'banner':
      drawBanner(sheet, parent, block)
      break
    case 'figure':
      drawFigure(sheet, parent, block.figure)
      break
    case 'contents':
      landmarks.contents(parent)
      break
  }
}

/** How many blocks after a heading are looked at, and one more after the title above it. */
const FOLLOWING = 4

/**
 * The minimum height that must follow a heading on its page: short paragraphs, and the start of what they introduce.
 */
function least(sheet: Sheet, [next, ...rest]: readonly Block[], blocks = FOLLOWING): number {
  if (blocks === 0) return 0
  switch (next?.kind) {
    case 'text':
      return heightOf(setText(sheet, next.line).slice(0, 3)) + GAP + least(sheet, rest, blocks - 1)
    case 'table':
    case 'facts':
      return tableStart(sheet, asTable(sheet, next), belowTable(sheet, rest[0]))
    case 'figure':
      return figureHeight(sheet, next.figure)
    case 'code':
      return codeHeight(setCode(sheet, next.lines))
    case 'heading':
      return heightOf(headingLines(sheet, next)) + spaceBefore(next) + 4 + least(sheet, rest, blocks - 1)
    case 'banner':
      return setBanner(sheet, next).height
    case 'list':
      return heightOf(next.items.slice(0, 2).flatMap((item) => setItem(sheet, item).slice(0, 3))) + 4
    default:
      return 0
  }
}

/** The most lines of a quiet text that stay with the last row of the table above. */
const KEPT_LINES = 3

/** The height that a quiet text below a table takes, which states something about its rows; none of any other block. */
function belowTable(sheet: Sheet, next: Block | undefined): number {
  if (next?.kind !== 'text' || next.line.style !== 'quiet') return 0
  const lines = setText(sheet, next.line)
  return lines.length > KEPT_LINES ? 0 : BELOW_TABLE + heightOf(lines)
}

const setText = (sheet: Sheet, line: Line): readonly SetLine[] =>
  setLine(sheet, line, { width: sheet.page.bodyWidth }, sheet.type.text)

function drawTitle(sheet: Sheet, parent: Element, block: Extract<Block, { kind: 'title' }>): void {
  const part = (text: string, tag: string, font: 'sans' | 'strong', size: number, ink: string, after: number): void => {
    const element = sheet.element(parent, tag)
    const words = { text, ...(font === 'strong' && { style: 'strong' as const }) }
    const set = setLine(sheet, words, { width: sheet.page.bodyWidth }, sized(size))
    drawLines(
      sheet,
      element,
      tag,
      set.map((line) => ({ ...line, ink, height: size * 1.2 })),
    )
    sheet.y += after
  }
  const { subtitle, title } = sheet.type
  if (block.over !== '') part(block.over, 'P', 'strong', subtitle, INK.quiet, 2)
  part(block.text, 'H1', 'strong', title, INK.text, block.under === '' ? 10 : 2)
  if (block.under !== '') part(block.under, 'P', 'sans', subtitle, INK.quiet, 10)
}

const TITLE_LEADING = 1.22
const BELOW_TITLE = 8

function titleLines(sheet: Sheet, title: string): readonly SetLine[] {
  const { section } = sheet.type
  const set = setLine(sheet, { text: title, style: 'strong' }, { width: sheet.page.bodyWidth }, sized(section))
  return set.map((line) => ({ ...line, height: section * TITLE_LEADING }))
}

/** A section's own title. */
export function drawSectionTitle(sheet: Sheet, parent: Element, title: string): void {
  drawLines(sheet, sheet.element(parent, 'H2'), 'H2', titleLines(sheet, title))
  sheet.y += BELOW_TITLE
}

/** The height of a section's title and of what must follow it on its page. */
export const sectionStart = (sheet: Sheet, { title, blocks }: Section): number =>
  heightOf(titleLines(sheet, title)) + BELOW_TITLE + least(sheet, blocks.slice(0, FOLLOWING + 2), FOLLOWING + 1)

type Heading = Extract<Block, { kind: 'heading' }>

const spaceBefore = ({ level }: Heading): number => (level === 3 ? 9 : 7)

function headingLines(sheet: Sheet, { level, text, mark }: Heading): readonly SetLine[] {
  const size = level === 3 ? sheet.type.heading : sheet.type.sub
  const line: Line = { text, style: 'strong', ...(mark === undefined ? {} : { mark }) }
  return setLine(sheet, line, { width: sheet.page.bodyWidth }, sized(size))
}

function drawHeading(
  sheet: Sheet,
  parent: Element,
  block: Heading,
  after: readonly Block[],
  landmarks: Landmarks,
): void {
  const set = headingLines(sheet, block)
  const before = spaceBefore(block)
  sheet.need(before + heightOf(set) + 4 + least(sheet, after))
  if (!sheet.isFresh()) sheet.y += before
  if (block.anchor !== undefined) sheet.anchor(block.anchor, block.text, sheet.y)
  if (block.bookmark === true) landmarks.bookmark(block.text)
  const tag = `H${landmarks.rank(block.level)}`
  drawLines(sheet, sheet.element(parent, tag), tag, set)
  sheet.y += 3
}

function drawParagraph(sheet: Sheet, parent: Element, line: Line): void {
  drawLines(sheet, sheet.element(parent, 'P'), 'P', setText(sheet, line))
  sheet.y += GAP
}

/** Lines one below the other, across pages if needed; never a single line at the foot of a page. */
function drawLines(sheet: Sheet, element: Element, tag: string, lines: readonly SetLine[]): void {
  let rest = lines
  while (rest.length > 0) {
    let count = fitting(rest, sheet.room())
    if (count < rest.length && count < 2 && !sheet.isFresh()) count = 0
    if (count > 0) {
      const part = rest.slice(0, count)
      sheet.lines(element, tag, part, sheet.page.left, sheet.y)
      sheet.y += heightOf(part)
      rest = rest.slice(count)
    }
    if (rest.length > 0) sheet.newPage()
  }
}

const setItem = (sheet: Sheet, item: Line): readonly SetLine[] =>
  setLine(sheet, { ...item, mark: item.mark ?? 'dot' }, { width: sheet.page.bodyWidth }, sheet.type.list)

function drawList(sheet: Sheet, parent: Element, items: readonly Line[]): void {
  const list = sheet.element(parent, 'L')
  for (const item of items) {
    const set = setItem(sheet, item)
    const entry = sheet.element(list, 'LI')
    drawLines(sheet, sheet.element(entry, 'LBody'), 'LBody', set)
    sheet.y += 2
    entry.end()
  }
  sheet.y += GAP
}

const CODE = { padX: 8, padY: 5 } as const

function setCode(sheet: Sheet, lines: readonly string[]): readonly SetLine[] {
  const { code: size, leading } = sheet.type
  const columns = Math.floor((sheet.page.bodyWidth - 2 * CODE.padX) / (size * MONO_ADVANCE))
  return lines
    .flatMap((line) => wrapFixed(sheet.drawable(line, 'mono'), columns))
    .map((text): SetLine => ({ text, font: 'mono', size, ink: INK.text, height: size * leading, indent: 0 }))
}

const codeHeight = (set: readonly SetLine[]): number => heightOf(set) + 2 * CODE.padY

function drawCode(sheet: Sheet, parent: Element, lines: readonly string[]): void {
  const set = setCode(sheet, lines)
  const height = codeHeight(set)
  sheet.need(height)
  const top = sheet.y
  const { left, bodyWidth } = sheet.page
  sheet.artifact('Layout', () => {
    sheet.doc.rect(left, top, bodyWidth, height).fill(INK.headFill)
  })
  const code = sheet.element(sheet.element(parent, 'P'), 'Code')
  sheet.lines(code, 'Code', set, left + CODE.padX, top + CODE.padY)
  sheet.y = top + height + GAP + 2
}

type Banner = Extract<Block, { kind: 'banner' }>
const BANNER = { padX: 12, padY: 7 } as const

function setBanner(
  sheet: Sheet,
  { title, text }: Banner,
): { readonly lines: readonly SetLine[]; readonly height: number } {
  const slot = { width: sheet.page.bodyWidth - 2 * BANNER.padX }
  const lines = [
    ...setLine(sheet, { text: title, style: 'strong' }, slot, sized(sheet.type.banner)),
    ...setLine(sheet, { text }, slot, sheet.type.text),
  ]
  return { lines, height: heightOf(lines) + 2 * BANNER.padY }
}

function drawBanner(sheet: Sheet, parent: Element, block: Banner): void {
  const { lines, height } = setBanner(sheet, block)
  sheet.need(height)
  const top = sheet.y
  const { left, bodyWidth } = sheet.page
  sheet.artifact('Layout', () => {
    sheet.doc.lineWidth(1.4).strokeColor(INK.text).dash(5, { space: 2.5 })
    sheet.doc
      .rect(left + 0.7, top + 0.7, bodyWidth - 1.4, height - 1.4)
      .stroke()
      .undash()
  })
  sheet.lines(sheet.element(parent, 'P'), 'P', lines, left + BANNER.padX, top + BANNER.padY)
  sheet.y = top + height + 9
}

type Facts = Extract<Block, { kind: 'facts' }>

/** A table, or facts as a table without column titles in which each label is the header of the value beside it. */
function asTable(sheet: Sheet, block: Extract<Block, { kind: 'facts' | 'table' }>): TableBlock {
  if (block.kind === 'table') {
    const { columns, rows, rowHeaders = false, isWhole = false } = block
    return { form: 'table', columns, rows, headers: rowHeaders ? [0] : [], isWhole }
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

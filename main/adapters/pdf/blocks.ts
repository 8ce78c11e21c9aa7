import type { Block, Line } from '../../core/report-document.ts'
import { drawFigure, figureHeight } from './figure.ts'
import { fitting, heightOf, type Scale, setLine, TEXT_SCALE } from './setting.ts'
import type { Element, SetLine, Sheet } from './sheet.ts'
import { drawTable, type TableBlock, tableStart } from './tables.ts'
import { BODY_WIDTH, INK, LEADING, PAGE, SIZE } from './theme.ts'
import { wrapFixed } from './wrap.ts'

const GAP = 5
const CODE_SIZE = 7.2

/**
 * Called at each heading and at the contents, so that bookmarks, links and page numbers can be made once all pages
 * exist.
 */
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
      drawTable(sheet, parent, asTable(block))
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

const asTable = (block: Extract<Block, { kind: 'facts' | 'table' }>): TableBlock =>
  block.kind === 'table'
    ? block
    : {
        headless: true,
        columns: [
          { title: 'What', width: 22 },
          { title: 'Answer', width: 78 },
        ],
        rows: block.rows.map(({ label, value }) => [[{ text: label, style: 'strong' }], value]),
      }

/**
 * The minimum height that must follow a heading on its page: short paragraphs, and the start of what they introduce.
 */
function least(sheet: Sheet, [next, ...rest]: readonly Block[]): number {
  switch (next?.kind) {
    case 'text':
      return (
        heightOf(setLine(sheet, next.line, BODY_WIDTH, TEXT_SCALE).slice(0, 3)) + GAP + least(sheet, rest.slice(0, 3))
      )
    case 'table':
    case 'facts':
      return tableStart(sheet, asTable(next))
    case 'figure':
      return figureHeight(sheet, next.figure)
    case 'code':
      return next.lines.length * CODE_SIZE * LEADING + 12
    case 'heading':
      return heightOf(headingLines(sheet, next)) + spaceBefore(next) + 4 + least(sheet, rest)
    case 'banner':
    case 'list':
      return 50
    default:
      return 0
  }
}

function drawTitle(sheet: Sheet, parent: Element, block: Extract<Block, { kind: 'title' }>): void {
  const part = (text: string, tag: string, font: 'sans' | 'strong', size: number, ink: string, after: number): void => {
    const element = sheet.element(parent, tag)
    const set = setLine(sheet, { text, ...(font === 'strong' && { style: 'strong' }) }, BODY_WIDTH, {
      plain: size,
      quiet: size,
      mono: size,
    })
    drawLines(
      sheet,
      element,
      tag,
      set.map((line) => ({ ...line, ink, height: size * 1.2 })),
    )
    sheet.y += after
  }
  part(block.over, 'P', 'strong', 10.5, INK.quiet, 2)
  part(block.text, 'H1', 'strong', SIZE.title, INK.text, 2)
  part(block.under, 'P', 'sans', 10.5, INK.quiet, 10)
}

/** A section's own title, at the top of its first page. */
export function drawSectionTitle(sheet: Sheet, parent: Element, title: string): void {
  const scale: Scale = { plain: SIZE.section, quiet: SIZE.section, mono: SIZE.section }
  const set = setLine(sheet, { text: title, style: 'strong' }, BODY_WIDTH, scale)
  drawLines(
    sheet,
    sheet.element(parent, 'H2'),
    'H2',
    set.map((line) => ({ ...line, height: SIZE.section * 1.22 })),
  )
  sheet.y += 8
}

type Heading = Extract<Block, { kind: 'heading' }>

const spaceBefore = ({ level }: Heading): number => (level === 3 ? 9 : 7)

function headingLines(sheet: Sheet, { level, text }: Heading): readonly SetLine[] {
  const size = level === 3 ? SIZE.heading : SIZE.sub
  return setLine(sheet, { text, style: 'strong' }, BODY_WIDTH, { plain: size, quiet: size, mono: size })
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
  if (sheet.y > PAGE.top) sheet.y += before
  if (block.bookmark === true) landmarks.bookmark(block.text)
  const tag = `H${landmarks.rank(block.level)}`
  drawLines(sheet, sheet.element(parent, tag), tag, set)
  sheet.y += 3
}

function drawParagraph(sheet: Sheet, parent: Element, line: Line): void {
  drawLines(sheet, sheet.element(parent, 'P'), 'P', setLine(sheet, line, BODY_WIDTH, TEXT_SCALE))
  sheet.y += GAP
}

/** Lines one below the other, across pages if needed; never a single line at the foot of a page. */
function drawLines(
  sheet: Sheet,
  element: Element,
  tag: string,
  lines: readonly SetLine[],
  x: number = PAGE.left,
): void {
  let rest = lines
  while (rest.length > 0) {
    let count = fitting(rest, sheet.room())
    if (count < rest.length && count < 2 && sheet.y > PAGE.top) count = 0
    if (count > 0) {
      const part = rest.slice(0, count)
      sheet.lines(element, tag, part, x, sheet.y)
      sheet.y += heightOf(part)
      rest = rest.slice(count)
    }
    if (rest.length > 0) sheet.newPage()
  }
}

function drawList(sheet: Sheet, parent: Element, items: readonly Line[]): void {
  const list = sheet.element(parent, 'L')
  for (const item of items) {
    const set = setLine(sheet, { ...item, mark: item.mark ?? 'dot' }, BODY_WIDTH, { ...TEXT_SCALE, plain: 8.6 })
    const entry = sheet.element(list, 'LI')
    drawLines(sheet, sheet.element(entry, 'LBody'), 'LBody', set)
    sheet.y += 2
    entry.end()
  }
  sheet.y += GAP
}

function drawCode(sheet: Sheet, parent: Element, lines: readonly string[]): void {
  const columns = Math.floor((BODY_WIDTH - 16) / (CODE_SIZE * 0.6))
  const set = lines
    .flatMap((line) => wrapFixed(sheet.drawable(line, 'mono'), columns))
    .map(
      (text): SetLine => ({
        text,
        font: 'mono',
        size: CODE_SIZE,
        ink: INK.text,
        height: CODE_SIZE * LEADING,
        indent: 0,
      }),
    )
  const height = heightOf(set) + 10
  sheet.need(height)
  const top = sheet.y
  sheet.artifact('Layout', () => {
    sheet.doc.rect(PAGE.left, top, BODY_WIDTH, height).fill(INK.headFill)
  })
  sheet.lines(sheet.element(sheet.element(parent, 'P'), 'Code'), 'Code', set, PAGE.left + 8, top + 5)
  sheet.y = top + height + GAP + 2
}

function drawBanner(sheet: Sheet, parent: Element, block: Extract<Block, { kind: 'banner' }>): void {
  const width = BODY_WIDTH - 24
  const title = setLine(sheet, { text: block.title, style: 'strong' }, width, { ...TEXT_SCALE, plain: 10.5 })
  const words = setLine(sheet, { text: block.text }, width, TEXT_SCALE)
  const height = heightOf(title) + heightOf(words) + 14
  sheet.need(height)
  const top = sheet.y
  sheet.artifact('Layout', () => {
    sheet.doc.lineWidth(1.4).strokeColor(INK.text).dash(5, { space: 2.5 })
    sheet.doc
      .rect(PAGE.left + 0.7, top + 0.7, BODY_WIDTH - 1.4, height - 1.4)
      .stroke()
      .undash()
  })
  const element = sheet.element(parent, 'P')
  sheet.lines(element, 'P', [...title, ...words], PAGE.left + 12, top + 7)
  sheet.y = top + height + 9
}

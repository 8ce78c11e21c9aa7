import type { ReportDocument, Section } from '../../core/report-document.ts'
import { heightOf, setLine, sized } from './setting.ts'
import type { Running, SetLine, Sheet } from './sheet.ts'
import { INK } from './theme.ts'

/** Head and foot take this much of the margin for a further line; only for more does the body give way. */
const HEAD = { top: 30, spare: 12, toRule: 3.48, toBody: 17 } as const
const FOOT = { bottom: 36, spare: 11, toRule: 6 } as const
/** Between two texts on one line. */
const GAP = 20
const EXACT = 0.01
const DEMO = { words: 'Demo data: not evidence', padX: 6, above: 2.5, below: 2 } as const
/** Takes at least the width of every page number. */
const WIDEST = 'Page 00000 of 00000'

/**
 * Running head and foot of the pages of a section, as artifacts: the document and the section, the page number, and
 * the demo mark on each. Texts that do not fit next to each other continue on further lines, and the body gives way.
 * `pages` is null in a rehearsal.
 */
export function runningOf(sheet: Sheet, document: ReportDocument, section: Section, pages: number | null): Running {
  const { page, type } = sheet
  const demo = document.demo ? demoWidth(sheet) : 0
  const title = section.runningTitle ?? section.title
  const head = twoTexts(sheet, document.runningHead, title, page.bodyWidth - (demo === 0 ? GAP : demo + 2 * GAP))
  const headTop = HEAD.top - Math.min(HEAD.spare, head.height - type.head * type.leading)
  const headRule = headTop + head.height + HEAD.toRule
  const wanted = sheet.measure('sans', type.foot)(WIDEST)
  const foot = inked(sheet, document.runningFoot, type.foot, { width: page.bodyWidth - GAP - wanted })
  const taken = Math.max(0, heightOf(foot.slice(1)) - FOOT.spare)
  const footTop = page.height - FOOT.bottom - taken
  const draw = (on: Sheet): void => {
    const number = `Page ${on.pages} of ${pages}`
    const right = inked(on, number, type.foot, { width: page.bodyWidth, align: 'right' })
    on.artifact('Pagination', () => {
      if (document.demo) drawDemo(on, headTop, demo, head)
      on.plain(head.left, page.left, headTop)
      on.plain(head.right, page.left, headTop)
      on.plain(foot, page.left, footTop)
      on.plain(right, page.left, footTop)
      rule(on, headRule)
      rule(on, footTop - FOOT.toRule)
    })
  }
  return { top: headRule + HEAD.toBody, end: page.end - taken, draw }
}

interface TwoTexts {
  readonly left: readonly SetLine[]
  /** With their place on the whole width of the body. */
  readonly right: readonly SetLine[]
  readonly leftWidth: number
  readonly rightWidth: number
  readonly height: number
}

/** Two texts next to each other in `width`; where they are too long for it, the longer one continues below. */
function twoTexts(sheet: Sheet, left: string, right: string, width: number): TwoTexts {
  const size = sheet.type.head
  const { bodyWidth } = sheet.page
  const measure = sheet.measure('sans', size)
  const widthOf = (text: string): number => measure(sheet.drawable(text, 'sans'))
  // A text that fits exactly must not wrap by a difference in the last digit.
  const rightShare = Math.min(widthOf(right), Math.max(width / 2, width - widthOf(left))) + EXACT
  const leftLines = inked(sheet, left, size, { width: width - rightShare + 2 * EXACT })
  const rightLines = inked(sheet, right, size, { width: rightShare, align: 'right' })
  const shift = bodyWidth - rightShare
  const widest = (lines: readonly SetLine[]): number => Math.max(0, ...lines.map(({ text }) => measure(text.trimEnd())))
  return {
    left: leftLines,
    right: rightLines.map((line) => ({ ...line, shift: shift + (line.shift ?? 0) })),
    leftWidth: widest(leftLines),
    rightWidth: widest(rightLines),
    height: Math.max(heightOf(leftLines), heightOf(rightLines)),
  }
}

const inked = (
  sheet: Sheet,
  text: string,
  size: number,
  slot: { readonly width: number; readonly align?: 'right' },
): readonly SetLine[] => setLine(sheet, { text, style: 'quiet' }, slot, sized(size))

const demoWidth = (sheet: Sheet): number => sheet.measure('strong', sheet.type.head)(DEMO.words) + 2 * DEMO.padX

/** The demo mark in the middle of the head, or as near to it as the texts on both sides allow. */
function drawDemo(sheet: Sheet, top: number, width: number, { leftWidth, rightWidth }: TwoTexts): void {
  const { page, type, doc } = sheet
  const leftmost = page.left + leftWidth + GAP
  const rightmost = page.right - rightWidth - GAP - width
  const x = Math.min(rightmost, Math.max(leftmost, page.left + (page.bodyWidth - width) / 2))
  const height = type.head * type.leading + DEMO.above + DEMO.below
  doc
    .lineWidth(0.8)
    .rect(x, top - DEMO.above, width, height)
    .fillAndStroke(INK.demoFill, INK.text)
  sheet.write(DEMO.words, x + DEMO.padX, top, 'strong', type.head, INK.text)
}

function rule(sheet: Sheet, y: number): void {
  sheet.doc.lineWidth(0.5).strokeColor(INK.rule).moveTo(sheet.page.left, y).lineTo(sheet.page.right, y).stroke()
}

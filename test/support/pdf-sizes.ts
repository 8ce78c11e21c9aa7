import type { ReadPage, ReadReport } from './pdf-pages.ts'

/** What a reader of paper is asked to read at the least, in points. */
export const SMALLEST = 9

/** Every piece of text that is smaller on its page, with the page and its size. Figures are drawn at their scale, so their texts are among them. */
export const smallTexts = ({ pages }: Pick<ReadReport, 'pages'>): readonly string[] =>
  pages.flatMap(({ pieces }, index) =>
    pieces
      .filter(({ text, size }) => text.trim() !== '' && size < SMALLEST)
      .map(({ text, size }) => `page ${index + 1}, ${size} points: ${text}`),
  )

/** Links whose place is on no page. */
export const deadLinks = ({ pages }: Pick<ReadReport, 'pages'>): readonly string[] =>
  pages.flatMap(({ links }, index) =>
    links.filter(({ toPage }) => toPage < 1).map(({ contents }) => `page ${index + 1}: ${contents}`),
  )

const MARGINS = { top: 60, bottom: 54 } as const

/** How far down the body the last text of a page is, from 0 to 1; heads and feet are artifacts and count for nothing. */
export function filled({ height, pieces }: ReadPage): number {
  const body = pieces.filter(({ content, text }) => content !== null && text.trim() !== '').map(({ y }) => y)
  return (Math.max(MARGINS.top, ...body) - MARGINS.top) / (height - MARGINS.top - MARGINS.bottom)
}

/** Pages less than a quarter full, the last one aside. */
export const emptyPages = ({ pages }: Pick<ReadReport, 'pages'>): readonly string[] =>
  pages
    .slice(0, -1)
    .flatMap((page, index) => (filled(page) < 0.25 ? [`page ${index + 1}: ${filled(page).toFixed(2)}`] : []))

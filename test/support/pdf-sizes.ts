import type { ReadReport } from './pdf-pages.ts'

/** What a reader of paper is asked to read at the least, in points. */
export const SMALLEST = 9

/** Every piece of text that is smaller on its page, with the page and its size. Figures are drawn at their scale, so their texts are among them. */
export const smallTexts = ({ pages }: Pick<ReadReport, 'pages'>): readonly string[] =>
  pages.flatMap(({ pieces }, index) =>
    pieces
      .filter(({ text, size }) => text.trim() !== '' && size < SMALLEST)
      .map(({ text, size }) => `page ${index + 1}, ${size} points: ${text}`),
  )

import { describe, expect, test } from 'vitest'
import { INK } from '../main/adapters/pdf/theme.ts'
import {
  type Block,
  type Line,
  plainCell,
  type ReportDocument,
  type Section,
  text,
} from '../main/core/base/report-document.ts'
import { type ReadReport, tagsOf } from './support/pdf-pages.ts'
import { readPages, reportOf } from './support/report/made.ts'

const filler = (count: number): readonly Block[] =>
  Array.from({ length: count }, (_, index) => text(`Filler ${index}. ${'Words that take a line. '.repeat(12)}`))

const line = (to: string, words: string, more: Partial<Line> = {}): Block => ({
  kind: 'text',
  line: { text: words, link: to, ...more },
})

const TARGETS: Section = {
  id: 'targets',
  title: 'Where links lead',
  blocks: [
    ...filler(20),
    { kind: 'heading', level: 3, text: 'A heading to find', anchor: 'the-heading' },
    text('Under it.'),
    ...filler(20),
    { kind: 'text', line: { text: 'A line to find', anchor: 'the-line' } },
  ],
}

const withLinks = (blocks: readonly Block[], more: Partial<ReportDocument> = {}): Promise<ReadReport> =>
  readPages(reportOf([{ id: 'from', title: 'Links', blocks }, TARGETS], more))

const linksOf = ({ pages }: ReadReport) => pages.flatMap(({ links }) => links)

describe('a link', () => {
  test.each([
    ['a section', 'targets', 'Where links lead'],
    ['a heading', 'the-heading', 'A heading to find'],
    ['a line', 'the-line', 'A line to find'],
  ])('leads to %s and describes it in words', async (_, anchor, title) => {
    const report = await withLinks([line(anchor, 'See there')])
    const [link, ...more] = linksOf(report)
    expect(more).toEqual([])
    const at = report.pages.findIndex(({ pieces }) =>
      pieces.some((piece) => piece.text.trim() === title && piece.content !== null),
    )
    expect(link).toMatchObject({ toPage: at + 1, contents: `${title}, page ${at + 1}` })
    const target = report.pages[at]?.pieces.find((piece) => piece.text.trim() === title && piece.content !== null)
    expect(link?.toY).toBeLessThan(target?.y ?? 0)
    expect(link?.toY).toBeGreaterThan((target?.y ?? 0) - 45)
  })

  test('is tagged, in the ink of links, with an area around its words', async () => {
    const report = await withLinks([line('targets', 'See there')])
    const [tag] = tagsOf(report.root, 'Link')
    const [box] = report.pages[0]?.links ?? []
    expect(tag).toMatchObject({ text: 'See there', annotations: [{ id: box?.id, page: 1 }] })
    const piece = report.pages[0]?.pieces.find((one) => one.text === 'See there')
    expect(piece?.ink).toBe(INK.link)
    expect(box?.left).toBeCloseTo(piece?.x ?? 0, 1)
    expect(box?.top).toBeLessThan(piece?.y ?? 0)
    expect(box?.bottom).toBeGreaterThan(piece?.y ?? 0)
    expect((box?.right ?? 0) - (box?.left ?? 0)).toBeLessThan(60)
  })

  test('has an area on each line of a wrapped text, in one element', async () => {
    const report = await withLinks([line('targets', 'Words of a long link. '.repeat(15).trim())])
    const [tag, ...more] = tagsOf(report.root, 'Link')
    expect(more).toEqual([])
    expect(tag?.annotations.length).toBeGreaterThan(2)
    expect(linksOf(report).map(({ id }) => id)).toEqual(tag?.annotations.map(({ id }) => id))
    expect(tag?.text).toBe('Words of a long link. '.repeat(15).trim())
  })

  test('over a page break has an element on each page', async () => {
    const report = await withLinks([...filler(10), line('targets', 'Words of a long link. '.repeat(200).trim())])
    const tags = tagsOf(report.root, 'Link')
    expect(tags.length).toBeGreaterThan(1)
    for (const { annotations, pages } of tags) {
      expect(pages).toHaveLength(1)
      for (const { id, page } of annotations) {
        expect(page).toBe(pages[0])
        expect(report.pages[page - 1]?.links.map((link) => link.id)).toContain(id)
      }
    }
  })

  test('works in table cells and lists, next to lines that are none', async () => {
    const report = await withLinks([
      {
        kind: 'table',
        columns: [
          { title: 'A', width: 1 },
          { title: 'B', width: 1 },
        ],
        rows: [
          [
            plainCell('x'),
            [{ text: 'before' }, { text: 'F-1', link: 'the-line', mark: 'square-cross' }, { text: 'after' }],
          ],
        ],
      },
      { kind: 'list', items: [{ text: 'entry', link: 'the-heading' }] },
    ])
    const [cell] = tagsOf(report.root, 'TD').filter(({ children }) => children.length > 0)
    expect(cell).toMatchObject({ text: 'beforeafter', children: [{ kind: 'Link', text: 'F-1' }] })
    const [item] = tagsOf(report.root, 'LBody')
    expect(item).toMatchObject({ text: '', children: [{ kind: 'Link', text: 'entry' }] })
  })

  test.each(['reading', 'annex'] as const)('prints the page that it leads to (%s)', async (density) => {
    const report = await withLinks(
      [line('the-line', 'F-1', { showsPage: true }), line('the-line', '', { showsPage: true })],
      { density },
    )
    const [first, second] = tagsOf(report.root, 'Link')
    const [box] = linksOf(report)
    expect(box?.toPage).toBeGreaterThan(2)
    expect(first?.text).toBe(`F-1, page ${box?.toPage}`)
    expect(second?.text).toBe(String(box?.toPage))
  })

  const inColumns = (widths: readonly number[]): Promise<ReadReport> => {
    const cell = [{ text: 'The finding on this node', link: 'the-line', showsPage: true }]
    const columns = widths.map((width) => ({ title: '', width }))
    return withLinks([{ kind: 'table', columns, rows: [columns.map(() => cell)] }])
  }

  test('keeps “page” and its number on one line', async () => {
    const report = await inColumns([3, 4, 5, 6, 7])
    for (const tag of tagsOf(report.root, 'Link')) expect(tag.text.replace(/ +/g, ' ')).toMatch(/node, page \d$/)
    const ends = (report.pages[0]?.pieces ?? []).filter(({ text: words }) => /\bpage \d$/.test(words))
    expect(ends).toHaveLength(5)
  })

  test('prints the number in a column that is too narrow for it', async () => {
    const report = await inColumns([1, 20])
    for (const tag of tagsOf(report.root, 'Link')) expect(tag.text.replaceAll(' ', '')).toMatch(/node,page\d$/)
  })

  test('of a report of a thousand pages states the right page', async () => {
    const many: readonly Section[] = Array.from({ length: 1001 }, (_, index) => ({
      id: `s${index}`,
      title: `Section ${index}`,
      blocks: [{ kind: 'text', line: { text: 'Back', link: 's1000', showsPage: true } }],
    }))
    const report = await readPages(reportOf(many))
    expect(report.pages).toHaveLength(1001)
    expect(tagsOf(report.root, 'Link')[0]?.text).toBe('Back, page 1001')
    expect(report.destinations).toBe(1)
  })

  test('to an unknown anchor is an error that names it', async () => {
    await expect(withLinks([line('no-such-anchor', 'x')])).rejects.toThrow('no-such-anchor')
  })

  test('to an anchor that occurs twice is an error that names it', async () => {
    const twice: Block = { kind: 'text', line: { text: 'x', anchor: 'twin' } }
    await expect(withLinks([twice, twice, line('twin', 'x')])).rejects.toThrow('twin')
    await expect(withLinks([twice, twice])).resolves.toBeDefined()
  })

  test('makes destinations only where links lead', async () => {
    expect((await withLinks([])).destinations).toBe(0)
    expect((await withLinks([line('the-line', 'x'), line('the-line', 'y')])).destinations).toBe(1)
  })
})

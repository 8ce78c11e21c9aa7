import { describe, expect, test } from 'vitest'
import { INK } from '../main/adapters/pdf/theme.ts'
import {
  type Block,
  type Cell,
  heading,
  MARK_NAMES,
  plainCell,
  quiet,
  type ReportDocument,
  type Section,
  text,
} from '../main/core/base/report-document.ts'
import { linesOf, type Piece, type ReadReport, tagsOf, wholeText } from './support/pdf-pages.ts'
import { smallTexts } from './support/pdf-sizes.ts'
import { EVERYTHING, readPages, reportOf, TWO } from './support/report/made.ts'

const filler = (count: number): readonly Block[] =>
  Array.from({ length: count }, (_, index) => text(`Filler ${index}. ${'Words that take a line. '.repeat(8)}`))
const section = (id: string, blocks: readonly Block[], more: Partial<Section> = {}): Section => ({
  id,
  title: `Title of ${id}`,
  blocks,
  ...more,
})
const row = (name: string): readonly Cell[] => [plainCell(name), plainCell(`Result of ${name}`)]

const bodyOf = ({ pages }: ReadReport): readonly Piece[] => pages.flatMap(({ pieces }) => pieces)
const find = (report: ReadReport, words: string): Piece => {
  const found = bodyOf(report).find((piece) => piece.text.trim() === words)
  if (found === undefined) throw new Error(`“${words}” is on no page`)
  return found
}

const pageOf = (report: ReadReport, words: string): number =>
  report.pages.findIndex(({ pieces }) => pieces.some((piece) => piece.text.trim() === words)) + 1

describe('paper', () => {
  test.each([
    ['a4', 595.28, 841.89],
    ['letter', 612, 792],
    [undefined, 595.28, 841.89],
  ] as const)('%s has its size and margins of 48 points', async (paper, width, height) => {
    const blocks = [...EVERYTHING, ...filler(60)]
    const report = await readPages(reportOf([section('a', blocks)], paper === undefined ? {} : { paper }))
    expect(report.pages.length).toBeGreaterThan(1)
    for (const page of report.pages) {
      expect(page.width).toBeCloseTo(width, 1)
      expect(page.height).toBeCloseTo(height, 1)
      expect(Math.min(...page.pieces.map(({ x }) => x))).toBe(48)
      expect(Math.max(...page.pieces.map(({ y }) => y))).toBeLessThan(height - 20)
      expect(page.pieces.find(({ text: words }) => words.startsWith('Page '))?.y).toBeGreaterThan(height - 40)
    }
  })
})

describe('density', () => {
  test.each(['reading', 'annex'] as const)('%s has no text under 9 points', async (density) => {
    const report = await readPages(reportOf([section('a', EVERYTHING)], { density, demo: true }))
    expect(bodyOf(report).length).toBeGreaterThan(20)
    expect(smallTexts(report)).toEqual([])
  })

  test('for reading has its own sizes, and column titles in quiet ink', async () => {
    const report = await readPages(reportOf([section('a', EVERYTHING)], { density: 'reading' }))
    expect(find(report, 'Words.').size).toBeCloseTo(9.2)
    expect(find(report, 'one').size).toBeCloseTo(9.1)
    expect(find(report, 'Test performed').ink).toBe(INK.quiet)
    expect(find(report, 'Quiet words.').ink).toBe(INK.quiet)
  })

  test('for annexes is the one without a choice', async () => {
    const of = (more: Partial<ReportDocument>): Promise<ReadReport> =>
      readPages(reportOf([section('a', EVERYTHING)], more))
    const annex = await of({ density: 'annex' })
    expect(annex.pages).toEqual((await of({})).pages)
    expect(find(annex, 'Words.').size).toBe(9)
    expect(find(annex, 'one').size).toBe(9)
  })
})

describe('sections that flow', () => {
  const twoSections = (count: number, more: Partial<Section> = {}): Promise<ReadReport> =>
    readPages(reportOf([section('a', filler(count)), section('b', [text('Of b.')], more)]))

  test('begin below the one before where a third of the page is left', async () => {
    const report = await twoSections(10, { flows: true })
    expect(report.pages).toHaveLength(1)
    const title = report.pages[0]?.pieces.find(({ text: words, content }) => words === 'Title of b' && content !== null)
    const above = bodyOf(report).filter(({ y, content }) => content !== null && y < (title?.y ?? 0))
    expect(above.length).toBeGreaterThan(10)
    expect(title?.y).toBeGreaterThan(Math.max(...above.map(({ y }) => y)) + 25)
    expect(tagsOf(report.root, 'Sect')).toHaveLength(2)
  })
  test('begin on a new page where less is left', async () => {
    expect(pageOf(await twoSections(18, { flows: true }), 'Of b.')).toBe(2)
  })
  test('begin on a new page where their beginning does not fit', async () => {
    const lines = Array.from({ length: 45 }, (_, index) => `line ${index}`)
    const report = await readPages(
      reportOf([section('a', filler(15)), section('b', [{ kind: 'code', lines }], { flows: true })]),
    )
    expect(linesOf(report.pages[1])).toContain('Title of b')
  })
  test('are named in the head of the pages that they begin', async () => {
    const report = await readPages(
      reportOf([section('a', filler(10)), section('b', filler(25), { flows: true }), section('c', filler(1))]),
    )
    expect(report.pages.map((page) => linesOf(page)[0])).toEqual([
      'Left head | Title of a',
      'Left head | Title of b',
      'Left head | Title of c',
    ])
  })
  test('do not flow unless they are asked to', async () => {
    expect(pageOf(await twoSections(1), 'Of b.')).toBe(2)
  })
})

describe('a row of one cell', () => {
  const group = (name: string): readonly Cell[] => [
    [
      { text: name, style: 'strong' },
      { text: `About ${name}`, style: 'quiet' },
    ],
  ]
  const tableOf = (rows: readonly (readonly Cell[])[]): Promise<ReadReport> =>
    readPages(reportOf([section('a', [{ kind: 'table', columns: TWO, rows }])]))

  test('is a header over all columns', async () => {
    const report = await tableOf([group('CC6.1'), row('one'), row('two')])
    const [, heading, ...rest] = tagsOf(report.root, 'TR')
    expect(heading?.children).toMatchObject([{ kind: 'TH', scope: 'Column', span: 2, text: 'CC6.1About CC6.1' }])
    expect(rest.map(({ children }) => children.map(({ kind }) => kind))).toEqual([
      ['TD', 'TD'],
      ['TD', 'TD'],
    ])
  })

  test('stays with the two rows after it', async () => {
    const pages = new Set<number>()
    for (let before = 24; before < 44; before += 1) {
      const rows = Array.from({ length: before }, (_, index) => row(`row ${index}`))
      const report = await tableOf([...rows, group('CC6.2'), row('one'), row('two'), row('three')])
      expect(pageOf(report, 'two')).toBe(pageOf(report, 'CC6.2'))
      pages.add(pageOf(report, 'CC6.2'))
    }
    expect([...pages]).toEqual([1, 2])
  })

  test('is repeated, not as content, where its rows continue', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => row(`row ${index}`))
    const report = await tableOf([group('CC6.1'), ...rows, group('CC6.2'), row('last')])
    expect(report.pages.length).toBeGreaterThan(1)
    const second = report.pages[1]?.pieces.filter(({ text: words }) => words === 'CC6.1' || words === 'About CC6.1')
    expect(second?.map(({ content }) => content)).toEqual([null, null])
    expect(wholeText(report.root).split('About CC6.1')).toHaveLength(2)
    const [, head, heading] = linesOf(report.pages[1])
    expect(head).toBe('Test performed | Result of test')
    expect(heading).toBe('CC6.1')
  })

  test('is not repeated where the next heading follows', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => row(`row ${index}`))
    let first = 0
    for (let count = 34; count < 44; count += 1) {
      const report = await tableOf([group('CC6.1'), ...rows.slice(0, count), group('CC6.2'), row('one'), row('two')])
      const page = report.pages[pageOf(report, 'CC6.2') - 1]
      const lines = linesOf(page)
      if (lines[2] !== 'CC6.2') continue
      first += 1
      expect(lines).not.toContain('CC6.1')
    }
    expect(first).toBeGreaterThan(0)
  })

  test('in a table of one column is a row', async () => {
    const report = await readPages(
      reportOf([section('a', [{ kind: 'table', columns: [{ title: 'Only', width: 1 }], rows: [[plainCell('x')]] }])]),
    )
    expect(tagsOf(report.root, 'TD').map(({ text: words }) => words)).toEqual(['x'])
  })
})

describe('a column aligned to the right', () => {
  test('ends its head and cells at the same place', async () => {
    const columns = [
      { title: 'What', width: 2 },
      { title: 'Page', width: 1, align: 'right' as const },
    ]
    const rows = ['1', '11', '1111'].map((number) => [plainCell(`row ${number}`), plainCell(number)])
    const report = await readPages(
      reportOf([section('a', [{ kind: 'table', columns, rows }])], { density: 'reading', paper: 'letter' }),
    )
    const starts = ['1', '11', '1111'].map((number) => find(report, number).x)
    expect(starts[0]).toBeGreaterThan(starts[1] ?? 0)
    expect(starts[1]).toBeGreaterThan(starts[2] ?? 0)
    const digit = ((starts[0] ?? 0) - (starts[2] ?? 0)) / 3
    expect((starts[0] ?? 0) + digit).toBeCloseTo(612 - 48, 0)
  })
})

describe('paired facts', () => {
  test('are two labels with their values in each row', async () => {
    const rows = ['A', 'B', 'C'].map((label) => ({ label, value: plainCell(`value ${label}`) }))
    const report = await readPages(reportOf([section('a', [{ kind: 'facts', isPaired: true, rows }])]))
    const read = tagsOf(report.root, 'TR').map(({ children }) =>
      children.map(({ kind, scope, text: words }) => [kind, scope, words]),
    )
    expect(read).toEqual([
      [
        ['TH', 'Row', 'A'],
        ['TD', null, 'value A'],
        ['TH', 'Row', 'B'],
        ['TD', null, 'value B'],
      ],
      [
        ['TH', 'Row', 'C'],
        ['TD', null, 'value C'],
        ['TH', 'Row', ''],
        ['TD', null, ''],
      ],
    ])
    expect(find(report, 'A').y).toBeCloseTo(find(report, 'B').y)
    expect(find(report, 'A').ink).toBe(INK.quiet)
    expect(find(report, 'value A').x).toBe(find(report, 'value C').x)
  })
})

describe('a heading', () => {
  test.each([
    ['a list', { kind: 'list', items: [{ text: 'item one' }, { text: 'item two' }] }, 'item two'],
    ['a banner', { kind: 'banner', title: 'Banner', text: 'In it.' }, 'In it.'],
    ['a text', text('Below.'), 'Below.'],
  ] as const)('stays with %s', async (_, block: Block, words) => {
    const pages = new Set<number>()
    for (let before = 19; before < 25; before += 1) {
      const heading: Block = { kind: 'heading', level: 3, text: 'Heading', mark: 'severity-critical' }
      const report = await readPages(reportOf([section('a', [...filler(before), heading, block])]))
      expect(pageOf(report, words)).toBe(pageOf(report, 'Heading'))
      pages.add(pageOf(report, words))
    }
    expect([...pages]).toEqual([1, 2])
  })
  test('has room for its mark', async () => {
    const heading: Block = { kind: 'heading', level: 3, text: 'Heading', mark: 'severity-critical' }
    const report = await readPages(reportOf([section('a', [heading, text('Below.')])]))
    expect(find(report, 'Heading').x).toBeGreaterThan(48 + 11)
  })
})

describe('what stays together', () => {
  const rows = (count: number): readonly (readonly Cell[])[] =>
    Array.from({ length: count }, (_, index) => row(`row ${index}`))
  const table = (count: number, more: object = {}): Block => ({
    kind: 'table',
    columns: TWO,
    rows: rows(count),
    ...more,
  })

  test('a quiet line below a table is on the page of its last row', async () => {
    for (const count of [30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]) {
      const report = await readPages(reportOf([section('a', [table(count), quiet('Declared by A.')])]))
      expect([count, pageOf(report, 'Declared by A.')]).toEqual([count, pageOf(report, `row ${count - 1}`)])
    }
  })

  test('a heading stays with the only row of a table and the quiet line below it', async () => {
    for (let count = 15; count < 24; count += 1)
      for (const lines of [1, 2]) {
        const blocks = [heading(3, 'One row'), table(1), quiet('Stated once. '.repeat(lines * 9).trim())]
        const report = await readPages(reportOf([section('a', [...filler(count), ...blocks])]))
        expect([count, pageOf(report, 'One row')]).toEqual([count, pageOf(report, 'row 0')])
      }
  })

  test('a table that is to be whole is on one page, with the headings and the title above it', async () => {
    for (let count = 10; count < 24; count += 1) {
      const assertion = [heading(3, 'Assertion'), text('We are responsible.')]
      const blocks = [...assertion, heading(3, 'Signatures'), text('Sign below.'), table(12, { isWhole: true })]
      const report = await readPages(reportOf([section('a', filler(count)), section('b', blocks, { flows: true })]))
      const names = ['Assertion', 'Signatures', ...Array.from({ length: 12 }, (_, at) => `row ${at}`)]
      const title = report.pages.findIndex(({ pieces }) =>
        pieces.some((piece) => piece.text === 'Title of b' && piece.content !== null),
      )
      expect([count, new Set([title + 1, ...names.map((words) => pageOf(report, words))]).size]).toEqual([count, 1])
    }
  })
})

test('a tall row continues on the next page, where it would leave most of a page empty', async () => {
  const lines = Array.from({ length: 42 }, (_, at) => ({ text: `Line ${at}.` }))
  const blocks: readonly Block[] = [text('Above.'), { kind: 'table', columns: TWO, rows: [[plainCell('tall'), lines]] }]
  const report = await readPages(reportOf([section('a', [...filler(6), ...blocks])]))
  expect(pageOf(report, 'Line 0.')).toBe(1)
  expect(pageOf(report, 'Line 41.')).toBe(2)
})

describe('contents in a section of their own', () => {
  test('list every other section', async () => {
    const report = await readPages(
      reportOf([section('a', [text('Of a.')]), section('b', [{ kind: 'contents' }]), section('c', [text('Of c.')])]),
    )
    const listed = tagsOf(report.root, 'TOCI').map((tag) => wholeText(tag).trim())
    expect(listed).toHaveLength(2)
    expect(listed.join()).not.toContain('Title of b')
  })
})

describe('head and foot', () => {
  const LONG =
    'A title of a section that is much too long to stand next to the name of the report on one line of a page'
  const headOf = ({ pages }: ReadReport): string =>
    (pages[0]?.pieces ?? [])
      .filter(({ content, y }) => content === null && y < 100)
      .map(({ text: words }) => words)
      .join('')

  test.each(['reading', 'annex'] as const)('are never cut (%s)', async (density) => {
    const more = { density, demo: true, runningHead: `The report. ${LONG}`, runningFoot: LONG.repeat(3) } as const
    const report = await readPages(reportOf([{ ...section('a', filler(80)), title: LONG }], more))
    expect(report.pages.length).toBeGreaterThan(1)
    for (const page of report.pages) {
      const artifacts = page.pieces.filter(({ content }) => content === null)
      const words = artifacts
        .map((piece) => piece.text)
        .join('')
        .replaceAll(' ', '')
      expect(words).toContain(`The report. ${LONG}`.replaceAll(' ', ''))
      expect(words).toContain(LONG.repeat(3).replaceAll(' ', ''))
      expect(words.split(LONG.replaceAll(' ', ''))).toHaveLength(6)
      expect(words).not.toContain('…')
      expect(words).toContain('Demodata:notevidence')
      const body = page.pieces.filter(({ content }) => content !== null).map(({ y }) => y)
      const head = artifacts.filter(({ y }) => y < 150).map(({ y }) => y)
      const foot = artifacts.filter(({ y }) => y > 600).map(({ y }) => y)
      expect(Math.min(...body)).toBeGreaterThan(Math.max(...head) + 10)
      expect(Math.max(...body)).toBeLessThan(Math.min(...foot) - 10)
    }
  })

  test('name a section by its running title', async () => {
    const report = await readPages(reportOf([section('a', filler(1), { title: LONG, runningTitle: 'Short' })]))
    expect(headOf(report)).toContain('Short')
    expect(headOf(report)).not.toContain('much too long')
  })

  test('have the demo mark between the two texts, on every page of a demo alone', async () => {
    const report = await readPages(reportOf([section('a', filler(80))], { demo: true, density: 'reading' }))
    for (const page of report.pages) {
      expect(linesOf(page)[0]).toBe('Left head | Demo data: not evidence | Title of a')
      expect(page.pieces.find(({ text: words }) => words.startsWith('Demo'))?.size).toBe(9)
    }
    expect(headOf(await readPages(reportOf([section('a', [])])))).not.toContain('Demo')
  })
})

test('a report with every block gives the same bytes for the same input, on both papers', async () => {
  for (const paper of ['a4', 'letter'] as const) {
    const made = (): Promise<ReadReport> =>
      readPages(
        reportOf(
          [section('a', [...EVERYTHING, { kind: 'list', items: MARK_NAMES.map((mark) => ({ text: mark, mark })) }])],
          { paper },
        ),
      )
    expect(await made()).toEqual(await made())
  }
})

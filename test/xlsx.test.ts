import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { heightOf, linesOf, pagesWide, xlsxOf } from '../main/adapters/xlsx-file.ts'
import type { Sheet } from '../main/core/all-ports.ts'
import { PAGES, readXlsx } from './support/read-xlsx.ts'
import { takeApart } from './support/zip-parts.ts'

/** Any UTF-16, halves of pairs and all. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units))

const printable = fc
  .array(fc.integer({ min: 0x20, max: 0x7e }), { minLength: 1, maxLength: 40 })
  .map((units) => String.fromCharCode(...units))

const sheet = (rows: Sheet['rows'], name = 'Sheet'): Sheet => ({ name, widths: [12, 34.5], rows })
const read = async (rows: Sheet['rows']) =>
  readXlsx(await xlsxOf([sheet([['head'], ...rows])], PAGES))
    .sheets.get('Sheet')
    ?.slice(1)

describe('a workbook', () => {
  test('has texts and numbers, and never a formula', async () => {
    const rows = [
      ['=1+1', '+1', '-1', '@SUM(A1)', '\uff1d1+1', '=HYPERLINK("http://evil.example")'],
      [1, 0, -2.5, '7', ''],
    ]
    const workbook = readXlsx(await xlsxOf([sheet([['head'], ...rows])], PAGES))
    const xml = workbook.parts.get('xl/worksheets/sheet1.xml') ?? ''
    expect(workbook.sheets.get('Sheet')?.slice(1)).toEqual([rows[0], [1, 0, -2.5, '7']])
    expect(xml).not.toMatch(/<f[ >]/)
    expect([...xml.matchAll(/<c [^>]*>/g)].map(([cell]) => / t="s"/.test(cell))).toEqual([
      ...Array.from({ length: 7 }, () => true),
      false,
      false,
      false,
      true,
    ])
  })

  test('has days and times as dates, in columns that state them, and as text elsewhere', async () => {
    const head = ['due (UTC)', 'Status Date', 'first seen (UTC)', 'plan']
    const row = ['2026-12-15', '2026-11-10', '2026-11-30T07:45:51.429Z', '2026-12-15']
    const odd = ['2026-02-30', 'none', '=1+1', '']
    const workbook = readXlsx(await xlsxOf([sheet([head, row, odd])], PAGES))
    expect(workbook.sheets.get('Sheet')).toEqual([head, row, odd.slice(0, 3)])
    const xml = workbook.parts.get('xl/worksheets/sheet1.xml') ?? ''
    expect(/<c r="A2"[^>]*><v>([^<]*)</.exec(xml)?.[1]).toBe('46371')
    expect([...xml.matchAll(/<c r="([A-D]2)"[^>]* t="s"/g)].map(([, cell]) => cell)).toEqual(['D2'])
    expect(workbook.parts.get('xl/styles.xml')).toContain('formatCode="yyyy-mm-dd"')
  })

  test('shows the last millisecond of a day on that day: a program rounds a time to what it shows', async () => {
    const rows = [['until (UTC)'], ['2027-01-14T23:59:59.999Z'], ['2027-01-14T08:00:00.000Z'], ['2027-01-14T08:00:00Z']]
    const { parts, sheets } = readXlsx(await xlsxOf([sheet(rows)], PAGES))
    const formats = [...(parts.get('xl/styles.xml') ?? '').matchAll(/formatCode="([^"]*)"/g)].map(([, code]) => code)
    expect(formats.sort()).toEqual(['yyyy-mm-dd hh:mm:ss', 'yyyy-mm-dd hh:mm:ss.000'])
    expect(sheets.get('Sheet')?.[1]).toEqual(['2027-01-14T23:59:59.999Z'])
  })

  test('keeps its head bold and in sight, and its columns wide', async () => {
    const { parts } = readXlsx(
      await xlsxOf(
        [
          sheet([
            ['one', 'two'],
            ['a', 'b'],
          ]),
        ],
        PAGES,
      ),
    )
    const xml = parts.get('xl/worksheets/sheet1.xml') ?? ''
    expect(xml).toMatch(/<pane ySplit="1" xSplit="0" topLeftCell="A2" [^>]*state="frozen"\/>/)
    expect(xml).toContain('<col min="2" max="2" width="34.5" customWidth="1"/>')
    const style = Number(/<c r="A1" s="(\d+)"/.exec(xml)?.[1])
    const fonts = [...(parts.get('xl/styles.xml') ?? '').matchAll(/<font>.*?<\/font>/g)].map(([font]) => font)
    const formats = [
      ...(/<cellXfs.*?<\/cellXfs>/s.exec(parts.get('xl/styles.xml') ?? '')?.[0] ?? '').matchAll(/<xf ([^>]*)>/g),
    ]
    const font = /fontId="(\d+)"/.exec(formats[style]?.[1] ?? '')?.[1]
    expect(fonts[Number(font)]).toContain('<b/>')
  })

  test('has a filter over every table, with the name under which a program keeps it', async () => {
    const wide = [Array.from({ length: 28 }, (_, at) => `head ${at}`), ['a'], ['b']]
    const { parts } = readXlsx(await xlsxOf([sheet([['one', 'two']]), sheet(wide, "R&D's"), sheet([])], PAGES))
    const xml = (id: number): string => parts.get(`xl/worksheets/sheet${id}.xml`) ?? ''
    expect(xml(1)).toContain('</sheetData><autoFilter ref="A1:B1"/><printOptions ')
    expect(xml(2)).toContain('</sheetData><autoFilter ref="A1:AB3"/><printOptions ')
    expect(xml(3)).not.toContain('autoFilter')
    const names = [...(parts.get('xl/workbook.xml') ?? '').matchAll(/<definedName ([^>]*)>([^<]*)</g)]
    const filters = names.filter(([, attributes]) => attributes?.includes('_FilterDatabase'))
    expect(filters.map(([, attributes, range]) => [attributes, range])).toEqual([
      ['name="_xlnm._FilterDatabase" localSheetId="0" hidden="1"', "'Sheet'!$A$1:$B$1"],
      ['name="_xlnm._FilterDatabase" localSheetId="1" hidden="1"', "'R&amp;D''s'!$A$1:$AB$3"],
    ])
  })

  test('prints every sheet in landscape on the paper, with its head on each page, a foot and page numbers', async () => {
    const { parts } = readXlsx(
      await xlsxOf([{ ...sheet([['one', 'two']], 'R&D'), keys: 1 }, sheet([])], {
        paper: 'a4',
        foot: 'A & B, run <1>',
      }),
    )
    const xml = parts.get('xl/worksheets/sheet1.xml') ?? ''
    expect(xml).toMatch(/<sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr><sheetViews>/)
    expect(xml).toMatch(
      /<printOptions gridLines="1"\/><pageMargins [^>]*\/><pageSetup paperSize="9" fitToWidth="1" fitToHeight="0" orientation="landscape"\/><headerFooter><oddFooter>&amp;LA &amp;&amp; B, run &lt;1&gt;&amp;C&amp;A&amp;RPage &amp;P of &amp;N<\/oddFooter><\/headerFooter><\/worksheet>$/,
    )
    expect(xml).toMatch(/<pane ySplit="1" xSplit="1" [^>]*state="frozen"\/>/)
    expect(parts.get('xl/worksheets/sheet2.xml')).toContain('<pageSetup paperSize="9" ')
    const titles = [...(parts.get('xl/workbook.xml') ?? '').matchAll(/Print_Titles" localSheetId="(\d)">([^<]*)</g)]
    expect(titles.map(([, at, range]) => [at, range])).toEqual([['0', "'R&amp;D'!$A:$A,'R&amp;D'!$1:$1"]])
  })

  test('prints a wide sheet on pages side by side instead of in small type', () => {
    const columns = (count: number, width: number): number[] => Array.from({ length: count }, () => width)
    expect(pagesWide(columns(1, 190), 0, 'letter')).toBe(1)
    expect(pagesWide(columns(2, 90), 1, 'letter')).toBe(1)
    expect(pagesWide(columns(20, 20), 0, 'letter')).toBe(3)
    // The naming column is on each page and takes its place there.
    expect(pagesWide(columns(20, 20), 1, 'letter')).toBe(3)
    expect(pagesWide([90, ...columns(10, 50)], 1, 'letter')).toBe(5)
    expect(pagesWide([], 0, 'a4')).toBe(1)
  })

  test('wraps every text, in a row that is high enough for it until it is edited', async () => {
    const long = 'word '.repeat(20)
    const { parts } = readXlsx(
      await xlsxOf(
        [
          sheet([
            ['head', 'b'],
            ['a', long],
            ['a', 1],
          ]),
        ],
        PAGES,
      ),
    )
    const xml = parts.get('xl/worksheets/sheet1.xml') ?? ''
    const heights = [...xml.matchAll(/<row r="\d" ht="([\d.]+)">/g)].map(([, height]) => Number(height))
    expect(heights).toEqual([12.75, 12.75 * linesOf(long, 34.5), 12.75])
    const formats = (parts.get('xl/styles.xml') ?? '').match(/<cellXfs.*<\/cellXfs>/)?.[0] ?? ''
    const style = Number(/<c r="B2" s="(\d)"/.exec(xml)?.[1])
    expect([...formats.matchAll(/<xf .*?<\/xf>/g)][style]?.[0]).toContain('<alignment vertical="top" wrapText="1"/>')
  })

  test.each([
    ['', 10, 1],
    ['1234567890', 12, 1],
    ['two words', 6, 2],
    ['one\ntwo', 40, 2],
    ['x'.repeat(100), 10, 11],
    ['demo-shared-05', 8, 3],
    ['WWWWWWWWWW', 10, 2],
  ])('counts the lines of %j in %i characters', (text, width, lines) => {
    expect(linesOf(text, width)).toBe(lines)
  })

  test('makes no row higher than a program can show', () => {
    expect(heightOf(['x'.repeat(30_000)], [10])).toBe(409)
  })

  test('keeps lines of a cell apart, and no more of them than a program opens', async () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, at) => String(at)).join('\n')
    const [[few, many] = []] = (await read([[lines(253), lines(254)]])) ?? []
    expect(few).toBe(lines(253))
    expect(String(many).split('\n')).toHaveLength(253)
    expect(String(many)).toMatch(/… \(cut\)$/)
  })

  test('cuts what is too long for a cell, and marks the cut', async () => {
    const [[long, fits] = []] = (await read([['x'.repeat(40_000), 'y'.repeat(32_767)]])) ?? []
    expect(String(long)).toHaveLength(32_767)
    expect(String(long)).toMatch(/x… \(cut\)$/)
    expect(fits).toBe('y'.repeat(32_767))
  })

  test('leaves out what XML cannot hold, and nothing is taken for an escape', async () => {
    expect(await read([['a\u0000b\u001bc\ud800d\uffff', '_x0041_ _x005F_', '<b>&"\'', 'é 日本 🙂']])).toEqual([
      ['abcd', '_x0041_ _x005F_', '<b>&"\'', 'é 日本 🙂'],
    ])
  })

  test('keeps texts that are names in every object', async () => {
    const names = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty']
    expect((await read([names]))?.[0]?.map((text) => String(text).trim())).toEqual(names)
  })

  test('contains no dates: the same sheets give the same bytes at any time', async () => {
    const bytes = Buffer.from(await xlsxOf([sheet([['head'], ['a']])], PAGES))
    for (const { local, listed } of takeApart(bytes))
      expect([local.readUInt32LE(10), listed.readUInt32LE(12)]).toEqual([0x00210000, 0x00210000])
  })

  test.each([
    [
      ['Findings', 'findings'],
      ['Findings', 'findings 2'],
    ],
    [
      ['a/b:c?*[x]', "'quoted'"],
      ['a b c x', 'quoted'],
    ],
    [
      ['', '\u0000'],
      ['Sheet', 'Sheet 2'],
    ],
    [
      ['n'.repeat(40), 'n'.repeat(31)],
      ['n'.repeat(31), `${'n'.repeat(29)} 2`],
    ],
  ])('names its sheets so that every program takes them: %j', async (given, expected) => {
    const { sheets } = readXlsx(
      await xlsxOf(
        given.map((name) => sheet([['head']], name)),
        PAGES,
      ),
    )
    expect([...sheets.keys()]).toEqual(expected)
  })

  test('never throws on text, and gives every printable one back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 4 }), async (cells) => {
        const { parts } = readXlsx(await xlsxOf([sheet([['head'], cells])], PAGES))
        expect(parts.get('xl/sharedStrings.xml')).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
      }),
      { numRuns: 40 },
    )
    await fc.assert(
      fc.asyncProperty(printable, async (text) => {
        expect(String((await read([[text]]))?.[0]?.[0] ?? '').trim()).toBe(text.trim())
      }),
      { numRuns: 40 },
    )
  })
})

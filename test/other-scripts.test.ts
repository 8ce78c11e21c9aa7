import { describe, expect, test } from 'vitest'
import { renderReport } from '../main/adapters/pdf/index.ts'
import { wrap } from '../main/adapters/pdf/wrap.ts'
import { text } from '../main/core/base/report-document.ts'
import { short } from '../main/present/report/parts/short.ts'
import { buildExecutive, buildReport, documentText, type ReportInput } from '../main/present/report.ts'
import { engagementOf } from './support/engagement.ts'
import { linesOf, type ReadPage, readReport } from './support/pdf-pages.ts'
import { readPages, reportOf } from './support/report/made.ts'
import { SAMPLE_AS_OF, sampleInput } from './support/report/sample.ts'

// Names in other letters than those of English, in the PDF files.

const POLISH = 'Zażółć Gęślą Jaźń Sp. z o.o.'
const CYRILLIC = 'Обласна клінічна лікарня'
const GREEK = 'Γενικό Νοσοκομείο Αθηνών'
const JAPANESE = '東京医療センター'

const named = (entity: string): ReportInput => {
  const input = sampleInput()
  const engagement = { ...engagementOf({ nodes: input.assessment.scope.population }), entity }
  return { ...input, assessment: { ...input.assessment, scope: { ...input.assessment.scope, engagement } } }
}

const pagesOf = async (input: ReportInput) => {
  const pdf = await renderReport(buildExecutive(input), {
    attachments: [],
    created: SAMPLE_AS_OF,
    placeholder: false,
  })
  return readReport(pdf).pages
}

describe('the name of the organization', () => {
  test.each([POLISH, CYRILLIC, GREEK])('%s is whole in the title of page 1', async (entity) => {
    const [page, ...more] = await pagesOf(named(entity))
    expect(more).toEqual([])
    expect(linesOf(page).join(' ')).toContain(entity)
  })

  test('of sixty characters is whole there too', async () => {
    const entity = 'Children’s Hospital and Research Center of Greater Springfield'
    const [page, ...more] = await pagesOf(named(entity))
    expect(more).toEqual([])
    expect(linesOf(page).slice(1, 4).join(' ').replace(/\s+/g, ' ')).toContain(entity)
  })

  test('that is shortened on page 1 is whole in the scope', () => {
    const entity = `${'Regional Hospital Association of '.repeat(5)}Springfield`
    expect(documentText(buildReport(named(entity))).filter((one) => one.includes(entity))).toHaveLength(1)
    expect(documentText(buildReport(named('Small Clinic'))).filter((one) => one === 'Entity')).toEqual([])
  })

  test('is shortened by the width that its letters have', () => {
    for (const one of [POLISH, CYRILLIC, GREEK, 'Bệnh viện Đa khoa Hà Nội']) expect(short(one, 40)).toBe(one)
    expect(short(JAPANESE, 40)).toBe('東京医…')
  })
})

/** The page in one line, without the page number beside the foot. */
const footOf = (page: ReadPage | undefined): string =>
  linesOf(page)
    .join(' ')
    .replace(/\| Page \d+ of \d+ /g, '')

describe('a letter that the fonts lack', () => {
  const NOTE = /\\u\{…\} is the Unicode number of a character that is invisible or that the fonts of this file lack\./

  test('is printed as its number, which the foot of each page explains', async () => {
    const { pages } = await readPages(reportOf([{ id: 'a', title: 'A', blocks: [text(JAPANESE)] }]))
    expect(linesOf(pages[0]).join(' ')).toContain('\\u{6771}\\u{4eac}')
    for (const page of pages) expect(footOf(page)).toMatch(NOTE)
  })

  test('is explained on page 1 of the report, which remains one page', async () => {
    const pages = await pagesOf(named(JAPANESE))
    expect(pages).toHaveLength(1)
    expect(footOf(pages[0])).toMatch(NOTE)
  })

  test('is not explained where there is none', async () => {
    const { pages } = await readPages(
      reportOf([{ id: 'a', title: 'A', blocks: [text(`${POLISH} ${CYRILLIC} ${GREEK}`)] }]),
    )
    const words = pages.flatMap((page) => linesOf(page)).join(' ')
    expect(words).not.toMatch(NOTE)
    expect(words).toContain(GREEK)
  })

  test('does not have its number broken over two lines', () => {
    const word = '\\u{76e3}\\u{67fb}\\u{8cac}\\u{4efb}'
    for (const width of [8, 10, 15, 17])
      for (const line of wrap(word, width, (one) => one.length)) expect(line.trim()).toMatch(/^(?:\\u\{[0-9a-f]+\})+$/)
  })
})

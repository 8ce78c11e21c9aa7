import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import PDFDocument from 'pdfkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { BYTE_RANGE_PLACEHOLDER, renderReport, SIGNATURE_BYTES } from '../main/adapters/pdf/index.ts'
import { Shaping } from '../main/adapters/pdf/shaping.ts'
import { drawable, wrap, wrapFixed } from '../main/adapters/pdf/wrap.ts'
import type { Block } from '../main/core/base/report-document.ts'
import type { ReportDocument } from '../main/present/report.ts'
import { bundled } from './support/bundled.ts'
import { isInstalled } from './support/needing.ts'
import { bigInput, SAMPLE_AS_OF, sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'

const document = wholeReport(sampleInput())
const attachment = { name: 'assessment.json', bytes: new TextEncoder().encode('{}\n'), description: 'Results' }
const COLUMNS = [
  { title: 'What', width: 1 },
  { title: 'Answer', width: 2 },
]
const poppler = isInstalled('pdftotext')
const options = { attachments: [attachment], created: SAMPLE_AS_OF }
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const occurrences = (text: string, part: string): number => text.split(part).length - 1

describe('PDF report', () => {
  let pdf: Uint8Array
  let text: string
  beforeAll(async () => {
    pdf = await renderReport(document, options)
    text = latin1(pdf)
  })

  it('leaves room for exactly one signature, of a fixed size', () => {
    expect(occurrences(text, `/ByteRange ${BYTE_RANGE_PLACEHOLDER}`)).toBe(1)
    expect(occurrences(text, `/Contents <${'00'.repeat(SIGNATURE_BYTES)}>`)).toBe(1)
    expect(text).toContain('/SubFilter /ETSI.CAdES.detached')
    expect(text).toMatch(/\/DocMDP \d+ 0 R/)
    expect(text).not.toContain('/NeedAppearances')
    expect(text).not.toContain('/AP ')
  })

  it('has one classic cross-reference table and ends with the file’s own end', () => {
    expect(occurrences(text, '\nxref\n')).toBe(1)
    expect(occurrences(text, '%%EOF')).toBe(1)
    expect(text.endsWith('%%EOF\n')).toBe(true)
    expect(text).not.toContain('/ObjStm')
  })

  it('leaves no room where none is wanted', async () => {
    const plain = latin1(await renderReport(document, { ...options, placeholder: false }))
    expect(plain).not.toContain('/ByteRange')
    expect(plain).not.toContain('/AcroForm')
  })

  it('is tagged, titled, in a language, bookmarked, and embeds the results as associated file', () => {
    expect(text).toContain('/Marked true')
    expect(text).toContain('/DisplayDocTitle true')
    expect(text).toContain('/Lang (en)')
    expect(text).toContain('/Outlines')
    expect(text).toContain('/AFRelationship /Data')
    expect(text).toContain('<pdfuaid:part>1</pdfuaid:part>')
    expect(text).not.toContain('/JavaScript')
  })

  it('gives the same bytes for the same input', async () => {
    expect(await renderReport(wholeReport(sampleInput()), options)).toEqual(pdf)
  })

  it('gives the same bytes in another time zone and locale, and whatever was written before', async () => {
    const { program, folder } = await bundled('report/digest-of-sample.ts')
    const under = async (env: Record<string, string>, ...first: readonly string[]): Promise<string> =>
      (
        await promisify(execFile)(process.execPath, [program, ...first], { env: { ...process.env, ...env } })
      ).stdout.trim()
    const [east, west] = await Promise.all([
      under({ TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }),
      under({ TZ: 'America/Los_Angeles', LANG: 'C', LC_ALL: 'C' }),
    ])
    // The ligatures as characters of their own: the same glyphs as those of the letters, which stand for other text.
    const after = await under({}, '\uFB01\uFB02 of another report')
    rmSync(folder, { recursive: true })
    expect(east).toBe(west)
    expect(after).toBe(east)
    expect(east).toBe(createHash('sha256').update(pdf).digest('hex'))
  })

  it('lays out a fleet of 200 nodes', async () => {
    const big = wholeReport(bigInput(200))
    const bytes = await renderReport(big, options)
    expect(Number(/\/Type \/Pages\n\/Count (\d+)/.exec(latin1(bytes))?.[1])).toBeGreaterThan(50)
  })
})

describe('pages', () => {
  const rows = Array.from({ length: 60 }, (_, index) => [
    [{ text: `Row ${index}` }],
    Array.from({ length: 1 + ((index * 7) % 23) }, (__, line) => ({ text: `line ${line} of ${index}` })),
  ])
  const made: ReportDocument = {
    ...document,
    runningFoot: 'A line at the foot',
    sections: [
      {
        id: 'long',
        title: 'A section with a title',
        blocks: rows.flatMap((row): readonly Block[] => [
          { kind: 'heading', level: 3, text: `Heading ${row[0]?.[0]?.text}` },
          { kind: 'heading', level: 4, text: 'Below it' },
          { kind: 'table', columns: COLUMNS, rows: [row, row] },
        ]),
      },
      { id: 'other', title: 'Another one', blocks: [{ kind: 'table', columns: COLUMNS, rows }] },
    ],
  }

  it.skipIf(!poppler)(
    'end with no heading, split no row, and repeat the header (skipped where pdftotext is absent)',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'barewitness-pages-'))
      writeFileSync(join(folder, 'made.pdf'), await renderReport(made, { ...options, placeholder: false }))
      const pages = execFileSync('pdftotext', ['-layout', join(folder, 'made.pdf'), '-'])
        .toString()
        .split('\f')
        .slice(0, -1)
      rmSync(folder, { recursive: true })
      expect(pages.length).toBeGreaterThan(10)
      pages.forEach((page, index) => {
        const lines = page.split('\n').filter((line) => line.trim() !== '')
        expect(lines[0]).toMatch(/(A section with a title|Another one)$/)
        expect(lines.at(-1)).toMatch(new RegExp(`Page ${index + 1} of ${pages.length}$`))
        expect(lines.at(-2)).toMatch(/line \d+ of \d+/)
        // Each row begins with its name, so a page that begins with another line goes on with a row.
        expect(lines.findIndex((line) => line.includes('line 1 of'))).not.toBe(1)
        expect(lines[1]).toMatch(/^ *(What +Answer|Heading Row|A section with|Another one)/)
      })
    },
  )
})

describe('breaking lines', () => {
  const measure = (text: string): number => text.length

  it('never exceeds the width and loses no character but spaces', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.integer({ min: 1, max: 60 }), (text, width) => {
        const lines = wrap(text, width, measure)
        for (const line of lines) expect(line.trimEnd().length).toBeLessThanOrEqual(Math.max(width, 2))
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      }),
    )
  })

  it('breaks long names after punctuation where it can', () => {
    expect(wrap('a-long-name.example.net', 12, measure)).toEqual(['a-long-name.', 'example.net'])
  })

  it('keeps words apart where it breaks at a space', () => {
    expect(wrap('one two three', 7, measure)).toEqual(['one two ', 'three'])
  })

  it('keeps listings within their columns', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.integer({ min: 10, max: 80 }), (text, columns) => {
        for (const line of wrapFixed(text, columns)) expect(line.length).toBeLessThanOrEqual(columns)
      }),
    )
  })
})

describe('what can be drawn', () => {
  const shaping = new Shaping(new PDFDocument({ autoFirstPage: false }))

  it('writes out what the font lacks and what would be invisible', () => {
    const covers = shaping.covers('sans')
    expect(drawable('a\u202eb日\u0000ü “x”', covers)).toBe('a\\u{202e}b\\u{65e5}\\u{0}ü “x”')
  })

  it('draws nothing but characters with a glyph, whatever comes in', () => {
    const covers = shaping.covers('mono')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        for (const char of drawable(text, covers)) expect(covers(char.codePointAt(0) ?? 0)).toBe(true)
      }),
    )
  })
})

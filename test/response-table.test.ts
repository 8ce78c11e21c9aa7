import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvOf } from '../main/adapters/stored-file.ts'
import { readTable } from '../main/adapters/table/read.ts'
import { xlsxOf } from '../main/adapters/xlsx-file.ts'
import { importResponses } from '../main/app/register/store.ts'
import type { TableRow } from '../main/core/base/table.ts'
import { tally } from '../main/core/conclusion/tally.ts'
import { findingReference, findingsOf } from '../main/core/finding/finding.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { currentResponses, RESPONSE_STATUSES, respond } from '../main/core/register/responses.ts'
import { readResponseTable, responseSheet, responseTable } from '../main/present/formats/response-table.ts'
import type { Register } from '../schemas/types.ts'
import { folderOfTests } from './support/folders.ts'
import { bigInput } from './support/report/sample.ts'
import { times } from './support/thorough.ts'

const folder = folderOfTests('response-table')
const NOW = '2026-11-20T12:00:00.000Z'
const KINDS = ['csv', 'xlsx'] as const
type Kind = (typeof KINDS)[number]

const input = bigInput(6)
const FLEET = input.assessment.scope.fleet
const checks = input.catalog.checks.map(({ id }) => id)
const findings = (register: Register) =>
  findingsOf({ ...input, register, tally: tally(input.assessment, input.catalog.checks) })
const found = findings(EMPTY_REGISTER).map(({ check }) => check)

let files = 0
const another = (): number => {
  files += 1
  return files
}

import { must } from './support/outcomes.ts'
/** What an import needs of the ports, with an ID of its own for each entry. */
import { PAGES } from './support/read-xlsx.ts'

function portsOf(): Parameters<typeof importResponses>[0] {
  let made = 0
  const bytes = (): Uint8Array => {
    made += 1
    return new Uint8Array(16).fill(made)
  }
  return { clock: { now: () => NOW }, entropy: { bytes } } as never
}

async function written(kind: Kind, rows: readonly (readonly string[])[]): Promise<string> {
  const path = join(folder, `${another()}.${kind}`)
  writeFileSync(path, kind === 'csv' ? csvOf(rows) : await xlsxOf([responseSheet(rows)], PAGES))
  return path
}

async function readBack(kind: Kind, rows: readonly (readonly string[])[]): Promise<readonly TableRow[]> {
  return must(await readTable(await written(kind, rows)))
}

const texts = (rows: readonly TableRow[]): string[][] => rows.map(({ cells }) => cells.map(({ text }) => text))

/** What people enter: commas, quotes, line ends, any script, what a spreadsheet takes for a formula, and what its files escape. */
const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    '=1+1',
    '+',
    '-',
    '@',
    "'",
    '"',
    '\n',
    '\t',
    ';',
    ',',
    '_x0041_',
    '＝',
    ' ',
    '&amp;',
    '<b>',
    'é',
    '暗号',
  ),
)
const words = fc
  .array(piece, { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.trim().length >= 3)
const name = words.filter((text) => text.replace(/\s+/gu, ' ').trim().length > 0)

const registerArb: fc.Arbitrary<Register> = fc
  .uniqueArray(
    fc.record({
      check: fc.constantFrom(...found),
      status: fc.constantFrom(...RESPONSE_STATUSES),
      owner: fc.option(name),
      due: fc.option(fc.constantFrom('2026-12-01', '2027-03-01')),
      plan: words,
      cause: fc.option(words),
    }),
    { selector: ({ check }) => check, minLength: 1, maxLength: 4 },
  )
  .map((drafts) =>
    drafts.reduce<Register>((register, draft, at) => {
      const facts = { now: NOW, id: String(at).padStart(32, 'a'), hasCheck: () => true }
      const made = respond(register, { ...draft, statedBy: 'M. Ortiz' }, facts)
      // A control character in a generated text is refused when it is entered.
      return made.ok ? made.value : register
    }, EMPTY_REGISTER),
  )

describe.each(KINDS)('a table of responses as %s', (kind) => {
  test('is read back as it was written, and states nothing new', async () => {
    await fc.assert(
      fc.asyncProperty(registerArb, async (register) => {
        const rows = responseTable(findings(register), FLEET)
        const current = currentResponses(register, NOW)
        const read = readResponseTable(await readBack(kind, rows), { fleet: FLEET, checks, current })
        expect(read.problems).toEqual([])
        expect(read.changed).toEqual([])
        expect(read.unchanged).toBe(found.length)
      }),
      { numRuns: times(40, 400) },
    )
  })

  test('fills an empty register with the same statements', async () => {
    await fc.assert(
      fc.asyncProperty(registerArb, async (register) => {
        const rows = await readBack(kind, responseTable(findings(register), FLEET))
        const made = must(
          await importResponses(portsOf(), EMPTY_REGISTER, rows, {
            fleet: FLEET,
            checks,
            statedBy: 'M. Ortiz',
            openSigner: null,
          }),
        )
        const stated = (one: Register) =>
          [...(one.responses ?? [])].map((entry) => ({ ...entry, id: '' })).sort((a, b) => (a.check < b.check ? -1 : 1))
        expect(stated(made.register)).toEqual(stated(register))
      }),
      { numRuns: times(30, 300) },
    )
  })
})

test('every character that a response may contain comes back from a workbook', async () => {
  const facts = { now: NOW, id: 'a'.repeat(32), hasCheck: () => true }
  const draft = {
    check: 'access.accounts',
    status: 'open',
    owner: null,
    due: null,
    cause: null,
    statedBy: 'M. Ortiz',
  } as const
  // All of the first plane's first part, where most that is special lies; of the rest every so many.
  const codes = Array.from({ length: 0x2_0000 }, (_, code) => code).filter(
    (code) => code < 0x3000 || code % times(11, 1) === 0,
  )
  const taken = codes
    .map((code) => `a${String.fromCodePoint(code)}=1`)
    .filter((plan) => respond(EMPTY_REGISTER, { ...draft, plan }, facts).ok && !plan.includes('\r'))
  expect(taken.length).toBeGreaterThan(codes.length * 0.96)
  for (let at = 0; at < taken.length; at += 9_000) {
    const plans = taken.slice(at, at + 9_000)
    expect(
      texts(
        await readBack(
          'xlsx',
          plans.map((plan) => [plan]),
        ),
      ).map(([plan]) => plan),
    ).toEqual(plans)
  }
})

const HEAD = ['Reference', 'Check', 'Fleet', 'Status', 'Owner', 'Due', 'Plan', 'Cause']
const [one = '', two = ''] = found
const reference = (check: string, fleet = FLEET): string => findingReference(fleet, check)
const row = (changes: Partial<Record<string, string>> = {}): readonly string[] =>
  HEAD.map(
    (title) => changes[title] ?? { Reference: reference(one), Status: 'In progress', Owner: 'K. Adeyemi' }[title] ?? '',
  )

describe.each(KINDS)('a table of responses as %s is refused as a whole', (kind) => {
  const attempt = async (...rows: readonly (readonly string[])[]) => {
    return await importResponses(portsOf(), EMPTY_REGISTER, await readBack(kind, rows), {
      fleet: FLEET,
      checks,
      statedBy: 'M. Ortiz',
      openSigner: null,
    })
  }

  test('unless every row is valid', async () => {
    const made = await attempt(HEAD, row(), row({ Reference: reference(two), Due: '2027-03-01' }))
    expect(made).toMatchObject({ ok: true, value: { unchanged: 0 } })
    expect(made.ok && made.value.register.responses).toHaveLength(2)
  })

  test.each<[string, Partial<Record<string, string>>, RegExp]>([
    ['an unknown reference', { Reference: 'F-000000' }, /row 3: there is no finding “F-000000” of fleet “/],
    ['a reference of another fleet', { Reference: reference(two, 'other') }, /row 3: there is no finding/],
    ['another fleet', { Fleet: 'other' }, /row 3: it is of fleet “other”, not of “/],
    ['another check', { Check: one }, /row 3: F-[0-9A-F]{6} is the finding of check/],
    ['a day that does not exist', { Due: '2027-02-30' }, /row 3: the due day must be a date/],
    ['a day in another form', { Due: '3/1/2027' }, /row 3: the due day must be a date/],
    ['a day in the past', { Due: '2026-11-01' }, /row 3: the due day is in the past/],
    ['an unknown status', { Status: 'Closed' }, /row 3: the status “Closed” is not one of Open, In progress/],
    ['a dispute without a reason', { Status: 'Disputed' }, /row 3: a dispute needs a plan/],
    ['a row twice', { Reference: reference(one) }, /row 3: F-[0-9A-F]{6} is in row 2 as well/],
    ['a long owner', { Owner: 'x'.repeat(201) }, /row 3: the owner must have at most 200/],
  ])('%s', async (_, changes, detail) => {
    const made = await attempt(HEAD, row(), row({ Reference: reference(two), ...changes }))
    expect(made).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(made.ok ? '' : made.error.detail).toMatch(detail)
    expect(made.ok ? '' : made.error.detail).toMatch(/Nothing was stored$/)
  })

  test('a missing column', async () => {
    const made = await attempt(['Reference', 'Status'], [reference(one), 'Open'])
    expect(made.ok ? '' : made.error.detail).toMatch(/no column “Owner”, “Due”, “Plan”, “Cause”/)
  })
})

test('a row that was emptied is no withdrawal', () => {
  const register = must(
    respond(
      EMPTY_REGISTER,
      { check: one, status: 'in-progress', owner: null, due: null, plan: null, cause: null, statedBy: 'M. Ortiz' },
      { now: NOW, id: 'a'.repeat(32), hasCheck: () => true },
    ),
  )
  const cells = [reference(one), '', '', '', '', '', '', ''].map((text) => ({ text, isFormula: false }))
  const rows = [
    { row: 1, cells: HEAD.map((text) => ({ text, isFormula: false })) },
    { row: 2, cells },
  ]
  const current = currentResponses(register, NOW)
  expect(readResponseTable(rows, { fleet: FLEET, checks, current }).problems).toEqual([
    'row 2: it is empty, but there is a response; withdraw it instead',
  ])
})

describe('formulas', () => {
  test('are not written, and cells that begin like one are read back as they were', async () => {
    const cells = ['=1+1', '+1', '-1', '@x', "'=1", "''=1", 'a;=b', "a;'=b", '"=1', 'plain', "it's"]
    expect(texts(await readBack('csv', [cells]))).toEqual([cells])
    expect(texts(await readBack('xlsx', [cells]))).toEqual([cells])
    for (const cell of csvOf([cells]).slice(1).trim().split(',')) expect(cell).not.toMatch(/^"?[=+\-@]/)
  })

  test('that a person entered are marked in CSV', async () => {
    const path = join(folder, 'formula.csv')
    writeFileSync(path, 'Plan,Owner\r\n="2027-03-01",- first\r\n')
    const read = await readTable(path)
    expect(read.ok && read.value[1]?.cells).toEqual([
      { text: '="2027-03-01"', isFormula: true },
      { text: '- first', isFormula: false },
    ])
  })

  test('that a person entered are marked in a workbook', async () => {
    const path = join(folder, 'formula.xlsx')
    writeFileSync(path, workbook('<row r="2"><c r="B2"><f>HYPERLINK("x")</f><v>5</v></c></row>'))
    expect(await readTable(path)).toEqual({
      ok: true,
      value: [
        {
          row: 2,
          cells: [
            { text: '', isFormula: false },
            { text: '5', isFormula: true },
          ],
        },
      ],
    })
  })
})

/** A stored or deflated archive of these parts, as small as can be. */
function archive(parts: Readonly<Record<string, string>>): Buffer {
  const entries: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const [path, text] of Object.entries(parts)) {
    const [bytes, packed] = [Buffer.from(text), deflateRawSync(Buffer.from(text))]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(path), packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    list.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, tail, Buffer.from(path)]))
    entries.push(local)
    at += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(list.length, 8)
  end.writeUInt16LE(list.length, 10)
  end.writeUInt32LE(Buffer.concat(list).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...entries, ...list, end])
}

const workbook = (rows: string, changes: Readonly<Record<string, string>> = {}): Buffer =>
  archive({
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    ...changes,
  })

describe('workbooks of other programs', () => {
  const read = async (bytes: Uint8Array) => {
    const path = join(folder, `other-${another()}.xlsx`)
    writeFileSync(path, bytes)
    return await readTable(path)
  }

  test('dates, numbers, inline texts, runs of a shared text and prefixes of names are read', async () => {
    const rows =
      '<row r="4"><c r="A4" s="1"><v>46447</v></c><c r="B4" s="2"><v>46447.75</v></c><c r="C4" s="0"><v>12</v></c><c r="D4" t="inlineStr"><is><t>a &lt; b</t></is></c><c r="E4" t="s"><v>0</v></c><c r="F4" t="b"><v>1</v></c></row>'
    const shared = '<sst><si><r><t>one </t></r><r><t>two_x0041_</t></r><rPh><t>guide</t></rPh></si></sst>'
    expect(await read(workbook(rows, { 'xl/sharedStrings.xml': shared }))).toMatchObject({
      ok: true,
      value: [{ row: 4 }],
    })
    const found = await read(workbook(rows, { 'xl/sharedStrings.xml': shared }))
    expect(found.ok && texts(found.value)).toEqual([['2027-03-01', '2027-03-01', '12', 'a < b', 'one twoA', 'TRUE']])
    const prefixed = await read(
      workbook('', {
        'xl/worksheets/sheet1.xml':
          '<x:worksheet><x:sheetData><x:row r="1"><x:c r="A1" t="str"><x:v>text</x:v></x:c></x:row></x:sheetData></x:worksheet>',
      }),
    )
    expect(prefixed.ok && texts(prefixed.value)).toEqual([['text']])
  })

  test.each<[string, () => Buffer, RegExp]>([
    ['a row far below', () => workbook('<row r="1048576"><c r="A1048576"><v>1</v></c></row>'), /more than 10000 rows/],
    ['a column far to the right', () => workbook('<row r="1"><c r="XFD1"><v>1</v></c></row>'), /more than 100 columns/],
    ['a cell nowhere', () => workbook('<row><c r="A99999999999"><v>1</v></c></row>'), /no valid place/],
    ['a text that is not there', () => workbook('<row r="1"><c r="A1" t="s"><v>7</v></c></row>'), /does not exist/],
    ['XML that is not closed', () => workbook('<row r="1"><c r="A1">'), /./],
    [
      'an entity that is declared',
      () =>
        workbook('<row r="1"><c r="A1" t="str"><v>&a;</v></c></row>', {
          'xl/workbook.xml': '<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook/>',
        }),
      /./,
    ],
    ['no workbook', () => archive({ 'a.txt': 'a' }), /not a workbook/],
    [
      'one that unpacks to far more',
      () => workbook('', { 'xl/media/zeros.xml': '0'.repeat(70 * 1024 * 1024) }),
      /unpack|larger|times/,
    ],
    ['a cut one', () => workbook('').subarray(0, 200), /./],
    [
      'a stated size that is too small',
      () => {
        const bytes = workbook('<row r="1"><c r="A1"><v>1</v></c></row>')
        const at = bytes.lastIndexOf('PK\u0001\u0002')
        bytes.writeUInt32LE(5, at + 24)
        return bytes
      },
      /./,
    ],
  ])('%s is refused', async (_, made, detail) => {
    const found = await read(made())
    expect(found).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(found.ok ? '' : found.error.detail).toMatch(detail)
  })

  test('empty cells far away are no content', async () => {
    expect(await read(workbook('<row r="1048576"><c r="XFD1048576" s="1"/></row>'))).toEqual({ ok: true, value: [] })
  })
})

test.each<[string, string | null, string, RegExp]>([
  ['nothing.csv', null, 'input.not-found', /does not exist/],
  ['table.ods', 'x', 'input.refused', /must end in .csv or .xlsx/],
  ['zero.csv', 'a\0b', 'input.refused', /not a text table/],
  ['rows.csv', 'a\n'.repeat(10_001), 'input.refused', /more than 10000 rows/],
  ['columns.csv', 'a,'.repeat(101), 'input.refused', /more than 100 columns/],
  ['quote.csv', '"a\nb', 'input.refused', /./],
  ['large.csv', 'a'.repeat(8 * 1024 * 1024 + 1), 'input.refused', /larger than 8 MiB/],
])('%s is refused', async (file, text, code, detail) => {
  const path = join(folder, file)
  if (text !== null) writeFileSync(path, text)
  const read = await readTable(path)
  expect(read).toMatchObject({ ok: false, error: { code } })
  expect(read.ok ? '' : read.error.detail).toMatch(detail)
})

test('a CSV of another country, with semicolons and in Windows-1252, is read', async () => {
  const path = join(folder, 'other.csv')
  writeFileSync(path, Buffer.from('Plan;Owner\r\n\r\nbr\xfccke;M\xfcller\r\n', 'latin1'))
  const read = await readTable(path)
  expect(read.ok && read.value.map(({ row: at }) => at)).toEqual([1, 3])
  expect(read.ok && texts(read.value)[1]).toEqual(['brücke', 'Müller'])
})

import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readEngagement } from '../main/adapters/declarations/engagement-file.ts'
import { inventoryRows, readInventoryTable } from '../main/adapters/declarations/inventory-file.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import type { DeclaredEngagement } from '../main/core/all-ports.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { withDefaults } from '../main/core/engagement/template.ts'
import { validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const fixtures = fileURLToPath(new URL('fixtures/engagement/', import.meta.url))
const folder = folderOfTests('engagement')
const fixture = (name: string): string => readFileSync(join(fixtures, name), 'utf8')

async function loaded(path: string): Promise<DeclaredEngagement> {
  return must(await readEngagement(path, null, catalog))
}

/** Problems of a text, the folder left off. */
async function problemsOf(
  text: string,
  list: string | Uint8Array = fixture('invoice.csv'),
): Promise<readonly string[]> {
  writeFileSync(join(folder, 'e.yaml'), text)
  writeFileSync(join(folder, 'invoice.csv'), list)
  const read = await readEngagement('e.yaml', join(folder, 'fleet.yaml'), catalog)
  return read.ok ? [] : read.error.detail.replaceAll(`${folder}/`, '').split('; ')
}

const SHORT = fixture('short.yaml')
const FULL = fixture('full.yaml')
/** A fixture with one piece of text changed, which must be there. */
const but = (text: string, from: string, to: string): string => {
  expect(text).toContain(from)
  return text.replace(from, to)
}

const withList = (more = ''): string =>
  `${SHORT}inventory: { source: a list, kind: order, file: invoice.csv, owner: M, on: 2026-11-18${more} }\n`

describe('an engagement file', () => {
  test('in eight lines; what may be empty is filled in', async () => {
    const { engagement, inventory } = await loaded(join(fixtures, 'short.yaml'))
    expect(inventory).toBeNull()
    expect(engagement).toMatchObject({
      reportingBasis: { kind: 'date', date: '2026-11-20' },
      status: 'draft',
      distribution: null,
      boundary: { services: [], sites: [], outside: [] },
      responsibilities: [],
      subserviceOrganizations: [],
      complementaryUserEntityControls: [],
      ephi: { stores: [], flows: [], owner: 'M. Ortiz', on: '2026-11-18' },
      inventory: null,
      signOff: [],
    })
    expect(validator.problems('engagement', engagement)).toEqual([])
  })

  test('with every part, and the list beside it', async () => {
    const { engagement, inventory } = await loaded(join(fixtures, 'full.yaml'))
    expect(validator.problems('engagement', engagement)).toEqual([])
    const bytes = readFileSync(join(fixtures, 'invoice.csv'))
    expect(inventory).toEqual(new Uint8Array(bytes))
    expect(engagement.inventory).toMatchObject({
      file: { name: 'invoice.csv', size: bytes.length, sha256: sha256(bytes) },
      rows: [
        { id: 'S-1001', name: 'gpu-01', address: '203.0.113.10', serial: 'ABC1234' },
        { id: 'S-1002', name: null, address: '203.0.113.11', serial: '0012345' },
        { id: 'S-1003', name: 'backup-9', address: null, serial: null },
        { id: 'line 6', name: null, address: null, serial: null },
      ],
      excluded: [{ id: 'S-1003' }, { id: 'line 6' }],
    })
    expect(engagement.reportingBasis).toEqual({ kind: 'period', from: '2026-01-01', to: '2026-12-31' })
    expect(engagement.population.nodes).toEqual(['gpu-01', 'gpu-02'])
    expect(engagement.ephi.stores[0]?.nodes).toEqual(['gpu-01', 'gpu-02'])
    expect(engagement.complementaryUserEntityControls[0]?.controls).toEqual([
      { framework: 'soc2', control: 'soc2:CC6.1' },
    ])
    expect(engagement.signOff[0]?.on).toBeNull()
  })

  test('as JSON, with a byte order mark, states the same', async () => {
    const { engagement } = await loaded(join(fixtures, 'short.yaml'))
    writeFileSync(join(folder, 'e.json'), `\ufeff${JSON.stringify(engagement, null, 2)}`)
    expect((await loaded(join(folder, 'e.json'))).engagement).toEqual(engagement)
  })

  test('with a day of fieldwork, or with the field left blank', async () => {
    writeFileSync(join(folder, 'e.yaml'), `${SHORT}fieldwork: 2027-03-01\n`)
    expect((await loaded(join(folder, 'e.yaml'))).engagement.fieldwork).toBe('2027-03-01')
    expect(await problemsOf(`${SHORT}fieldwork:\n`)).toEqual([])
  })

  test('a part that was begun and left blank counts as left out', async () => {
    expect(await problemsOf(`${SHORT}responsibilities:\nsignOff:\ninventory:\ndistribution:\n`)).toEqual([])
  })

  test.each([
    ['nothing', '', ['e.yaml:1:1: the document must be a mapping, not null']],
    ['no YAML', 'entity: [', [expect.stringMatching(/^e\.yaml:1:10: /)]],
    [
      'a list that holds itself',
      'entity: &x [*x]',
      expect.arrayContaining(['e.yaml:1:1: entity must be text, not a value that contains itself']),
    ],
    [
      'several things at once, each in its place',
      `${but(SHORT, 'owner: M. Ortiz\non: 2026-11-18', 'on: soon')}colour: red\n`,
      [
        'e.yaml:1:1: the document lacks “owner”',
        'e.yaml:8:1: colour is not a known field',
        'e.yaml:5:1: on is “soon”, must be a date such as 2027-03-01',
      ],
    ],
    [
      'a part without its owner',
      but(SHORT, 'owner: M. Ortiz, on: 2026-11-18 }\npop', 'on: 2026-11-18 }\npop'),
      ['e.yaml:7:1: boundary lacks “owner”'],
    ],
    [
      'a day that no calendar has',
      but(SHORT, 'date: 2026-11-20', 'date: 2026-02-29'),
      ['e.yaml:4:19: reportingBasis.date is “2026-02-29”, which is not a valid date'],
    ],
    [
      'a day of fieldwork that is none',
      `${SHORT}fieldwork: soon\n`,
      ['e.yaml:9:1: fieldwork is “soon”, must be a date such as 2027-03-01'],
    ],
    [
      'a day of fieldwork that no calendar has',
      `${SHORT}fieldwork: 2027-02-30\n`,
      ['e.yaml:9:1: fieldwork is “2027-02-30”, which is not a valid date'],
    ],
    [
      'a period that ends before it begins',
      but(FULL, 'to: 2026-12-31', 'to: 2025-12-31'),
      ['e.yaml:5:37: reportingBasis.to is “2025-12-31”, before the start date, “2026-01-01”'],
    ],
    ['half a period', but(SHORT, 'date: 2026-11-20', 'from: 2026-11-20'), ['e.yaml:4:1: reportingBasis lacks “to”']],
    [
      'a reportingBasis of another kind',
      but(SHORT, '{ date:', '{ kind: year, date:'),
      ['e.yaml:4:19: reportingBasis.kind must be date or period'],
    ],
    [
      'a report that lacks its end',
      but(FULL, ', to: 2026-09-30', ''),
      ['e.yaml:24:5: subserviceOrganizations[0].report lacks “to”'],
    ],
    [
      'a letter that bridges backwards',
      but(FULL, 'bridgedUntil: 2026-12-31', 'bridgedUntil: 2026-01-31'),
      [
        'e.yaml:24:70: subserviceOrganizations[0].report.bridgedUntil is before the end date of the report, “2026-09-30”',
      ],
    ],
    ['a note of the wrong kind', `${SHORT}distribution: 5\n`, ['e.yaml:9:1: distribution must be text, not 5']],
    [
      'names that the catalog does not have, all of them',
      but(but(but(FULL, 'cc6.1', 'CC66.1'), 'framework: hipaa', 'framework: hippa'), 'root-login', 'root'),
      [
        'e.yaml:26:63: subserviceOrganizations[0].controls[0].controls[0].framework is “hippa”, a framework that is not in the catalog',
        'e.yaml:33:35: complementaryUserEntityControls[0].controls[0].control is “CC66.1”, which is not in “soc2”',
        'e.yaml:34:14: complementaryUserEntityControls[0].checks[0] is “access.sshd.root”, a check that is not in the catalog',
      ],
    ],
    [
      'a node twice',
      but(SHORT, '[gpu-01, gpu-02]', '[gpu-01, GPU-01]'),
      ['e.yaml:8:55: population.nodes[1] is “gpu-01”, which occurs twice'],
    ],
    [
      'a store without a path from the root',
      but(FULL, '/data/ephi', 'data/ephi'),
      ['e.yaml:39:29: ephi.stores[0].path is “data/ephi”, must be an absolute path such as /data/ephi'],
    ],
    [
      'a row left out that the list does not have',
      but(FULL, 'id: S-1003', 'id: S-1004'),
      ['e.yaml:54:9: inventory.excluded[0].id is “S-1004”, which is not a row ID in “invoice.csv”'],
    ],
    [
      'an inventory of another kind and without a day',
      but(
        but(FULL, 'kind: invoice', 'kind: guess'),
        'owner: M. Ortiz\n  on: 2026-11-18\nsignOff',
        'owner: M. Ortiz\nsignOff',
      ),
      [
        'e.yaml:49:1: inventory lacks “on”',
        'e.yaml:51:3: inventory.kind must be one of portal-export, invoice, order, not “guess”',
      ],
    ],
  ])('is refused with %s', async (_, text, problems) => {
    expect(await problemsOf(text)).toEqual(problems)
  })

  test('whatever it holds, its defaults are put in without a throw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...FIELDS), fc.anything()), (value) => {
        expect(() => withDefaults(value)).not.toThrow()
      }),
      { numRuns: 300 },
    )
  })
})

const FIELDS = [
  'reportingBasis',
  'boundary',
  'ephi',
  'population',
  'inventory',
  'subserviceOrganizations',
  'signOff',
  'owner',
]

describe('the provider’s list', () => {
  test.each([
    ['is not there', 'missing.csv', 'e.yaml:9:43: inventory.file names “missing.csv”, which could not be read'],
    ['is a folder', 'folder', 'e.yaml:9:43: inventory.file names “folder”, which is not a regular file'],
    ['is too large', 'large.csv', 'e.yaml:9:43: inventory.file names “large.csv”, which is larger than 16 MiB'],
  ])('that %s is refused', async (_, name, problem) => {
    mkdirSync(join(folder, 'folder'), { recursive: true })
    writeFileSync(join(folder, 'large.csv'), '')
    truncateSync(join(folder, 'large.csv'), 50 * 1024 * 1024)
    expect(await problemsOf(but(withList(), 'invoice.csv', name))).toEqual([problem])
  })

  test('may be a link; its own name is what counts', async () => {
    writeFileSync(join(folder, 'real.csv'), fixture('invoice.csv'))
    symlinkSync('real.csv', join(folder, 'linked.csv'))
    expect(await problemsOf(but(withList(), 'invoice.csv', 'linked.csv'))).toEqual([])
  })

  const AT = 'e.yaml:9:43: inventory.file names “invoice.csv”,'
  test.each([
    ['is empty', '', '', [`${AT} which is empty`]],
    ['has headings alone', 'name,ip\n', '', [`${AT} which has a heading line but no entries`]],
    ['is a workbook', 'PK\u0003\u0004\0\0', '', [`${AT} which is not a text table. Save the list as CSV`]],
    [
      'has a quotation that never ends',
      'name,ip\n"a,1\n',
      '',
      [expect.stringMatching(/whose line \d+ is not a readable table: Quote Not Closed/)],
    ],
    [
      'names no server',
      'Invoice,2026\n1,2\n',
      '',
      [
        `${AT} whose line 1 has no column for the name, address or serial number of servers. Its columns: “Invoice”, “2026”. Assign them under “columns”`,
      ],
    ],
    [
      'has not the columns that were named',
      'Maschine,Nr,Nr\na,1,2\n',
      ', columns: { name: Rechner, serial: Nr }',
      [
        'e.yaml:9:99: inventory.columns.name is “Rechner”, but the list has no such column. Its columns: “Maschine”, “Nr”, “Nr”',
        'e.yaml:9:114: inventory.columns.serial is “Nr”, but the list has 2 such columns',
      ],
    ],
    [
      'names two rows alike',
      'id,name\nx,a\ny,b\nx,c\n',
      '',
      [
        `${AT} whose line 4 has the id “x”, as line 2 does. Name a unique column under “columns: id”, or set “id: null” to use line numbers`,
      ],
    ],
    [
      'has more cells than headings',
      'id,name\nx,a,b\n',
      '',
      [`${AT} whose line 2 has 3 columns, but there are 2 headings`],
    ],
    [
      'has a cell too long',
      `id,name\nx,${'a'.repeat(254)}\n`,
      '',
      [`${AT} whose line 2 has more than 253 characters in column “name”`],
    ],
    ['has more lines than we take', `name\n${'a\n'.repeat(20_001)}`, '', [`${AT} which has more than 20000 lines`]],
  ])('that %s is refused', async (_, list, more, problems) => {
    expect(await problemsOf(withList(more), list)).toEqual(problems)
  })

  const rowsOf = (text: string, columns = {}): readonly unknown[] => {
    const { rows, problems, columns: wrong } = inventoryRows(new TextEncoder().encode(text), columns)
    expect([...problems, ...wrong]).toEqual([])
    return rows.map(({ id, name, address, serial }) => [id, name, address, serial])
  }

  test.each([
    [
      'commas and a byte order mark',
      '\ufeffServer,IP\ngpu-01,10.0.0.1\n',
      {},
      [['line 2', 'gpu-01', '10.0.0.1', null]],
    ],
    ['semicolons', 'hostname;serial number\ngpu-01;A1\n', {}, [['line 2', 'gpu-01', null, 'A1']]],
    [
      'tabs, with an empty first cell',
      'Asset ID\tName\tS/N\n\tgpu-01\tA1\n7\t\tA2\n',
      {},
      [
        ['line 2', 'gpu-01', null, 'A1'],
        ['7', null, null, 'A2'],
      ],
    ],
    [
      'quoted cells, one over two lines',
      'id,name\nx,"gpu\n01"\ny,"say ""a"""\n',
      {},
      [
        ['x', 'gpu 01', null, null],
        ['y', 'say "a"', null, null],
      ],
    ],
    ['inches', 'id,server\nx,19" rack\n', {}, [['x', '19" rack', null, null]]],
    [
      'formulas, as text',
      'id,name\n=1+1,"=HYPERLINK(""http://x"")"\n+2,@SUM(A1)\n',
      {},
      [
        ['=1+1', '=HYPERLINK("http://x")', null, null],
        ['+2', '@SUM(A1)', null, null],
      ],
    ],
    [
      'columns by other names',
      'Kunde,Rechner,Adresse\nACME,gpu-01,10.0.0.1\n',
      { name: 'rechner ', address: 'Adresse' },
      [['line 2', 'gpu-01', '10.0.0.1', null]],
    ],
    [
      'a column that is not used',
      'id,name,serial\nx,a,1\nx,b,2\n',
      { id: null },
      [
        ['line 2', 'a', null, '1'],
        ['line 3', 'b', null, '2'],
      ],
    ],
    ['nothing in words', 'id,name,ip,serial\n-,N/A,none,unknown\n', {}, [['-', null, null, null]]],
    [
      'blank lines between',
      'name\n\na\n\nb\n',
      {},
      [
        ['line 3', 'a', null, null],
        ['line 5', 'b', null, null],
      ],
    ],
    ['invisible characters', 'id,name\nx,a\u202eb\n', {}, [['x', 'a\\u{202e}b', null, null]]],
    ['a short last line', 'id,name,ip\nx,a\n', {}, [['x', 'a', null, null]]],
  ])('is read with %s', (_, text, columns, rows) => {
    expect(rowsOf(text, columns)).toEqual(rows)
  })

  test.each([
    [
      'UTF-16 with its mark',
      new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from('name\nmünchen\n', 'utf16le'))]),
    ],
    ['Windows-1252', new Uint8Array(Buffer.from('name\nmünchen\n', 'latin1'))],
  ])('is read in %s', (_, bytes) => {
    expect(inventoryRows(bytes, {}).rows).toEqual([{ id: 'line 2', name: 'münchen', address: null, serial: null }])
  })

  test('20,000 rows are read', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `S-${at},gpu-${at},SN${at}`)
    expect(inventoryRows(new TextEncoder().encode(`id,name,serial\n${lines.join('\n')}\n`), {}).rows).toHaveLength(
      20_000,
    )
  })

  test('for any bytes, every line that holds anything is a row, or a problem is reported', () => {
    const cell = fc.constantFrom('a', 'b', '', '"', '""', ',', ';', '\t', '\n', '\r\n', '=', ' ', '\u0000', 'é')
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 40 }), (parts) => {
        const { rows, problems } = inventoryRows(new TextEncoder().encode(`name,ip\n${parts.join('')}`), {})
        expect(rows.length > 0 || problems.length > 0).toBe(true)
        for (const row of rows) if (problems.length === 0) expect(row.id).not.toBe('')
      }),
      { numRuns: 300 },
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void inventoryRows(bytes, {})))
  })
})

describe('a provider’s list by itself', () => {
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  test('gives its rows, its bytes and their digest', async () => {
    const text = 'id,hostname\nsrv-1,db-1\nsrv-2,\n'
    expect(await readInventoryTable(written('own.csv', text))).toEqual({
      ok: true,
      value: {
        file: { name: 'own.csv', size: text.length, sha256: sha256(text) },
        rows: [
          { id: 'srv-1', name: 'db-1', address: null, serial: null },
          { id: 'srv-2', name: null, address: null, serial: null },
        ],
        bytes: new TextEncoder().encode(text),
      },
    })
  })
  test.each([
    ['twice.csv', 'id,name\na,x\na,y\n', /“twice.csv”, line 3, has the id “a”, as line 2 does/],
    ['empty.csv', '', /“empty.csv” is empty/],
    ['other.csv', 'colour\nred\n', /has no column for the name, address or serial number/],
  ])('%s is refused with its line', async (name, text, words) => {
    const read = await readInventoryTable(written(name, text))
    expect(read.ok ? '' : `${read.error.code} ${read.error.detail}`).toMatch(words)
  })
  test('a folder is never read', async () =>
    expect(await readInventoryTable(folder)).toMatchObject({ ok: false, error: { code: 'input.refused' } }))
})

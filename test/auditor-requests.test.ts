import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { csvOf } from '../main/adapters/stored-file.ts'
import { xlsxOf } from '../main/adapters/xlsx-file.ts'
import { importAuditorList } from '../main/app/register/named.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { requestCommand } from '../main/cli/commands/request.ts'
import { EXIT } from '../main/cli/parts/options.ts'
import type { TableRow } from '../main/core/base/table.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { registerProblems } from '../main/core/register/problems.ts'
import { EMPTY_REGISTER, registerFor } from '../main/core/register/register.ts'
import {
  AUDITOR_STATUSES,
  auditorRequestsOf,
  currentAuditorRequests,
  stateAuditorRequest,
  withdrawAuditorRequest,
} from '../main/core/register/requests.ts'
import { entryOf, keysProblem, signablesIn } from '../main/core/register/signatures.ts'
import {
  auditorStatusOf,
  readRequestTable,
  requestSheet,
  requestTable,
} from '../main/present/formats/response-table.ts'
import { workbookOf } from '../main/present/formats/workbook.ts'
import { readEntries } from '../main/verify/steps/entries.ts'
import type { AuditorRequest, Register } from '../schemas/types.ts'
import { auditorStatusWords } from '../schemas/words.ts'
import { commandLine } from './support/command-line.ts'
import { validator } from './support/deps.ts'
import { fixtureRecording } from './support/fixtures.ts'
import { folderOfTests } from './support/folders.ts'
import { formatSample, shownAgain } from './support/format-sample.ts'
import { must } from './support/outcomes.ts'
import { PAGES } from './support/read-xlsx.ts'
import { sampleSigner } from './support/sample-pack.ts'
import { times } from './support/thorough.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const folder = folderOfTests('auditor-requests')
const ports = createPorts(catalog)
const input = formatSample()
const REQUESTS = catalog.requests.map(({ id }) => id)
const KINDS = ['csv', 'xlsx'] as const

const entryWith = (changes: Partial<AuditorRequest> = {}): AuditorRequest => ({
  id: 'a'.repeat(32),
  reference: 'PBC-7',
  title: 'Agreement with the provider',
  request: 'ER-31',
  status: 'returned',
  owner: 'K. Adeyemi',
  due: '2026-12-01T23:59:59.999Z',
  comment: 'Page 3 is missing.',
  statedBy: 'L. Auditor',
  statedAt: '2026-11-01T08:00:00.000Z',
  withdrawn: null,
  ...changes,
})
const withEntries = (...auditorRequests: readonly AuditorRequest[]): Register => ({
  ...EMPTY_REGISTER,
  auditorRequests,
})

let files = 0
async function readBack(
  kind: (typeof KINDS)[number],
  rows: readonly (readonly string[])[],
): Promise<readonly TableRow[]> {
  files += 1
  const path = join(folder, `${files}.${kind}`)
  writeFileSync(path, kind === 'csv' ? csvOf(rows) : await xlsxOf([requestSheet(rows)], PAGES))
  return must(await ports.readTable(path))
}

const importing = (register: Register, rows: readonly TableRow[]) => {
  let made = 0
  const bytes = (): Uint8Array => {
    made += 1
    return new Uint8Array(16).fill(made)
  }
  const doubles = { clock: { now: () => NOW }, entropy: { bytes } } as unknown as Parameters<
    typeof importAuditorList
  >[0]
  return importAuditorList(doubles, register, rows, { requests: REQUESTS, statedBy: 'L. Auditor', openSigner: null })
}

const HEAD = ['Reference', 'Request', 'Evidence request', 'Status', 'Owner', 'Due', 'Comment']
const rowWith = (changes: Readonly<Record<string, string>> = {}): readonly string[] =>
  HEAD.map((title) => changes[title] ?? { Reference: 'PBC-1', Request: 'Risk analysis', Status: 'Open' }[title] ?? '')

describe('an entry about a request', () => {
  test('fits the schema and the register', () => {
    const made = must(
      stateAuditorRequest(
        EMPTY_REGISTER,
        { ...entryWith(), reference: '  PBC  7 ', due: '2020-01-31', statedBy: ' L.  Auditor ' },
        { now: NOW, id: 'b'.repeat(32), hasRequest: (id) => id === 'ER-31' },
      ),
    )
    expect(made.auditorRequests).toMatchObject([
      { reference: 'PBC 7', due: '2020-01-31T23:59:59.999Z', statedBy: 'L. Auditor', statedAt: NOW },
    ])
    expect(validator.problems('register', made)).toEqual([])
    expect(registerProblems(made)).toEqual([])
  })

  test('the latest that is not withdrawn is current, of each reference; a later one has no effect yet', () => {
    const later = entryWith({ id: 'b'.repeat(32), status: 'accepted', statedAt: '2026-11-05T08:00:00.000Z' })
    const other = entryWith({ id: 'c'.repeat(32), reference: 'PBC-8' })
    const register = withEntries(later, entryWith(), other)
    const statusAt = (one: Register, asOf: string) => currentAuditorRequests(one, asOf).get('PBC-7')?.status
    expect(statusAt(register, NOW)).toBe('accepted')
    expect(statusAt(register, '2026-11-02T08:00:00.000Z')).toBe('returned')
    expect([...currentAuditorRequests(register, NOW).keys()]).toEqual(['PBC-7', 'PBC-8'])
    const taken = withdrawAuditorRequest(register, { id: later.id, by: 'M. Ortiz', reason: 'Wrong list.' }, NOW)
    expect(taken.ok && statusAt(taken.value, NOW)).toBe('returned')
    expect(taken.ok && auditorRequestsOf(taken.value)).toHaveLength(3)
  })

  test('two entries of one ID, and invalid times, are problems of the register', () => {
    expect(registerProblems(withEntries(entryWith(), entryWith({ reference: 'PBC-8' })))).toHaveLength(1)
    expect(registerProblems(withEntries(entryWith({ statedAt: '2026-02-30T00:00:00.000Z' })))).toHaveLength(1)
    expect(registerProblems(withEntries(entryWith({ due: '2026-02-30T00:00:00.000Z' })))).toHaveLength(1)
  })

  test('goes with every pack of the fleet, and names no node', () => {
    const register = withEntries(entryWith())
    expect(registerFor(register, { nodes: [], checks: [], frameworks: [] }).auditorRequests).toEqual([entryWith()])
  })
})

describe('requests of auditors change no result', () => {
  const entries = fc.array(
    fc.record({
      reference: fc.constantFrom('PBC-1', 'PBC-2', 'ER-31', 'ER-03'),
      request: fc.constantFrom(null, 'ER-31', 'ER-03', 'ER-18'),
      status: fc.constantFrom(...AUDITOR_STATUSES),
      statedAt: fc.constantFrom('2026-11-01T08:00:00.000Z', '2027-11-01T08:00:00.000Z'),
    }),
    { maxLength: 6 },
  )

  test('whatever their status: the assessment and the findings are the same bytes', () => {
    const nodes = input.assessment.nodes.slice(0, 2).map(({ node }) => node)
    const recordings = ['demo-shared-05', 'demo-gpu-01'].map((name) => fixtureRecording(name, catalog.probes))
    const { engagement: _, ...scope } = input.assessment.scope
    const evaluated = (register: Register) => {
      const assessment = assess({
        catalog,
        scope: { ...scope, population: nodes },
        recordings,
        asOf: input.assessment.asOf,
        register,
      })
      return JSON.stringify([assessment, shownAgain({ ...input, assessment, register }).shown])
    }
    const before = evaluated(input.register)
    fc.assert(
      fc.property(entries, (drafts) => {
        const auditorRequests = drafts.map((one, at) => entryWith({ ...one, id: String(at).padStart(32, '0') }))
        expect(evaluated({ ...input.register, auditorRequests })).toBe(before)
      }),
      { numRuns: times(6, 60) },
    )
  })
})

describe.each(KINDS)('a request list as %s', (kind) => {
  const register = withEntries(
    entryWith(),
    entryWith({ id: 'b'.repeat(32), reference: '=1+1', request: null, comment: '@x' }),
  )
  const current = (one: Register) => currentAuditorRequests(one, NOW)
  const exported = (one: Register) => requestTable({ ...input, register: one }, [...current(one).values()])

  test('comes back as it was written and states nothing new', async () => {
    const rows = exported(register)
    const read = readRequestTable(await readBack(kind, rows), current(register))
    expect(read).toEqual({ changed: [], unchanged: rows.length - 1, problems: [] })
  })

  test('lists each evidence request that no row of the auditor names, once', () => {
    const named = exported(register)
      .slice(1)
      .map(([reference]) => reference)
    expect(new Set(named).size).toBe(named.length)
    expect(named).not.toContain('ER-31')
    expect(
      exported(EMPTY_REGISTER)
        .slice(1)
        .map(([reference]) => reference),
    ).toContain('ER-31')
  })

  test('fills an empty register; a status that changes is a new entry of the same reference', async () => {
    const first = must(
      await importing(EMPTY_REGISTER, await readBack(kind, [HEAD, rowWith(), rowWith({ Reference: 'PBC-2' })])),
    )
    expect(first).toMatchObject({ added: [expect.any(String), expect.any(String)], unchanged: 0 })
    const moved = await importing(
      first.register,
      await readBack(kind, [HEAD, rowWith({ Status: 'accepted' }), rowWith({ Reference: 'PBC-2' })]),
    )
    // One moment for both imports: of these, the entry with the last id counts.
    expect(moved.ok && moved.value).toMatchObject({ unchanged: 1 })
    expect(moved.ok && auditorRequestsOf(moved.value.register).map(({ status }) => status)).toEqual([
      'open',
      'open',
      'accepted',
    ])
  })

  test('of an auditor with other titles and words is read', async () => {
    const made = must(
      await importing(
        EMPTY_REGISTER,
        await readBack(kind, [
          ['No.', 'Description', 'Assigned to', 'Due date', 'Status', 'Notes', 'Sample size'],
          ['1', 'Policies', 'K. Adeyemi', '2026-01-31', 'Flagged', 'Not approved.', '3'],
          ['2', 'Invoices', '', '', '', '', ''],
        ]),
      ),
    )
    expect(auditorRequestsOf(made.register)).toMatchObject([
      { reference: '1', title: 'Policies', status: 'returned', owner: 'K. Adeyemi', comment: 'Not approved.' },
      { reference: '2', status: 'open', owner: null, due: null },
    ])
  })

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['no reference', { Reference: '' }, /row 3: it has no reference/],
    ['a reference twice', { Reference: 'PBC-1' }, /row 3: “PBC-1” is in row 2 as well/],
    ['an unknown status', { Status: 'Perhaps' }, /row 3: the status “Perhaps” is not one of Open, Ready/],
    ['a status of every object', { Status: 'constructor' }, /row 3: the status/],
    ['an unknown evidence request', { 'Evidence request': 'ER-999' }, /row 3: there is no evidence request “ER-999”/],
    ['a day in another form', { Due: '31.1.2027' }, /row 3: the due day must be a date/],
    ['no request', { Request: '' }, /row 3: the request must have at least 3/],
    ['a long comment', { Comment: 'x'.repeat(2001) }, /row 3: the comment must have at most 2000/],
  ])('with %s is refused as a whole', async (_, changes, detail) => {
    const rows = await readBack(kind, [HEAD, rowWith(), rowWith({ Reference: 'PBC-2', ...changes })])
    const made = await importing(EMPTY_REGISTER, rows)
    expect(made).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(made.ok ? '' : made.error.detail).toMatch(detail)
    expect(made.ok ? '' : made.error.detail).toMatch(/Nothing was stored$/)
  })

  test('without a needed column is refused', async () => {
    const made = await importing(EMPTY_REGISTER, await readBack(kind, [['Reference'], ['PBC-1']]))
    expect(made.ok ? '' : made.error.detail).toMatch(/no column “request”, “status”/)
  })
})

test('a formula is refused, whatever it results in', () => {
  const cell = (text: string, isFormula = false) => ({ text, isFormula })
  const rows = [
    { row: 1, cells: HEAD.map((title) => cell(title)) },
    { row: 2, cells: [cell('PBC-1'), cell('Risk analysis'), cell(''), cell('accepted', true)] },
  ]
  expect(readRequestTable(rows, new Map()).problems).toEqual([expect.stringMatching(/^row 2: “status” is a formula/)])
})

test.each(AUDITOR_STATUSES)('the status %s is read in each form in which it is written', (status) => {
  expect(auditorStatusOf(auditorStatusWords[status])).toBe(status)
  expect(auditorStatusOf(status)).toBe(status)
})

test('the workbook lists requests of auditors next to what is on file; without any there is no sheet', () => {
  const sheets = workbookOf(shownAgain({ ...input, register: { ...input.register, auditorRequests: [entryWith()] } }))
  const [, row] = sheets.find(({ name }) => name === 'Auditor requests')?.rows ?? []
  expect(row).toContain('PBC-7')
  expect(row).toContain('Returned')
  expect(row?.at(-1)).toMatch(/^ER-31 .*: held;/)
  expect(workbookOf(input).some(({ name }) => name === 'Auditor requests')).toBe(false)
})

describe('the command', () => {
  const cli = commandLine(() => ports, requestCommand)
  const [register, table, identities, secret] = ['register.json', 'list.csv', 'identities', 'secret'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  const recording = join(folder, 'demo-guest-03')
  const stored = (): readonly AuditorRequest[] =>
    auditorRequestsOf(JSON.parse(readFileSync(register, 'utf8')) as Register)
  const imported = (...more: readonly string[]) =>
    cli.run('request', 'import', table, '--register', register, '--by', 'L. Auditor', ...more)

  beforeAll(async () => {
    await ports.writeRecording(recording, fixtureRecording('demo-guest-03', catalog.probes))
    mkdirSync(identities)
    await sampleSigner(identities, 'auditor')
    writeFileSync(secret, 'a long passphrase\n')
    chmodSync(secret, 0o600)
  })
  beforeEach(() => {
    rmSync(register, { force: true })
    writeFileSync(table, csvOf([HEAD, rowWith(), rowWith({ Reference: 'PBC-2', Status: 'Returned' })]))
  })

  test('imports, lists, exports and withdraws', async () => {
    expect(await imported()).toBe(EXIT.done)
    expect(cli.told).toContain('Not digitally signed')
    expect(stored().map(({ status }) => status)).toEqual(['open', 'returned'])
    expect(await cli.run('request', 'list', '--register', register)).toBe(EXIT.done)
    expect(cli.told).toMatch(/PBC-2 {2}Returned/)
    const out = join(folder, 'again.xlsx')
    expect(await cli.run('request', 'export', recording, '--register', register, '--out', out)).toBe(EXIT.done)
    const again = await cli.run('request', 'import', out, '--register', register, '--by', 'L. Auditor')
    expect(again).toBe(EXIT.done)
    expect(cli.told).toMatch(/^0 requests recorded/)
    const withdrawn = await cli.run(
      ...['request', 'withdraw', 'PBC-2', '--register', register, '--by', 'M. Ortiz', '--reason', 'Wrong list.'],
    )
    expect(withdrawn).toBe(EXIT.done)
    expect(stored().map((one) => one.withdrawn === null)).toEqual([true, false])
  })

  test('signs each entry, and a changed status is then named', async () => {
    const key = ['--identity', 'auditor', '--identity-folder', identities, '--passphrase-file', secret]
    expect(await imported(...key)).toBe(EXIT.done)
    const read = JSON.parse(readFileSync(register, 'utf8')) as Register
    expect(signablesIn(read)).toHaveLength(2)
    for (const { id } of stored()) {
      const entry = entryOf(read, id)
      expect(entry?.signatures).toMatchObject([{ role: 'respondent' }])
      expect(entry && keysProblem(entry)).toBeNull()
    }
    const { reader } = ports.sealing
    expect((await readEntries(reader, read)).problems).toEqual([])
    const forged = { ...read, auditorRequests: stored().map((one) => ({ ...one, status: 'accepted' as const })) }
    expect((await readEntries(reader, forged)).problems).toHaveLength(2)
    const unsigned = withEntries(entryWith())
    expect((await readEntries(reader, unsigned)).notes.join(' ')).toMatch(
      /1 of 1 entries about requests of auditors is not/,
    )
  })

  test('refuses a table that is not valid, and no register begins', async () => {
    writeFileSync(table, csvOf([HEAD, rowWith({ Status: 'Perhaps' })]))
    expect(await imported()).toBe(EXIT.usage)
    expect(existsSync(register)).toBe(false)
  })
})

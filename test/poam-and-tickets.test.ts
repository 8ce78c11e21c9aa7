import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { csvOf, csvPieces } from '../main/adapters/stored-file.ts'
import { xlsxOf } from '../main/adapters/xlsx-file.ts'
import { alsoFiles, jiraTable, serviceNowTable } from '../main/app/export/output-files.ts'
import { poamSheets } from '../main/present/formats/grids/poam.ts'
import { severityWords } from '../schemas/conclusion-words.ts'
import type { Deviation } from '../schemas/types.ts'
import { enlarged, formatSample, shownAgain } from './support/format-sample.ts'
import { PAGES, readXlsx } from './support/read-xlsx.ts'

const input = formatSample()
const { findings } = input.shown

/** Rows below a head, by its titles. */
type Rows = readonly Readonly<Record<string, string>>[]
const byTitle = (rows: readonly (readonly (string | number)[])[]): Rows =>
  rows.slice(1).map((row) => Object.fromEntries((rows[0] ?? []).map((title, at) => [title, String(row[at] ?? '')])))

const sheetsOf = async (one: typeof input) => readXlsx(await xlsxOf(poamSheets(one), PAGES)).sheets
const OPEN = 'Open POA&M Items'
const CLOSED = 'Closed POA&M Items'

describe('the plan of action and milestones', () => {
  test('has the columns of the FedRAMP template in their order, on both sheets', async () => {
    const sheets = await sheetsOf(input)
    expect([...sheets.keys()]).toEqual([OPEN, CLOSED, 'About'])
    const head = sheets.get(OPEN)?.[0] ?? []
    expect(head).toHaveLength(31)
    expect([head[0], head[6], head[10], head[15], head[18], head[26], head[27], head[29], head[30]]).toEqual([
      'POAM ID',
      'Asset Identifier',
      'Original Detection Date',
      'Vendor Dependency',
      'Original Risk Rating',
      'Auto-Approve',
      'Binding Operational Directive 22-01 tracking',
      'CVE',
      'Service Name',
    ])
    expect(sheets.get(CLOSED)).toEqual([head])
  })

  test('has one open item per finding, with the words and numbers of the report', async () => {
    const rows = byTitle((await sheetsOf(input)).get(OPEN) ?? [])
    expect(
      rows.map((row) => [
        row['POAM ID'],
        row['Weakness Source Identifier'],
        row['Weakness Name'],
        row['Original Risk Rating'],
        row['Asset Identifier']?.split('\n').length,
      ]),
    ).toEqual(
      findings.map(({ reference, check, title, severity, deviations }) => [
        reference,
        check,
        title,
        severityWords[severity.level],
        deviations.length,
      ]),
    )
  })

  test('names the controls of the frameworks in scope where none of NIST SP 800-53 is mapped', async () => {
    const frameworks = input.catalog.frameworks.filter(({ id }) => id !== 'nist-800-53')
    const shown = byTitle((await sheetsOf({ ...input, catalog: { ...input.catalog, frameworks } })).get(OPEN) ?? [])
    const row = shown.find((one) => one['Weakness Source Identifier'] === 'vuln.eol')
    expect(row?.Controls).toMatch(/^HIPAA 164\.\S+.*, SOC 2 CC\d/)
    const mapped = new Set(
      frameworks.flatMap(({ controls }) => controls.flatMap((one) => one.mappings)).map((one) => one.check),
    )
    for (const { Controls, 'Weakness Source Identifier': check = '' } of shown)
      expect(Controls === '', check).toBe(!mapped.has(check))
    const nist = byTitle((await sheetsOf(input)).get(OPEN) ?? [])
    expect(nist.find((one) => one['Weakness Source Identifier'] === 'vuln.eol')?.Controls).toMatch(/^[A-Z]{2}-\d/)
  })

  test('fills in what management states, and nothing that an authorizing official decides', async () => {
    const rows = byTitle((await sheetsOf(input)).get(OPEN) ?? [])
    const row = (check: string) => rows.find((one) => one['Weakness Source Identifier'] === check)
    expect(row('vuln.eol')).toMatchObject({
      'Point of Contact': 'K. Adeyemi',
      'Overall Remediation Plan': 'New image',
      'Scheduled Completion Date': '2026-12-15',
      'Status Date': '2026-11-10',
      'Operational Requirement': 'Pending',
      'Adjusted Risk Rating': 'N/A',
      'Risk Adjustment': 'No',
    })
    expect(row('vuln.eol')?.['Deviation Rationale']).toContain('until 2027-03-01')
    expect(row('access.sshd.password-auth')).toMatchObject({
      'Point of Contact': '',
      'Scheduled Completion Date': '',
      'Operational Requirement': 'No',
      'Deviation Rationale': '',
    })
    for (const one of rows) expect(['Yes', 'Approved']).not.toContain(one['Operational Requirement'])
    const provider = new Set(
      input.remediations.filter(({ whoCanChange }) => whoCanChange === 'provider').map(({ check }) => check),
    )
    for (const one of rows)
      expect(one['Vendor Dependency'] === 'Yes').toBe(provider.has(one['Weakness Source Identifier'] ?? ''))
  })

  test('counts the nodes on which the check is inconclusive, next to those tested and not tested', async () => {
    const rows = byTitle((await sheetsOf(input)).get(OPEN) ?? [])
    const undecided = findings.filter(({ inconclusive }) => inconclusive.length > 0)
    expect(undecided.length).toBeGreaterThan(0)
    for (const { reference, inconclusive, untested } of undecided) {
      const counts = `; inconclusive: ${inconclusive.length}; not tested: ${untested.length}.`
      expect(rows.find((row) => row['POAM ID'] === reference)?.Comments).toContain(counts)
    }
  })

  test('lists what later runs confirm as closed; what other nodes still have stays open', async () => {
    const moment = { run: 'earlier', at: '2026-11-13T08:00:00.000Z' }
    const known = new Set([...findings, ...input.shown.informational].map(({ check }) => check))
    const clean = input.catalog.severities.find(({ check }) => !known.has(check))?.check ?? ''
    const fixed = (check: string): Deviation => ({
      node: 'demo-gpu-01',
      check,
      found: moment,
      lastSeen: moment,
      fixed: { run: 'confirming', at: '2026-11-20T09:12:00.000Z' },
      open: false,
      runs: 1,
      unknown: 0,
    })
    const earlier = { runs: [], deviations: [fixed(clean), fixed('vuln.eol')] }
    const sheets = await sheetsOf(shownAgain(Object.assign({}, input, { earlier })))
    expect(
      byTitle(sheets.get(CLOSED) ?? []).map((row) => [row['Weakness Source Identifier'], row['Status Date']]),
    ).toEqual([[clean, '2026-11-20']])
    const eol = byTitle(sheets.get(OPEN) ?? []).find((row) => row['Weakness Source Identifier'] === 'vuln.eol')
    expect(eol?.['Milestone Changes']).toContain('confirming')
  })

  test('of a large fleet no cell has more lines than a program opens', () => {
    const cells = poamSheets(enlarged(input, 700)).flatMap(({ rows }) => rows.flat())
    const lines = cells.map((cell) => String(cell).split('\n').length)
    expect(Math.max(...lines)).toBeGreaterThan(100)
    expect(Math.max(...lines)).toBeLessThanOrEqual(253)
    expect(cells.some((cell) => / more$/.test(String(cell)))).toBe(true)
  })
})

describe('tickets', () => {
  const read = (table: readonly (readonly string[])[]): Rows =>
    byTitle(parse(csvOf(table), { bom: true }) as string[][])
  const jira = read(jiraTable(input))
  const serviceNow = read(serviceNowTable(input))

  test('one per finding, under its reference, so that a second import finds the first', () => {
    const references = findings.map(({ reference }) => reference)
    expect(jira.map((row) => row['External ID'])).toEqual(references)
    expect(serviceNow.map((row) => row.correlation_id)).toEqual(references)
    const again = read(jiraTable({ ...formatSample(), packName: 'later.zip' }))
    expect(again.map((row) => row['External ID'])).toEqual(references)
    for (const [at, reference] of references.entries()) expect(jira[at]?.Labels?.split(' ')).toContain(reference)
  })

  test('priority follows the severity of the finding', () => {
    const jiraOf = { critical: 'Highest', high: 'High', medium: 'Medium', low: 'Low', info: 'Lowest' }
    const serviceNowOf = { critical: '1', high: '2', medium: '3', low: '4', info: '5' }
    for (const [at, { severity, reference }] of findings.entries()) {
      expect(jira[at]?.Priority, reference).toBe(jiraOf[severity.level])
      expect(serviceNow[at]?.priority, reference).toBe(serviceNowOf[severity.level])
    }
  })

  test('state on how many nodes the check is inconclusive', () => {
    for (const [at, { inconclusive }] of findings.entries())
      if (inconclusive.length > 0) expect(jira[at]?.Description).toContain(`\nInconclusive: ${inconclusive.length}\n`)
      else expect(jira[at]?.Description).not.toContain('\nInconclusive')
  })

  test('due day and owner are those that management states', () => {
    const at = findings.findIndex(({ check }) => check === 'vuln.eol')
    expect([jira[at]?.['Due date'], jira[at]?.Assignee]).toEqual(['2026-12-15', 'K. Adeyemi'])
    expect([serviceNow[at]?.due_date, serviceNow[at]?.assigned_to]).toEqual(['2026-12-15 23:59:59', 'K. Adeyemi'])
    const other = findings.findIndex(({ response }) => response === null)
    expect([jira[other]?.['Due date'], jira[other]?.Assignee, serviceNow[other]?.due_date]).toEqual(['', '', ''])
  })

  test('begin with the name of their first column, which an importer compares byte by byte', async () => {
    const ports = { csvPieces, tidyMemory: () => undefined } as unknown as Parameters<typeof alsoFiles>[0]
    const firsts: string[] = []
    for await (const [, content] of alsoFiles(ports, ['tickets'], input as never))
      firsts.push([...(content as Iterable<string>)].join('').split(',')[0] ?? '')
    expect(firsts).toEqual(['Summary', 'short_description'])
    expect(csvOf([['a']]).startsWith('\ufeff')).toBe(true)
  })

  test('a summary fits both tools, and no line of a description begins like a formula', () => {
    for (const row of jira) {
      expect(row.Summary?.length).toBeLessThanOrEqual(160)
      expect(row.Description?.split('\n').filter((line) => /^[\s"']*[=+\-@]/.test(line))).toEqual([])
      expect(row.Description?.split('\n').length).toBeGreaterThan(6)
    }
  })
})

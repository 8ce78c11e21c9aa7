import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { complementaryTable } from '../main/app/export/output-files.ts'
import { complementaryGrid, coverageOf } from '../main/present/formats/grids/complementary-controls.ts'
import type { GridCell } from '../main/present/formats/grids/grid.ts'
import type { FormatInput } from '../main/present/formats/input.ts'
import { workbookOf } from '../main/present/formats/workbook.ts'
import type { Engagement, Period } from '../schemas/types.ts'
import { formatSample, shownAgain } from './support/format-sample.ts'

const input = formatSample()
const engagement = input.assessment.scope.engagement as Engagement
const OWNED = { owner: 'M. Ortiz', on: '2026-11-01' }
const DECLARED: Partial<Engagement> = {
  reportingBasis: { kind: 'period', from: '2026-01-01', to: '2026-12-31' },
  subserviceOrganizations: [
    {
      name: 'A provider',
      services: 'Servers',
      method: 'carve-out',
      report: { title: 'SOC 2 report', from: '2025-10-01', to: '2026-09-30', bridgedUntil: '2026-11-30' },
      controls: [{ text: 'Guards the premises.', controls: [{ framework: 'soc2', control: 'soc2:CC6.4' }] }],
      ...OWNED,
    },
    { name: 'A log service', services: 'Logs', method: 'inclusive', report: null, controls: [], ...OWNED },
  ],
  complementaryUserEntityControls: [
    {
      id: 'CUEC-1',
      of: 'A provider',
      text: 'The customer removes accounts of leavers.',
      controls: [{ framework: 'soc2', control: 'soc2:CC6.2' }],
      checks: ['access.unique-accounts'],
      ...OWNED,
    },
  ],
}

const declared = (changes: Partial<Engagement> = {}): FormatInput =>
  shownAgain({
    ...input,
    assessment: {
      ...input.assessment,
      scope: { ...input.assessment.scope, engagement: { ...engagement, ...DECLARED, ...changes } },
    },
  })
const rowsOf = (from: FormatInput): readonly Readonly<Record<string, GridCell>>[] => {
  const { columns, rows } = complementaryGrid(from)
  return rows.map((row) => Object.fromEntries(columns.map(({ title }, at) => [title, row[at] ?? ''])))
}

describe('the matrix of complementary controls', () => {
  const rows = rowsOf(declared())

  test('has each control with the report that it comes from and the results next to it', () => {
    expect(rows.map(({ kind, organization }) => `${kind}: ${organization}`)).toEqual([
      'Complementary user entity control: A provider',
      'Complementary subservice organization control (carve-out): A provider',
      'Control of the subservice organization (inclusive): A log service',
    ])
    expect(rows[0]).toMatchObject({
      id: 'CUEC-1',
      'report on file': 'SOC 2 report',
      'check results': [expect.stringMatching(/^access.unique-accounts: \d/)],
      'relevant to': [expect.stringContaining('CC6.2')],
    })
    expect(rows[2]?.['report on file']).toBe('None on file')
  })

  test('counts how much of the period the report covers: a bridge letter apart, and the rest as not covered', () => {
    const [first] = rows
    expect(first).toMatchObject({
      'reporting basis': '2026-01-01 to 2026-12-31 (Type 2)',
      'days of the reporting basis': 365,
      'of these, in the period of the report': 273,
      'of these, in a bridge letter alone': 61,
      'of these, not covered': 31,
    })
    expect(rows[2]).toMatchObject({ 'days of the reporting basis': 365, 'of these, not covered': 365 })
  })

  test('of a Type 1 report is about one day', () => {
    const [first] = rowsOf(declared({ reportingBasis: { kind: 'date', date: '2026-12-15' } }))
    expect(first).toMatchObject({
      'reporting basis': 'As of 2026-12-15 (Type 1)',
      'days of the reporting basis': 1,
      'of these, not covered': 1,
    })
  })

  test('leaves review, deviations of the report and conclusion to people', () => {
    for (const row of rows)
      expect(Object.entries(row).filter(([title, cell]) => title.includes('entered by people') && cell !== '')).toEqual(
        [],
      )
  })

  test('is a sheet of the workbook only where something is declared', () => {
    const named = (from: FormatInput) => workbookOf(from).some(({ name }) => name === 'CUEC and CSOC')
    expect([named(declared()), named(input)]).toEqual([true, false])
  })

  test('of a period has its days and node tests, and none without a declaration', () => {
    const check = {
      check: 'access.unique-accounts',
      population: 9,
      tested: 8,
      notSatisfied: 2,
      inconclusive: 1,
      notTested: 0,
    }
    const period = {
      from: '2026-11-01',
      to: '2026-11-20',
      engagement: { ...engagement, ...DECLARED },
      conclusions: {
        controls: [{ conclusion: { framework: 'soc2', control: 'soc2:CC6.2', state: 'deviations', checks: [check] } }],
      },
    } as unknown as Period
    const [, first] = complementaryTable(period, input.catalog)
    expect(first?.join(' | ')).toContain('access.unique-accounts: deviations in 2 of 8 node tests')
    expect(first?.join(' | ')).toContain('CC6.2')
    expect(first).toContain('2026-11-01 to 2026-11-20 (Type 2)')
    expect(complementaryTable({ ...period, engagement: null }, input.catalog)).toHaveLength(1)
  })
})

describe('coverage of a reporting basis', () => {
  const day = fc
    .integer({ min: 0, max: 1200 })
    .map((at) => new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10))

  test('adds up, whatever the order of the days', () => {
    fc.assert(
      fc.property(day, day, day, day, fc.option(day), (a, b, from, to, bridgedUntil) => {
        const [start, end] = [a, b].sort() as [string, string]
        const covered = coverageOf({ from: start, to: end }, { from, to, bridgedUntil })
        expect(covered).not.toBeNull()
        const { all = 0, inReport = -1, bridged = -1, open = -1 } = covered ?? {}
        expect(all).toBe((Date.parse(end) - Date.parse(start)) / 86_400_000 + 1)
        expect(inReport + bridged + open).toBe(all)
        expect(Math.min(inReport, bridged, open)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('a date that does not exist covers nothing', () => {
    expect(
      coverageOf(
        { from: '2026-01-01', to: '2026-12-31' },
        { from: '2026-02-30', to: '2026-12-31', bridgedUntil: null },
      ),
    ).toBeNull()
  })
})

import { describe, expect, test } from 'vitest'
import { hipaa } from '../main/catalog/definition/frameworks/frameworks.ts'
import { HIPAA_VIEWS, loadViews } from '../main/catalog/definition/frameworks/views.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { Grid, GridCell } from '../main/present/formats/grids/grid.ts'
import { hipaaSheets } from '../main/present/formats/grids/hipaa.ts'
import type { FormatInput } from '../main/present/formats/input.ts'
import { practiceRows } from '../main/present/period-report.ts'
import { RISK_AREAS } from '../schemas/conclusion-words.ts'
import type { CalendarDay, ControlAssessment, Period } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { formatSample, shownAgain } from './support/format-sample.ts'

const input = formatSample()
const gridOf = (name: string, from: FormatInput = input): Grid => {
  const found = hipaaSheets(from).find((one) => one.name === name)
  if (found === undefined) throw new Error(`no sheet ${name}`)
  return found.grid
}

type Row = Readonly<Record<string, GridCell>>
const rowsOf = ({ columns, rows }: Grid): readonly Row[] =>
  rows.map((row) => Object.fromEntries(columns.map(({ title }, at) => [title, row[at] ?? ''])))
const textOf = (cell: GridCell | undefined): string => (Array.isArray(cell) ? cell.join('\n') : String(cell ?? ''))
const byPeople = (row: Row): readonly string[] =>
  Object.entries(row).flatMap(([title, cell]) => (title.includes('entered by people') ? [textOf(cell)] : []))

describe('data of the views', () => {
  test('each view names its sources and what it does not show', () => {
    for (const view of Object.values(HIPAA_VIEWS)) {
      expect(view.sources.length).toBeGreaterThan(0)
      expect(view.notShown.length).toBeGreaterThan(40)
    }
    expect(JSON.stringify(HIPAA_VIEWS)).not.toMatch(new RegExp(BANNED.map(({ source }) => source).join('|'), 'i'))
  })

  test('each risk area has one threat', () => {
    expect(HIPAA_VIEWS.riskAnalysis.threats.map(({ riskArea }) => riskArea).sort()).toEqual([...RISK_AREAS].sort())
  })

  test('the risk analysis has the nine elements of the guidance of OCR', () => {
    expect(HIPAA_VIEWS.riskAnalysis.elements.map(({ id }) => id)).toEqual([
      'scope',
      'data-collection',
      'threats-and-vulnerabilities',
      'current-measures',
      'likelihood',
      'impact',
      'level',
      'documentation',
      'review',
    ])
  })

  test('the clauses are those of 164.314(a)(2) and 164.504(e)', () => {
    expect(HIPAA_VIEWS.agreement.clauses.map(({ clause }) => clause)).toEqual([
      '164.308(b)(3)',
      ...['(i)(A)', '(i)(B)', '(i)(C)', '(ii)', '(iii)'].map((part) => `164.314(a)(2)${part}`),
      '164.504(e)(2)(i)',
      ...[...'ABCDEFGHIJ'].map((letter) => `164.504(e)(2)(ii)(${letter})`),
      '164.504(e)(2)(iii)',
      '164.504(e)(5)',
    ])
  })

  const { agreement } = HIPAA_VIEWS
  const [clause] = agreement.clauses
  if (clause === undefined) throw new Error('no clause')
  test.each([
    ['an unknown check', { clauses: [{ ...clause, checks: ['no.such-check'] }] }],
    ['an unknown request', { clauses: [{ ...clause, requests: ['ER-999'] }] }],
    ['a clause twice', { clauses: [clause, clause] }],
    ['no source', { sources: [] }],
  ])('%s stops the program', (_, changes) => {
    expect(() => loadViews({ ...HIPAA_VIEWS, agreement: { ...agreement, ...changes } })).toThrow()
  })
})

describe('input to a risk analysis', () => {
  const rows = rowsOf(gridOf('Risk analysis input'))

  test('has one row per finding, with its condition and reference', () => {
    expect(rows.map((row) => row.finding)).toEqual(input.shown.findings.map(({ reference }) => reference))
    expect(rows.map((row) => row['vulnerability (finding)'])).toEqual(
      input.shown.findings.map(({ condition }) => condition),
    )
    expect(rows.every((row) => row.threat !== '')).toBe(true)
  })

  test('leaves likelihood, impact, level of risk and decision to people', () => {
    for (const row of rows) expect(byPeople(row)).toEqual(['', '', '', ''])
  })

  test('states a measure only where its check is satisfied on nodes of the finding', () => {
    for (const [at, row] of rows.entries()) {
      const finding = input.shown.findings[at]
      for (const line of textOf(row['existing measures, as observed']).split(' | ').filter(Boolean)) {
        const [check = '', count = ''] = /^(\S+): satisfied on (\d+) of /.exec(line)?.slice(1) ?? []
        const nodes = input.assessment.nodes.filter(({ node }) =>
          finding?.deviations.some(({ subject }) => subject === node),
        )
        const satisfied = nodes.filter(({ results }) =>
          results.some((one) => one.check === check && one.verdict === 'satisfied'),
        )
        expect(satisfied.length, line).toBe(Number(count))
      }
    }
    expect(rows.some((row) => row['existing measures, as observed'] !== '')).toBe(true)
  })

  test('has what management states as a compensating control, and no other', () => {
    const row = rows.find(
      ({ finding }) => finding === input.shown.findings.find((one) => one.check === 'vuln.eol')?.reference,
    )
    expect(row?.['compensating controls, as stated by management']).toBe(
      input.register.riskAcceptances[0]?.compensatingControl,
    )
  })

  test('the elements that nothing observed answers are left to people', () => {
    const elements = rowsOf(gridOf('Risk analysis elements'))
    expect(elements).toHaveLength(9)
    for (const id of ['likelihood', 'impact', 'level']) {
      const at = HIPAA_VIEWS.riskAnalysis.elements.findIndex((one) => one.id === id)
      expect(elements[at]?.['in this evidence'], id).toMatch(/^Nothing/)
    }
    for (const row of elements) expect(byPeople(row)).toEqual([''])
  })
})

describe('checklist for the agreement', () => {
  const clauseOf = (from: FormatInput, section: string): Row | undefined =>
    rowsOf(gridOf('Business associate', from)).find((row) => row.section === section && row.part === 'Clause')

  test('states no clause as present, whatever is on file', () => {
    for (const row of rowsOf(gridOf('Business associate'))) expect(byPeople(row)).toEqual(['', '', ''])
  })

  test('a requested document is held only where it was inspected', () => {
    const without = shownAgain({
      ...input,
      register: EMPTY_REGISTER,
      assessment: assess({
        catalog: input.catalog,
        scope: input.assessment.scope,
        recordings: [],
        asOf: input.assessment.asOf,
        register: EMPTY_REGISTER,
      }),
    })
    expect(textOf(clauseOf(input, '164.314(a)(2)(i)(A)')?.['requested documents'])).toMatch(/^ER-31 .*: held;/)
    expect(textOf(clauseOf(without, '164.314(a)(2)(i)(A)')?.['requested documents'])).toMatch(/^ER-31 .*: outstanding;/)
  })

  test('states the provider as declared and counts its claims', () => {
    const relation = rowsOf(gridOf('Business associate')).filter(({ part }) => part === 'Relation')
    expect(relation[0]?.['what the evidence shows']).toBe(input.assessment.scope.provider?.name)
    const answers = input.assessment.nodes.flatMap(({ claims = [] }) => claims)
    expect(textOf(relation[1]?.['what the evidence shows'])).toMatch(new RegExp(`^${answers.length} results?:`))
    const counts = [...textOf(relation[1]?.['what the evidence shows']).matchAll(/ (\d+)[,.]/g)].map(([, one]) =>
      Number(one),
    )
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(answers.length)
  })
})

describe('index by the sections of the audit protocol', () => {
  const rows = rowsOf(gridOf('OCR audit protocol'))

  test('has every control in scope once, in the order of the rule, with the state of the report', () => {
    const results = new Map(input.assessment.controls.map((one) => [one.control, one]))
    const inScope = hipaa.controls.filter(({ key }) => results.get(key)?.state !== 'out-of-scope')
    expect(rows.map(({ section }) => section)).toEqual(inScope.map(({ id }) => id))
  })

  test('names the findings that concern a section, and each request of it', () => {
    const known = new Set(input.shown.findings.map(({ reference }) => reference))
    const named = rows.flatMap((row) => textOf(row.findings).split(', ').filter(Boolean))
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((one) => !known.has(one))).toEqual([])
    const sanction = rows.find(({ section }) => section === '164.308(a)(1)(ii)(C)')
    expect(textOf(sanction?.['documents, with status'])).toMatch(/^ER-06 /)
  })

  test('is left out, like the other views, where the rule was not chosen', () => {
    const { scope } = input.assessment
    const other = { ...input.assessment, scope: { ...scope, frameworks: ['soc2'] } }
    expect(hipaaSheets({ ...input, assessment: other })).toEqual([])
  })
})

describe('recognized security practices', () => {
  const NONE = { planned: 0, completed: 0, late: 0, recorded: 0, unrecorded: 0, unplanned: 0, declared: 2, answered: 0 }
  const dayOf = (day: string, changes: Partial<CalendarDay>): CalendarDay => ({ day, ...NONE, ...changes })
  const period = (changes: Partial<Period> = {}): Parameters<typeof practiceRows>[0] => ({
    from: '2026-11-01',
    to: '2026-11-20',
    runs: [{ at: '2026-11-02T02:10:00.000Z' }, { at: '2026-11-04T02:10:00.000Z' }] as unknown as Period['runs'],
    calendar: {
      days: [
        dayOf('2026-11-01', { planned: 1, unrecorded: 1 }),
        dayOf('2026-11-02', { planned: 1, completed: 1, answered: 2 }),
        dayOf('2026-11-03', { planned: 1, completed: 1, answered: 0 }),
        dayOf('2026-11-04', { unplanned: 1, answered: 1 }),
      ],
    } as unknown as Period['calendar'],
    conclusions: null,
    ...changes,
  })
  const table = (changes: Partial<Period> = {}): readonly Row[] => {
    const [head = [], ...rows] = practiceRows(period(changes), HIPAA_VIEWS.practices)
    return rows.map((row) => Object.fromEntries(head.map((title, at) => [title, row[at] ?? ''])))
  }
  const part = (name: string, rows = table()) => rows.filter((row) => row.part === name)

  test('count the days of twelve months; a day without an answer is no evidence', () => {
    const [whole] = part('Statement')
    expect(whole).toMatchObject({
      subject: '2025-11-21 to 2026-11-20',
      days: '365',
      'days in the period': '4',
      'days with evidence': '2',
      'scheduled runs': '3',
      'missed, unexplained': '1',
      'first run': '2026-11-02T02:10:00.000Z',
      'last run': '2026-11-04T02:10:00.000Z',
    })
    expect(textOf(whole?.evidence)).toContain('2 of 365')
    const months = part('Month')
    expect(months).toHaveLength(13)
    for (const title of ['days', 'days with evidence', 'scheduled runs'])
      expect(
        months.reduce((sum, row) => sum + Number(row[title]), 0),
        title,
      ).toBe(Number(whole?.[title]))
  })

  test('have 366 days where the twelve months contain a leap day', () => {
    expect(part('Statement', table({ to: '2028-06-30' }))[0]?.days).toBe('366')
  })

  test('list the ten practices with the counts of their checks and leave the practice to the entity', () => {
    const check = { check: 'vuln.eol', population: 4, tested: 4, notSatisfied: 1, inconclusive: 0, notTested: 0 }
    const conclusion = { checks: [check] } as unknown as ControlAssessment
    const rows = part(
      'Practice',
      table({ conclusions: { controls: [{ conclusion, deviations: null }] } as unknown as Period['conclusions'] }),
    )
    expect(rows).toHaveLength(10)
    for (const row of rows) expect(byPeople(row)).toEqual([''])
    const [vulnerabilities] = rows.filter(({ subject }) => textOf(subject).startsWith('HICP 7 '))
    expect(textOf(vulnerabilities?.evidence)).toContain('vuln.eol: deviations in 1 of 4 node tests')
    expect(textOf(vulnerabilities?.evidence)).toContain('vuln.patch-level: not counted in this period')
  })
})

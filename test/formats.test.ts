import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { csvOf } from '../main/adapters/csv-file.ts'
import { xlsxOf } from '../main/adapters/xlsx-file.ts'
import { controlsTable, findingsTable, locationTable, populationTable } from '../main/app/tables.ts'
import { MOST_ROWS, sheetOf } from '../main/core/formats/grids/grid.ts'
import { hdfFiles } from '../main/core/formats/hdf.ts'
import { oscalOf } from '../main/core/formats/oscal.ts'
import { workbookOf } from '../main/core/formats/workbook.ts'
import { BANNED, CONTROL_STATES, type ControlState, VERDICTS, type Verdict } from '../schemas/words.ts'
import { formatSample } from './support/format-sample.ts'
import { readXlsx } from './support/read-xlsx.ts'

const input = formatSample()
const { assessment, catalog, register } = input
const tables = {
  findings: [...findingsTable(assessment, catalog, register)],
  controls: controlsTable(assessment, catalog, register),
  population: populationTable(assessment),
  location: locationTable(assessment),
}
const sheets = workbookOf(input)
const workbook = xlsxOf(sheets)
const oscal = oscalOf(input) as OscalDocument
const hdf = [...hdfFiles(input)] as readonly (readonly [string, HdfDocument])[]

interface Prop {
  readonly name: string
  readonly value: string
}
interface OscalDocument {
  readonly 'assessment-results': {
    readonly results: readonly {
      readonly props: readonly Prop[]
      readonly 'local-definitions': { readonly 'inventory-items': readonly { readonly props: readonly Prop[] }[] }
      readonly 'reviewed-controls': { readonly 'control-selections': readonly { readonly props: readonly Prop[] }[] }
      readonly observations: readonly { readonly props: readonly Prop[] }[]
      readonly risks: readonly { readonly status: string; readonly deadline: string }[]
    }[]
  }
}
interface HdfControl {
  readonly id: string
  readonly impact: number
  readonly tags: { readonly nist: readonly string[] }
  readonly results: readonly {
    readonly status: string
    readonly message?: string
    readonly skip_message?: string
    readonly start_time: string
  }[]
}
interface HdfDocument {
  readonly platform: { readonly target_id: string }
  readonly profiles: readonly { readonly controls: readonly HdfControl[]; readonly sha256: string }[]
}

type Counts = Readonly<Record<string, number>>
const count = (names: readonly string[], found: readonly string[]): Counts =>
  Object.fromEntries(names.map((name) => [name, found.filter((one) => one === name).length]))
const value = ({ props }: { readonly props: readonly Prop[] }, name: string): string =>
  props.find((one) => one.name === name)?.value ?? ''

/** A table by the titles of its head. */
const byTitle = (rows: readonly (readonly (string | number)[])[]): readonly Readonly<Record<string, string>>[] =>
  rows.slice(1).map((row) => Object.fromEntries((rows[0] ?? []).map((title, at) => [title, String(row[at] ?? '')])))
const fromCsv = (table: readonly (readonly string[])[]) => byTitle(parse(csvOf(table), { bom: true }) as string[][])
const column = (rows: readonly Readonly<Record<string, string>>[], title: string): readonly string[] =>
  rows.map((row) => row[title] ?? '')
const sum = (rows: readonly Readonly<Record<string, string>>[], title: string): number =>
  column(rows, title).reduce((total, one) => total + Number(one), 0)

describe('one assessment, in every format', () => {
  const verdicts = count(
    VERDICTS,
    assessment.nodes.flatMap(({ findings }) => findings.map(({ verdict }) => verdict)),
  )
  const states = count(
    CONTROL_STATES,
    assessment.controls.map(({ state }) => state),
  )
  const nodes = assessment.nodes.map(({ node }) => node)
  const excepted = assessment.nodes.flatMap(({ node, findings }) =>
    findings
      .filter(({ check, verdict }) => verdict === 'not-met' && register.exceptions[0]?.check === check)
      .filter(() => register.exceptions[0]?.nodes.includes(node) === true),
  ).length

  test('of which there is enough to count', () => {
    expect(VERDICTS.filter((verdict) => verdicts[verdict] === 0)).toEqual([])
    expect(nodes).toHaveLength(7)
    expect(excepted).toBe(3)
    expect(states['not-supported']).toBeGreaterThan(0)
  })

  test('CSV', () => {
    const findings = fromCsv(tables.findings)
    const population = fromCsv(tables.population)
    expect(count(VERDICTS, column(findings, 'verdict'))).toEqual(verdicts)
    expect(count(CONTROL_STATES, column(fromCsv(tables.controls), 'state'))).toEqual(states)
    expect(column(population, 'node')).toEqual(nodes)
    const location = fromCsv(tables.location)
    expect(column(location, 'node')).toEqual(nodes)
    expect(column(location, 'is it there').filter((one) => one !== '')).toHaveLength(
      assessment.nodes.filter((one) => one.location?.answers.some((answer) => answer.of === 'declared-place')).length,
    )
    expect(sum(population, 'contradicted')).toBe(verdicts['not-met'])
    expect(column(findings, 'exception').filter((one) => one !== '')).toHaveLength(excepted)
  })

  test('workbook', async () => {
    const read = readXlsx(await workbook).sheets
    const sheet = (name: string) => byTitle(read.get(name) ?? [])
    expect([...read.keys()]).toEqual([
      'About',
      'Population',
      'Inventory',
      'Location',
      'Findings',
      'Controls',
      'Evidence',
      'Exceptions',
      'Records',
      'Decisions',
      'Claims',
      'Checks',
    ])
    expect(count(VERDICTS, column(sheet('Findings'), 'verdict'))).toEqual(verdicts)
    expect(count(CONTROL_STATES, column(sheet('Controls'), 'state'))).toEqual(states)
    expect(column(sheet('Population'), 'node')).toEqual(nodes)
    expect(column(sheet('Location'), 'node')).toEqual(nodes)
    expect(column(sheet('Findings'), 'exception').filter((one) => one !== '')).toHaveLength(excepted)
    expect(sum(sheet('Exceptions'), 'contradicted now')).toBe(excepted + 2)
    expect(column(sheet('Exceptions'), 'standing')).toEqual(['In force', 'Ended', 'Asked for, not approved'])
    expect(sheet('Evidence')).toHaveLength(input.recordings.reduce((total, { captures }) => total + captures.length, 0))
    expect(sheet('Claims')).toHaveLength(nodes.length)
    const about = new Map(sheet('About').map((row) => [row.about, row['what stands here']]))
    expect(about.get('Digest of the evidence (SHA-256)')).toBe(input.evidenceDigest)
    expect(about.get('Demo data')).toMatch(/must not be used as evidence/)
    expect(about.get('Findings: Contradicted')).toBe(String(verdicts['not-met']))
    expect(column(sheet('Controls'), 'outstanding with owner and due date').join('\n')).toContain(
      'Sanction policy (=HYPERLINK("http://evil.example"), due 2026-12-01)',
    )
  })

  test('OSCAL', () => {
    const [result] = oscal['assessment-results'].results
    if (result === undefined) throw new Error('no result')
    const told = Object.fromEntries(VERDICTS.map((verdict) => [verdict, Number(value(result, `verdicts-${verdict}`))]))
    const observed = count(
      VERDICTS,
      result.observations.map((one) => value(one, 'verdict')),
    )
    const selected = result['reviewed-controls']['control-selections'].map(
      (one) => [value(one, 'control-state') as ControlState, Number(value(one, 'controls'))] as const,
    )
    expect(told).toEqual(verdicts)
    expect(observed).toEqual({ ...verdicts, 'not-tested': 0 })
    expect(
      Object.fromEntries(
        CONTROL_STATES.map((state) => [
          state,
          selected.filter(([one]) => one === state).reduce((total, [, own]) => total + own, 0),
        ]),
      ),
    ).toEqual(states)
    expect(result['local-definitions']['inventory-items'].map((one) => value(one, 'node'))).toEqual(nodes)
    expect(result.risks.map(({ status, deadline }) => [status, deadline.slice(0, 10)])).toEqual([
      ['deviation-approved', '2027-03-01'],
      ['open', '2026-03-01'],
      ['deviation-requested', '2027-03-01'],
    ])
  })

  test('HDF', () => {
    const results = hdf.flatMap(([, { profiles }]) => profiles.flatMap(({ controls }) => controls))
    const of = (status: string) =>
      results.filter(({ results: [first], impact }) => first?.status === status && impact > 0).length
    expect(hdf.map(([, { platform }]) => platform.target_id)).toEqual(nodes)
    expect(of('passed')).toBe(verdicts.met)
    expect(of('failed')).toBe(verdicts['not-met'])
    expect(of('skipped')).toBe(
      (verdicts.inconclusive ?? 0) + (verdicts['not-tested'] ?? 0) + (verdicts.informational ?? 0),
    )
    expect(results.filter(({ impact }) => impact === 0)).toHaveLength(verdicts['not-applicable'] ?? 0)
    const noted = results.filter(({ results: [first] }) => first?.message?.includes('Accepted until') === true)
    expect(noted).toHaveLength(excepted)
    expect(noted.every(({ results: [first] }) => first?.status === 'failed')).toBe(true)
  })

  test('two runs give the same bytes', async () => {
    const again = formatSample()
    expect(JSON.stringify(oscalOf(again))).toBe(JSON.stringify(oscal))
    expect(JSON.stringify([...hdfFiles(again)])).toBe(JSON.stringify(hdf))
    expect(Buffer.compare(await xlsxOf(workbookOf(again)), await workbook)).toBe(0)
  })

  test('no word of it over-claims', () => {
    // Titles of rows are the frameworks' own; the catalog's lint reads those that are ours.
    const titles = new Set(
      catalog.frameworks.flatMap(({ controls }) => controls.flatMap(({ id, title }) => [title, `${id} ${title}`])),
    )
    const texts = [...new Set([...leaves(sheets), ...leaves(oscal), ...leaves(hdf), ...leaves(tables)])].filter(
      (text) => !titles.has(text),
    )
    expect(texts.length).toBeGreaterThan(1000)
    expect(texts.filter((text) => BANNED.some((banned) => banned.test(text)))).toEqual([])
    expect(texts.filter((text) => /\u2014/.test(text))).toEqual([])
  })
})

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(leaves)
}

describe('the Heimdall Data Format', () => {
  test('has one document per node, under a name that every file system keeps', () => {
    const hostile = assessment.nodes.map((node, index) => ({
      ...node,
      node: ['..', 'CON', 'a/b', '= 1', 'é'][index] ?? node.node,
    }))
    const names = [...hdfFiles({ ...input, assessment: { ...assessment, nodes: hostile } })].map(([name]) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z0-9][a-z0-9._-]*\.hdf\.json$/.test(name))).toEqual([])
  })

  const STATUS: Readonly<Record<Verdict, string>> = {
    met: 'passed',
    'not-met': 'failed',
    inconclusive: 'skipped',
    'not-tested': 'skipped',
    informational: 'skipped',
    'not-applicable': 'skipped',
  }

  test('nothing but what is supported is ever passed, and each control has one result', () => {
    for (const [at, [, { profiles }]] of hdf.entries())
      for (const control of profiles.flatMap(({ controls }) => controls)) {
        const verdict = assessment.nodes[at]?.findings.find(({ check }) => check === control.id)?.verdict as Verdict
        expect(control.results.map(({ status }) => status)).toEqual([STATUS[verdict]])
        expect(control.impact).toBe(verdict === 'not-applicable' ? 0 : 0.5)
        if (STATUS[verdict] === 'skipped') expect(control.results[0]?.skip_message).not.toBe('')
      }
  })

  test('names the controls that Heimdall groups by', () => {
    const control = hdf[0]?.[1].profiles[0]?.controls.find(({ id }) => id === 'tenancy.no-hypervisor')
    expect(control?.tags.nist).toEqual(['CM-8', 'SC-2', 'SC-3', 'SC-39'])
  })
})

test('of a large fleet the workbook has counts, worst first, that add up to every finding and answer', () => {
  const times = 300
  const many = Array.from({ length: times }, (_, at) =>
    assessment.nodes.map((one) => ({ ...one, node: at === 0 ? one.node : `${one.node}-${at}` })),
  ).flat()
  const recordings = Array.from({ length: times }, () => input.recordings).flat()
  const sheets = workbookOf({ ...input, assessment: { ...assessment, nodes: many }, recordings })
  const sheet = (name: string) => byTitle(sheets.find((one) => one.name === name)?.rows ?? [])
  const findings = sheet('Findings')
  const all = assessment.nodes.flatMap(({ findings }) => findings)
  expect(sum(findings, 'nodes')).toBe(all.length * times)
  for (const verdict of VERDICTS)
    expect(
      sum(
        findings.filter((row) => row.verdict === verdict),
        'nodes',
      ),
      verdict,
    ).toBe(all.filter((one) => one.verdict === verdict).length * times)
  expect(findings[0]?.verdict).toBe('not-met')
  expect(sum(findings, 'exceptions in force')).toBe(3)
  for (const { nodes, 'which nodes': which = '' } of findings) {
    const more = Number(/ and (\d+) more$/.exec(which)?.[1] ?? 0)
    expect(which.split(', ').length - (more > 0 ? 1 : 0) + more).toBe(Number(nodes))
  }
  expect(sum(sheet('Evidence'), 'answers')).toBe(recordings.flatMap(({ captures }) => captures).length)
})

test('a sheet that would be too long ends with how much is left out, and where it is', () => {
  const rows = Array.from({ length: MOST_ROWS + 2 }, (_, index) => [index])
  const sheet = sheetOf('Long', { columns: [{ title: 'n', width: 5 }], rows }, 'findings.csv')
  expect(sheet.rows).toHaveLength(MOST_ROWS + 2)
  expect(sheet.rows.at(-1)).toEqual(['2 more rows are left out here. They are in findings.csv.'])
})

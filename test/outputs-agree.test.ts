import { describe, expect, test } from 'vitest'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { findingsTable, jiraTable, serviceNowTable } from '../main/app/export/output-files.ts'
import { formatInputOf } from '../main/app/export/report-input.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../main/catalog/definition/remediation.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { reached } from '../main/core/conclusion/tally.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { carriersGrid, requestsGrid, testsGrid } from '../main/present/formats/grids/audit.ts'
import { poamSheets } from '../main/present/formats/grids/poam.ts'
import { oscalFiles } from '../main/present/formats/oscal.ts'
import { htmlPieces } from '../main/present/html/page.ts'
import { severityCounts } from '../main/present/presentation.ts'
import { buildAnnexes, buildExecutive, buildReport, documentText, type ReportInput } from '../main/present/report.ts'
import type { FrameworkName } from '../schemas/types.ts'
import { verdictWords } from '../schemas/words.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import { bigInput, sampleInput } from './support/report/sample.ts'

// One number and one sentence for one thing, in every output.

const DEMO = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']

function demo(frameworks: readonly FrameworkName[] = ['hipaa', 'soc2']): ReportInput {
  const recordings = DEMO.map((name) => fixtureRecording(name, catalog.probes))
  const population = [...recordings.map(({ recording }) => recording.node.name), 'demo-gone-07', 'demo-changed-08']
  const scope = { fleet: 'demo', population, frameworks }
  return {
    ...sampleInput(),
    catalog,
    recordings,
    remediations: REMEDIATIONS,
    register: EMPTY_REGISTER,
    assessment: assess({ catalog, scope, recordings, asOf: FIXTURE_TIME }),
    evidenceDigest: sha256('demo'),
  }
}

const REFERENCE = /\bF-[0-9A-F]{6}\b/g
const sorted = (all: Iterable<string>): readonly string[] => [...new Set(all)].sort()
const referencesIn = (text: string): readonly string[] => sorted(text.match(REFERENCE) ?? [])

describe.each([
  ['the recorded nodes of the demo fleet', () => demo()],
  ['the same with every framework', () => demo(catalog.frameworks.map(({ id }) => id))],
  ['a small fleet', sampleInput],
  ['a fleet of 300 nodes', () => bigInput(300)],
])('%s', (_, made) => {
  const input = formatInputOf(made(), 'run-1', 'Demo_2026-11-21')
  const { findings, informational, figures, conclusion } = input.shown
  const own = sorted(findings.map(({ reference }) => reference))
  const all = sorted([...findings, ...informational].map(({ reference }) => reference))
  const [report, executive] = [buildReport(input), buildExecutive(input)].map((one) => documentText(one).join('\n'))
  const html = Buffer.concat([...htmlPieces(input)].map((piece) => Buffer.from(piece))).toString()
  const oscal = new Map([...oscalFiles(input)].map(([name, value]) => [name, JSON.stringify(value)]))

  test('every output has the same findings', () => {
    expect(all.length).toBeGreaterThan(0)
    expect(referencesIn(report ?? '')).toEqual(all)
    expect(sorted([...html.matchAll(/id="(F-[0-9A-F]{6})"/g)].map(([, id = '']) => id))).toEqual(all)
    expect(referencesIn(summaryText(input))).toEqual(own)
    const rows = findingsTable(input).slice(1)
    expect(
      rows
        .map(([reference]) => reference)
        .filter((one) => own.includes(one ?? ''))
        .sort(),
    ).toEqual([...own])
    expect(referencesIn(JSON.stringify(poamSheets(input)[0]?.rows))).toEqual(own)
    expect(jiraTable(input).length - 1).toBe(own.length)
    expect(serviceNowTable(input).length - 1).toBe(own.length)
    for (const [name, text] of oscal)
      if (/poam|results/.test(name))
        for (const reference of own) expect([name, text.includes(reference)]).toEqual([name, true])
  })

  test('every output has the same condition, deviations and nodes tested of each', () => {
    const rows = findingsTable(input)
    const [head = []] = rows
    const at = (title: string): number => head.indexOf(title)
    for (const finding of findings) {
      const { reference, condition, deviations, tested } = finding
      const row = rows.find(([first]) => first === reference)
      expect([row?.[at('condition')], row?.[at('deviations')], row?.[at('tested')]]).toEqual([
        condition,
        String(deviations.length),
        String(tested),
      ])
      expect(report).toContain(condition)
    }
  })

  test('every link leads to an anchor of its document', () => {
    for (const document of [buildReport(input), buildExecutive(input), buildAnnexes(input)]) {
      const text = JSON.stringify(document.sections)
      const anchors = new Set([
        ...document.sections.map(({ id }) => id),
        ...[...text.matchAll(/"anchor":"([^"]+)"/g)].map(([, anchor]) => anchor),
      ])
      const links = [...text.matchAll(/"link":"([^"]+)"/g)].map(([, link]) => link)
      expect(links.filter((link) => !anchors.has(link))).toEqual([])
    }
  })

  test('page 1, the report, the HTML and the summary have the same figures', () => {
    const counts = severityCounts(figures.findings)
    const total = findings.length
    expect(conclusion[0]).toContain(`${total} finding`)
    for (const text of [report, executive, html]) expect(text).toContain(conclusion[0])
    for (const text of [report, executive]) {
      expect(text).toContain(`${figures.declared} declared: ${figures.tested} tested, ${figures.untested} not tested`)
    }
    expect(summaryText(input)).toContain(counts)
    expect(figures.declared).toBe(figures.tested + figures.untested)
    expect(input.assessment.nodes.length).toBe(figures.declared)
  })

  test('page 1 names the adversary of isolation, and counts paths on tested nodes that declare one', () => {
    const hasIsolation = input.assessment.nodes.some(({ isolation }) => isolation !== null)
    expect(executive?.includes('An adversary with root in the system image')).toBe(hasIsolation)
    const tested = new Set(input.assessment.nodes.filter(reached).map(({ node }) => node))
    const declaring = input.recordings.filter(
      ({ recording: { node } }) => tested.has(node.name) && (node.ephiPaths ?? []).length > 0,
    ).length
    const share = input.shown.inOrder.find(({ text }) => text.startsWith('Declared ePHI paths'))
    expect(share?.whole ?? declaring).toBe(declaring)
    if (declaring === 0) expect(share).toBe(undefined)
  })

  test('the controls of each framework close, and are never added over frameworks', () => {
    for (const { rows, states } of input.shown.frameworks) {
      expect(states.reduce((sum, [, count]) => sum + count, 0)).toBe(rows.length)
    }
    for (const { framework, rows } of input.shown.frameworks) {
      if (framework.proposed) continue
      const inScope = rows.filter(({ state }) => state !== 'out-of-scope').length
      expect(report).toContain(`${inScope} controls in scope`)
      expect(framework.controls.length).toBe(rows.length)
    }
  })
})

describe('the tables that auditors ask for', () => {
  const input = formatInputOf(demo(), 'run-1', 'Demo_2026-11-21')
  const cells = (grid: {
    readonly columns: readonly { readonly title: string }[]
    readonly rows: readonly (readonly unknown[])[]
  }) => grid.rows.map((row) => Object.fromEntries(grid.columns.map(({ title }, at) => [title, row[at]])))

  test('have each test of each control in scope, those of verification too, in the words of the report', () => {
    const rows = cells(testsGrid(input))
    const checks = input.assessment.controls
      .filter(({ state }) => state !== 'out-of-scope')
      .flatMap((one) => one.checks)
    const deciding = checks.filter(({ decides }) => decides).length
    const ofPack = checks.filter(({ source, role }) => source === 'pack' && /required|counter/.test(role)).length
    expect(ofPack).toBeGreaterThan(0)
    expect(rows.length).toBe(deciding + ofPack)
    const words = documentText(buildReport(input)).join('\n')
    for (const row of rows) expect(words).toContain(row['result of test'])
    const deviating = rows.filter(({ finding }) => finding !== '')
    expect(deviating.length).toBeGreaterThan(10)
    for (const { finding } of deviating)
      expect(input.shown.findings.some(({ reference }) => reference === finding)).toBe(true)
  })

  test('have every requested document once, as many outstanding as page 1 counts', () => {
    const rows = cells(requestsGrid(input))
    const { needed, held } = input.shown.figures.documents
    expect(rows.length).toBe(needed)
    expect(rows.filter(({ status }) => status === 'outstanding').length).toBe(needed - held)
    expect(new Set(rows.map(({ request, document }) => `${request} ${document}`)).size).toBe(rows.length)
  })

  test('have every declared ePHI path of every recorded node with the verdicts of that node', () => {
    const rows = cells(carriersGrid(input))
    const declared = input.recordings.flatMap(({ recording }) =>
      (recording.node.ephiPaths ?? []).map((path) => `${recording.node.name} ${path}`),
    )
    expect(declared.length).toBeGreaterThan(0)
    expect(rows.map((row) => `${row.node} ${row['ePHI path']}`)).toEqual(declared)
    for (const row of rows) {
      const node = input.assessment.nodes.find((one) => one.node === row.node)
      const found = node?.results.find(({ check }) => check === 'encryption.at-rest.ephi-paths')
      expect(row['encrypted at rest (all ePHI paths of the node)']).toBe(
        verdictWords[found?.verdict ?? 'not-tested'].label,
      )
    }
  })
})

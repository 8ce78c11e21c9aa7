import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SEVERITIES } from '../../schemas/conclusion-words.ts'
import type { Assessment, ClaimResult } from '../../schemas/types.ts'
import { CLAIM_ANSWERS, claimAnswerWords, VERDICTS, verdictWords } from '../../schemas/words.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { describeUnless } from '../support/needing.ts'
import { linesOf, readReport } from '../support/pdf-pages.ts'
import { readXlsx } from '../support/read-xlsx.ts'

// Every file of one export, read from the disk by nothing that wrote it, states the counts of assessment.json: by verdict, finding, control,
// node, claim and document.

const missing = whyNoCli()

type Row = Readonly<Record<string, string>>
type Cells = readonly (readonly (string | number)[])[]
interface Prop {
  readonly name: string
  readonly value: string
  readonly class?: string
}
interface Noted {
  readonly props?: readonly Prop[]
}

const REFERENCE = /\bF-[0-9A-F]{6}\b/g
const sorted = (all: Iterable<string>): readonly string[] => [...new Set(all)].sort()
const referencesIn = (text: string): readonly string[] => sorted(text.match(REFERENCE) ?? [])
const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0)
function countBy<T>(all: readonly T[], keyOf: (one: T) => string): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const key of all.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return Object.fromEntries(counts)
}
const propOf = ({ props = [] }: Noted, name: string, of?: string): string | undefined =>
  props.find((one) => one.name === name && (of === undefined || one.class === of))?.value

describeUnless(missing, 'the files of one export of the demo fleet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bw-agree-'))
  let files: readonly string[] = []
  let assessment: Assessment
  let results: Assessment['nodes'][number]['results'] = []
  let findings: readonly Row[] = []
  let references: readonly string[] = []
  let summary = ''
  let report = ''
  let page1 = ''
  let html = ''

  const bytes = (end: string): Buffer => readFileSync(join(folder, files.find((name) => name.endsWith(end)) ?? end))
  const text = (end: string): string => bytes(end).toString('utf8')
  const csv = (kind: string): readonly Row[] =>
    parse(bytes(`_${kind}.csv`), { bom: true, columns: true, relax_column_count: false }) as Row[]
  const pdf = (kind: string): string =>
    readReport(bytes(`_${kind}.pdf`))
      .pages.flatMap((page) => linesOf(page))
      .join(' ')
      .replace(/\s+/g, ' ')
  const book = (kind: string) => readXlsx(bytes(`_${kind}.xlsx`)).sheets
  const rowsOf = (sheet: Cells | undefined): readonly Row[] =>
    (sheet ?? [])
      .slice(1)
      .map((row) => Object.fromEntries((sheet?.[0] ?? []).map((title, at) => [title, String(row[at] ?? '')])))
  const oscal = (kind: string) => JSON.parse(text(`_oscal-${kind}.json`)) as Readonly<Record<string, unknown>>
  const verdicts = (): Readonly<Record<string, number>> => countBy(results, ({ verdict }) => verdict)

  beforeAll(() => {
    const ran = spawnSync(process.execPath, [CLI, 'demo', '--out', folder], { encoding: 'utf8', maxBuffer: 1e9 })
    expect(ran.status, ran.stderr).toBe(0)
    files = readdirSync(folder)
    assessment = JSON.parse(text('_assessment.json'))
    results = assessment.nodes.flatMap((node) => node.results)
    findings = csv('findings')
    references = sorted(findings.map(({ reference = '' }) => reference))
    summary = text('_summary.txt')
    ;[report, page1] = ['report', 'executive'].map(pdf) as [string, string]
    html = text('_report.html').replace(/ /g, ' ')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('have the same nodes, and the same of them collected', () => {
    const names = assessment.nodes.map(({ node }) => node).sort()
    const collected = csv('population').flatMap((row) => (row.collected === 'yes' ? [row.node] : []))
    const [all, tested] = [names.length, collected.length]
    expect(tested).toBeLessThan(all)
    for (const kind of ['population', 'location', 'results'])
      expect([kind, sorted(csv(kind).map(({ node = '' }) => node))]).toEqual([kind, names])
    expect(sorted(csv('evidence').map(({ node = '' }) => node))).toEqual(collected)
    expect(readdirSync(join(folder, 'hdf')).map((name) => name.split('_').at(-1))).toEqual(
      names.map((name) => `${name}.hdf.json`),
    )
    for (const words of [report, page1])
      expect(words).toContain(`${all} declared: ${tested} tested, ${all - tested} not tested`)
    expect(summary).toContain(`${tested} of ${all} declared nodes collected`)
    expect(text('_README.txt').replace(/\s+/g, ' ')).toContain(`${tested} of ${all} declared nodes were collected`)
    const sheets = book('register')
    expect(rowsOf(sheets.get('Population')).map(({ node }) => node)).toEqual(names)
    const about = new Map(sheets.get('About')?.map(([name, value]) => [name, value]))
    expect([about.get('Nodes in population'), about.get('Nodes collected')]).toEqual([all, tested])
  })

  test('have the same number of results by verdict and by node', () => {
    const expected = verdicts()
    expect(sum(Object.values(expected))).toBe(results.length)
    expect(countBy(csv('results'), ({ verdict = '' }) => verdict)).toEqual(expected)
    const sheets = book('register')
    expect(countBy(rowsOf(sheets.get('Results')), ({ verdict = '' }) => verdict)).toEqual(expected)
    const about = new Map(sheets.get('About')?.map(([name, value]) => [name, value]))
    const [result] = (oscal('assessment-results')['assessment-results'] as { results: readonly Noted[] }).results
    const population = csv('population')
    for (const verdict of VERDICTS) {
      const count = expected[verdict] ?? 0
      const column = verdictWords[verdict].label.toLowerCase()
      expect([verdict, about.get(`Results: ${verdictWords[verdict].label}`)]).toEqual([verdict, count])
      expect([verdict, sum(population.map((row) => Number(row[column])))]).toEqual([verdict, count])
      expect([verdict, propOf(result ?? {}, `verdicts-${verdict}`)]).toEqual([verdict, String(count)])
    }
    for (const node of assessment.nodes) {
      const own = countBy(node.results, ({ verdict }) => verdict)
      const hdf = JSON.parse(text(join('hdf', hdfOf(node.node)))) as {
        readonly profiles: readonly [
          { readonly controls: readonly { readonly results: readonly { readonly status: string }[] }[] },
        ]
      }
      const statuses = hdf.profiles[0].controls.map((control) => control.results[0]?.status ?? '')
      const counted = countBy(statuses, (status) => status)
      expect([node.node, counted.passed ?? 0, counted.failed ?? 0, statuses.length]).toEqual([
        node.node,
        own.satisfied ?? 0,
        own['not-satisfied'] ?? 0,
        node.results.length,
      ])
      const row = population.find((one) => one.node === node.node)
      for (const verdict of VERDICTS)
        expect(Number(row?.[verdictWords[verdict].label.toLowerCase()])).toBe(own[verdict] ?? 0)
    }
  })
  const hdfOf = (node: string): string =>
    readdirSync(join(folder, 'hdf')).find((name) => name.endsWith(`_${node}.hdf.json`)) ?? ''

  test('have the same findings with the same severity, deviations and nodes', () => {
    expect(references.length).toBe(findings.length)
    expect(referencesIn(summary)).toEqual(references)
    expect(referencesIn(report)).toEqual(references)
    expect(referencesIn(pdf('annexes'))).toEqual(references)
    expect(sorted([...html.matchAll(/id="(F-[0-9A-F]{6})"/g)].map(([, id = '']) => id))).toEqual(references)
    const tables: readonly (readonly [string, readonly Row[], reference: string, severity?: string])[] = [
      ['register', rowsOf(book('register').get('Findings')), 'reference', 'severity'],
      ['poam', rowsOf(book('poam').get('Open POA&M Items')), 'POAM ID', 'Original Risk Rating'],
      ['risk analysis', rowsOf(book('register').get('Risk analysis input')), 'finding'],
      ['jira', csv('tickets-jira'), 'External ID'],
      ['servicenow', csv('tickets-servicenow'), 'correlation_id'],
    ]
    for (const [name, rows, reference, severity] of tables) {
      expect([name, rows.map((row) => row[reference])]).toEqual([name, findings.map((row) => row.reference)])
      if (severity !== undefined)
        expect([name, rows.map((row) => row[severity])]).toEqual([name, findings.map((row) => row.severity)])
    }
    const deviating = csv('results').filter(({ verdict }) => verdict === 'not-satisfied')
    for (const row of findings) {
      const own = deviating.filter(({ finding }) => finding === row.reference).map(({ node }) => node)
      const refused = Number(row['refused before login'])
      // Rows of the provider inventory and refused nodes deviate without a result of a test.
      if (row.check !== 'population.inventory' && own.length > 0)
        expect([row.reference, own.length + refused]).toEqual([row.reference, Number(row.deviations)])
    }
    const results = (
      oscal('assessment-results')['assessment-results'] as { results: readonly (Noted & { risks: Noted[] })[] }
    ).results[0]
    for (const risk of results?.risks ?? []) {
      const row = findings.find(({ reference }) => reference === propOf(risk, 'reference'))
      expect([propOf(risk, 'deviations'), propOf(risk, 'tested'), propOf(risk, 'inconclusive')]).toEqual([
        row?.deviations,
        row?.tested,
        row?.inconclusive,
      ])
    }
    expect(results?.risks.length).toBe(findings.length)
    const items = (oscal('poam')['plan-of-action-and-milestones'] as { 'poam-items': readonly unknown[] })['poam-items']
    expect(referencesIn(JSON.stringify(items))).toEqual(references)
    const counts = countBy(findings, ({ severity = '' }) => severity)
    const sentence = `${counts.Critical} critical, ${counts.High} high, ${counts.Moderate} moderate and ${counts.Low} low`
    for (const words of [report, page1, summary, html])
      expect(words).toContain(`${findings.length} findings: ${sentence}`)
    expect(SEVERITIES.map((one) => propOf(results ?? {}, `findings-${one}`))).toEqual(
      ['Critical', 'High', 'Moderate', 'Low', 'Informational'].map((label) => String(counts[label] ?? 0)),
    )
  })

  test('have the same controls in the same states', () => {
    const rows = csv('controls')
    expect(rows.length).toBe(assessment.controls.length)
    expect(countBy(rowsOf(book('register').get('Controls')), stateOf)).toEqual(countBy(rows, stateOf))
    const [result] = (oscal('assessment-results')['assessment-results'] as { results: readonly Noted[] }).results
    for (const framework of sorted(rows.map((row) => row.framework ?? ''))) {
      const own = rows.filter((row) => row.framework === framework)
      const states = countBy(own, (row) => row.state ?? '')
      expect(propOf(result ?? {}, 'rows', framework)).toBe(String(own.length))
      for (const [state, count] of Object.entries(states)) {
        const label = own.find((row) => row.state === state)?.['state label'] ?? ''
        expect([framework, state, propOf(result ?? {}, `rows-${state}`, framework)]).toEqual([
          framework,
          state,
          String(count),
        ])
        expect(summary).toMatch(new RegExp(`^ {2}${count} ${label}`, 'm'))
        if (state !== 'out-of-scope')
          expect(report).toMatch(
            new RegExp(
              `${own.length - (states['out-of-scope'] ?? 0)} controls in scope: [^.]*${label.toLowerCase()} ${count}`,
            ),
          )
      }
    }
  })
  const stateOf = ({ framework = '', state = '' }: Row): string => `${framework} ${state}`

  test('have the same claims with the same results, and name those of nodes that were not collected', () => {
    const rows = csv('claims')
    const answers = assessment.nodes.flatMap(({ node, claims = [] }) => claims.map((one) => ({ node, ...one })))
    expect(rows.map((row) => [row.node, row['claim id'], row.result])).toEqual(
      answers.map(({ node, claim, result }) => [node, claim, result]),
    )
    const collected = new Set(csv('population').flatMap((row) => (row.collected === 'yes' ? [row.node] : [])))
    for (const row of rows) expect(row['node collected']).toBe(collected.has(row.node) ? 'yes' : 'no')
    const label = (result: string): string => claimAnswerWords[result as ClaimResult['result']].label
    expect(rowsOf(book('register').get('Claims')).map((row) => [row.node, row.claim, row.result])).toEqual(
      rows.map((row) => [row.node, row['claim id'], label(row.result ?? '')]),
    )
    for (const claim of sorted(rows.map((row) => row['provider claim'] ?? ''))) {
      const own = rows.filter((row) => row['provider claim'] === claim)
      const parts = CLAIM_ANSWERS.flatMap((one) => {
        const found = own.filter(({ result }) => result === one)
        const silent = one === 'inconclusive' ? found.filter((row) => row['node collected'] === 'no').length : 0
        return found.length === 0
          ? []
          : [`${label(one)} ${found.length}${silent === 0 ? '' : ` (${silent} not collected)`}`]
      })
      expect(summary).toContain(`  ${claim}\n      ${parts.join(', ')} (of ${own.length})`)
    }
  })

  test('have the same requested documents and the same captures', () => {
    const requests = rowsOf(book('register').get('Requests'))
    const outstanding = requests.filter(({ status }) => status === 'outstanding').length
    for (const words of [report, page1])
      expect(words).toContain(`${outstanding} of ${requests.length} required documents are outstanding`)
    const captures = csv('evidence').map((row) => `${row.node} ${row.probe} ${row.command} ${row['output SHA-256']}`)
    expect(
      rowsOf(book('register').get('Evidence')).map(
        (row) => `${row.node} ${row.probe} ${row.command} ${row['SHA-256']}`,
      ),
    ).toEqual(captures)
  })
})

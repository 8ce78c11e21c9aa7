import { describe, expect, test } from 'vitest'
import {
  type FindingSource,
  findingsView,
  findingText,
  findingView,
  shownOf,
} from '../main/app/evaluate/finding-views.ts'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { controlsTable, findingsTable } from '../main/app/export/output-files.ts'
import { formatInputOf } from '../main/app/export/report-input.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../main/catalog/definition/remediation.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { reached } from '../main/core/conclusion/tally.ts'
import type { ItemSource } from '../main/core/outbox/item.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { textRows } from '../main/present/formats/grids/grid.ts'
import { poamSheets } from '../main/present/formats/grids/poam.ts'
import { populationGrid } from '../main/present/formats/grids/population.ts'
import { RESULTS_COLUMNS, resultRows } from '../main/present/formats/grids/results.ts'
import { hdfFiles } from '../main/present/formats/hdf.ts'
import { oscalFiles } from '../main/present/formats/oscal.ts'
import { workbookOf } from '../main/present/formats/workbook.ts'
import { htmlPieces } from '../main/present/html/page.ts'
import { findingItems, packItem } from '../main/present/outbox/items.ts'
import { ocsfEvents } from '../main/present/outbox/ocsf.ts'
import { linesOf } from '../main/present/outbox/text.ts'
import { refusedNodes } from '../main/present/report/parts/refused.ts'
import { buildExecutive, buildReport, documentText, type ReportInput } from '../main/present/report.ts'
import { VERDICTS } from '../schemas/words.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import { sampleInput } from './support/report/sample.ts'

// Report, page 1, HTML, window, command line, tables, OSCAL, HDF, OCSF and messages state one count for one thing.

const read = (name: string): LoadedRecording => fixtureRecording(name, catalog.probes)
const named = ({ recording, captures }: LoadedRecording, name: string): LoadedRecording => ({
  recording: { ...recording, id: name, node: { ...recording.node, name } },
  captures,
})
const failed = (name: string, code: string): LoadedRecording => ({
  recording: {
    ...named(read('demo-metal-04'), name).recording,
    hostKey: null,
    session: null,
    outcome: { status: 'failed', failure: { code, detail: 'made for this test' } },
  },
  captures: [],
})

/** As the store holds it of a collection that was killed before the node returned anything. */
const interrupted = (name: string): LoadedRecording => {
  const { recording } = failed(name, 'run.cancelled')
  return { recording: { ...recording, outcome: { ...recording.outcome, status: 'partial' } }, captures: [] }
}

const DEMO = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']

/** Nodes of the fleet, those among them without a recording, and the machine names that stand for another name. */
interface Fleet {
  readonly recordings: readonly LoadedRecording[]
  readonly missing: readonly string[]
  readonly tested: number
  readonly refused: number
}

const FLEETS: readonly (readonly [string, () => Fleet])[] = [
  [
    'the demo fleet',
    () => ({
      recordings: [
        ...DEMO.map(read),
        failed('demo-gone-07', 'ssh.unreachable'),
        failed('demo-changed-08', 'ssh.host-key-changed'),
      ],
      missing: [],
      tested: 6,
      refused: 1,
    }),
  ],
  [
    'nodes that were refused, failed, interrupted, missing or one machine under two names',
    () => ({
      recordings: [
        read('demo-gpu-01'),
        read('demo-metal-04'),
        named(read('demo-metal-04'), 'metal-again'),
        failed('changed-1', 'ssh.host-key-changed'),
        failed('changed-2', 'ssh.host-key-revoked'),
        failed('gone', 'ssh.unreachable'),
        interrupted('interrupted'),
      ],
      missing: ['never-collected'],
      tested: 2,
      refused: 2,
    }),
  ],
  ['a fleet without any node', () => ({ recordings: [], missing: [], tested: 0, refused: 0 })],
]

const SOURCE: ItemSource = {
  schema: 'barewitness.item/1',
  sender: 'test',
  fleet: 'demo',
  run: 'run-1',
  pack: { name: 'run-1.barewitness.zip', sha256: 'ab'.repeat(32) },
  asOf: FIXTURE_TIME,
  demo: false,
} as ItemSource

/** The properties of each risk in an OSCAL document, wherever it is nested. */
function risksIn(value: unknown): readonly Readonly<Record<string, string>>[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'risks' && Array.isArray(inner)
      ? inner.map(({ props = [] }: { readonly props?: readonly { readonly name: string; readonly value: string }[] }) =>
          Object.fromEntries(props.map((one) => [one.name, one.value])),
        )
      : risksIn(inner),
  )
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0)

describe.each(FLEETS)('%s', (_, made) => {
  const { recordings, missing, tested, refused } = made()
  const population = [...recordings.map(({ recording }) => recording.node.name), ...missing]
  const scope = { fleet: 'demo', population, frameworks: ['hipaa', 'soc2'] as const }
  const assessment = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME })
  const report: ReportInput = {
    ...sampleInput(),
    catalog,
    recordings,
    remediations: REMEDIATIONS,
    register: EMPTY_REGISTER,
    assessment,
    evidenceDigest: sha256('demo'),
  }
  const input = formatInputOf(report, 'run-1', 'Demo_2026-11-21')
  const { findings, figures, frameworks } = input.shown
  const source: FindingSource = {
    of: 'run',
    run: 'run-1',
    assessment,
    catalog,
    register: EMPTY_REGISTER,
    shown: shownOf({ assessment, catalog, register: EMPTY_REGISTER, recordings }),
  }
  const matter = { source: SOURCE, assessment, catalog, register: EMPTY_REGISTER, shown: input.shown, recordings }
  const words = documentText(buildReport(input)).join('\n')
  const pageOne = documentText(buildExecutive(input)).join('\n')
  const html = Buffer.concat([...htmlPieces(input)].map((piece) => Buffer.from(piece)))
    .toString()
    .replace(/ /g, ' ')
  const oscal = JSON.stringify(Object.fromEntries(oscalFiles(input)))
  const untested = population.length - tested
  const ofRefused = findings.flatMap(refusedNodes)

  test('has the nodes tested in every output', () => {
    expect(figures).toMatchObject({ declared: population.length, tested, untested })
    expect(ofRefused.length).toBe(refused)
    expect(summaryText(input)).toContain(`${tested} of ${population.length} declared nodes collected`)
    for (const text of [words, pageOne])
      expect(text).toContain(`${population.length} declared: ${tested} tested, ${untested} not tested`)
    expect(findingsView(source, null)).toMatchObject({ declared: population.length, tested })
    expect(packItem(matter).nodes).toEqual({ declared: population.length, tested })
  })

  test('has a time of collection only where a node was collected', () => {
    const collected = new Set(assessment.nodes.filter(reached).map(({ node }) => node))
    const { columns, rows: nodeRows } = populationGrid(assessment)
    for (const table of [textRows(columns, nodeRows), textRows(RESULTS_COLUMNS, resultRows(input))]) {
      const [head = [], ...rows] = table
      const [node, at] = [head.indexOf('node'), head.indexOf('collected at (UTC)')]
      expect([node, at > 0]).toEqual([0, true])
      for (const row of rows) {
        const name = row[node] ?? ''
        expect([name, row[at] !== '']).toEqual([name, collected.has(name)])
      }
    }
  })

  test('has the deviations, nodes tested and nodes refused of each finding in every output', () => {
    const [head = [], ...rows] = findingsTable(input)
    const cell = (row: readonly string[] | undefined, title: string) => Number(row?.[head.indexOf(title)])
    const items = new Map(findingItems(matter).map((one) => [one.reference, one]))
    const poam = JSON.stringify(poamSheets(input))
    for (const finding of findings.filter(({ what }) => what === 'nodes')) {
      const { reference, deviations, untested: without } = finding
      const apart = refusedNodes(finding).length
      expect(finding.tested + apart + without.length).toBe(population.length)
      const whole = finding.tested + apart
      const counts = `${deviations.length} of ${whole}`
      const parts = `${finding.tested} tested, ${apart} refused before login`
      const row = rows.find(([first]) => first === reference)
      expect([cell(row, 'deviations'), cell(row, 'tested'), cell(row, 'refused before login')]).toEqual([
        deviations.length,
        finding.tested,
        apart,
      ])
      expect((row?.[head.indexOf('controls that the refusal limits')] ?? '') !== '').toBe(apart > 0)
      const view = findingView(source, reference)
      expect(view).toMatchObject({ deviations: deviations.length, tested: finding.tested, refused: apart })
      const item = items.get(reference)
      expect([item?.deviations, item?.tested, item?.refused ?? 0]).toEqual([deviations.length, finding.tested, apart])
      const told = [
        summaryText(input),
        findingText(finding, { remediation: undefined, history: [], limits: [] }).join('\n'),
        item === undefined ? '' : linesOf(item).join('\n'),
        poam,
        words,
        html,
      ]
      for (const text of told) {
        expect(text).toContain(counts)
        if (apart > 0) {
          expect(text).toContain(parts)
          expect(text).not.toMatch(new RegExp(`\\b${counts} (nodes )?tested`))
        }
      }
    }
    const risks = [...oscalFiles(input)].flatMap(([, value]) => risksIn(value))
    for (const finding of findings) {
      const own = risks.filter((one) => one.reference === finding.reference)
      expect(own.length).toBeGreaterThan(0)
      for (const one of own)
        expect(one).toMatchObject({
          deviations: String(finding.deviations.length),
          tested: String(finding.tested),
          'not-tested': String(finding.untested.length),
          ...(refusedNodes(finding).length === 0
            ? {}
            : { 'refused-before-login': String(refusedNodes(finding).length) }),
        })
    }
  })

  test('has each control’s counts in every output', () => {
    const [head = [], ...rows] = controlsTable(assessment, catalog)
    expect(rows.length).toBe(assessment.controls.length)
    for (const [at, { server, state }] of assessment.controls.entries()) {
      const row = rows[at] ?? []
      const value = (title: string) => row[head.indexOf(title)]
      expect(value('state')).toBe(state)
      expect([value('nodes tested'), value('nodes deviating')].map(Number)).toEqual([server.tested, server.deviating])
      expect(server.tested <= server.population).toBe(true)
      // A node that was not reached limits what it is tested for, and is never a node without deviations.
      if (server.population > 0 && tested < population.length)
        expect(['deviations', 'unable-to-conclude', 'scope-limitation', 'not-tested']).toContain(server.state)
    }
    for (const { framework, states } of frameworks) {
      const own = assessment.controls.filter((one) => one.framework === framework.id)
      for (const [state, count] of states) {
        expect(own.filter((one) => one.state === state).length).toBe(count)
        expect(oscal).toContain(`"name":"rows-${state}"`)
      }
      expect(sum(states.map(([, count]) => count))).toBe(own.length)
    }
  })

  test('has the results of each verdict in every output', () => {
    const all = assessment.nodes.flatMap(({ results }) => results.map(({ verdict }) => verdict))
    const count = (verdict: (typeof VERDICTS)[number]) => all.filter((one) => one === verdict).length
    const events = [...ocsfEvents(matter, '1')].map((one) => JSON.parse(JSON.stringify(one)).compliance.status_code)
    expect(VERDICTS.map((verdict) => events.filter((one) => one === verdict).length)).toEqual(VERDICTS.map(count))
    expect(packItem(matter).results).toMatchObject({
      satisfied: count('satisfied'),
      notSatisfied: count('not-satisfied'),
      inconclusive: count('inconclusive'),
      notTested: count('not-tested'),
    })
    expect([...hdfFiles(input)].length).toBe(population.length)
    const about = new Map(workbookOf(input)[0]?.rows.map(([title, content]) => [title, content]))
    expect(about.get('Nodes in population')).toBe(population.length)
    expect(about.get('Nodes collected')).toBe(tested)
  })

  test('states that no node was tested where none was, and no absence of deviations', () => {
    const told = [summaryText(input), words, pageOne, html, linesOf(packItem(matter)).join('\n')]
    if (tested === 0)
      for (const text of told) expect(text).not.toMatch(/no (deviations|findings).{0,8} on the nodes tested/i)
  })
})

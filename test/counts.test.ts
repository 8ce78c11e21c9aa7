import { describe, expect, test } from 'vitest'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { assessmentView, runPreview } from '../main/app/evaluate/views.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { planOf } from '../main/core/collector/plan.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { tally as tallyOfReport } from '../main/core/conclusion/tally.ts'
import { REQUESTS } from '../main/core/register/documents.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { supportedShare } from '../main/present/report/parts/wording.ts'
import { checkTally, countsOf, nodesWith } from '../renderer/models/control-tree.ts'
import { documentsIn } from '../renderer/models/document-model.ts'
import { propertySentence } from '../renderer/models/ledger.ts'
import { cellOfNode, checksOf, matrixOf, shareOf, sumOf, type Tally, tallyIn } from '../renderer/models/model.ts'
import { checkGroups } from '../renderer/parts/ControlEntry.tsx'
import { checkLine } from '../schemas/conclusion-words.ts'
import type { EvidenceDocument } from '../schemas/types.ts'
import { VERDICTS, type Verdict, verdictWords } from '../schemas/words.ts'
import { FIXTURE_TIME, fixtureNames, fixtureRecording } from './support/fixtures.ts'
import { documentOf, riskAcceptanceOf } from './support/register.ts'

/**
 * Over the views that the engine makes of the demo fleet: on every screen the numbers close, and no two places give two numbers for one
 * thing. The window, the command line and the report are compared with the findings themselves.
 */

const AWAY = 'demo-gone-07'
const recordings = fixtureNames()
  .filter((name) => name.startsWith('demo-'))
  .map((name) => fixtureRecording(name, catalog.probes))
const scope = {
  fleet: 'demo',
  population: [...recordings.map(({ recording }) => recording.node.name), AWAY],
  frameworks: ['hipaa', 'soc2', 'nprm'],
}

const first = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME })
const contradicted = first.nodes.flatMap(({ node, results }) =>
  results.flatMap(({ check, verdict }) => (verdict === 'not-satisfied' ? [{ node, check }] : [])),
)
const accepted = contradicted[0] ?? { node: '', check: '' }
const INSPECTION = { by: 'J. Chen', at: FIXTURE_TIME, lookedAt: 'The whole report.' }
/** Evidence requests of the catalog, each answered by an inspected document: one supports, one does not, one is below its level. */
const answering = (id: string, changes: Partial<EvidenceDocument>) =>
  documentOf({
    id: id.padEnd(32, '0').toLowerCase(),
    need: catalog.requests.find((one) => one.id === id)?.title ?? '',
    controls: [{ framework: REQUESTS, control: id }],
    attachedAt: FIXTURE_TIME,
    ...changes,
  })
const documents = [
  answering('ER-03', { level: 'inspected', inspection: { ...INSPECTION, conclusion: 'supports' } }),
  answering('ER-04', { level: 'inspected', inspection: { ...INSPECTION, conclusion: 'does-not-support' } }),
  answering('ER-07', { level: 'received' }),
]
const register = {
  ...EMPTY_REGISTER,
  riskAcceptances: [riskAcceptanceOf({ check: accepted.check, nodes: [accepted.node] })],
  documents,
}

const assessment = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME, register })
const view = assessmentView(catalog, {
  of: 'run',
  run: 'demo',
  assessment,
  recordings,
  register,
  unreadable: [],
})
const matrix = matrixOf(view)
const cells = assessment.nodes.flatMap(({ node }) =>
  view.properties.map((property) => ({ node, property, cell: cellOfNode(view, node, property) })),
)
const controls = view.frameworks.flatMap(({ controls: rows }) => rows.map((row) => ({ row })))

/** What a tally says, counted again from verdicts by hand. */
function expectTally(tally: Tally | null | undefined, verdicts: readonly Verdict[], where: string): void {
  const by = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length
  expect(tally?.counts, where).toEqual(Object.fromEntries(VERDICTS.map((verdict) => [verdict, by(verdict)])))
  expect(tally?.total, where).toBe(verdicts.length)
  expect(tally?.decidable, where).toBe(by('satisfied') + by('not-satisfied') + by('inconclusive') + by('not-tested'))
}

const numbers = (text: string): readonly number[] => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits))

test('the demo fleet has every verdict, an acceptance and documents in each state, so that each number is tried', () => {
  const all = new Set(assessment.nodes.flatMap(({ results }) => results.map(({ verdict }) => verdict)))
  expect([...VERDICTS].filter((verdict) => !all.has(verdict))).toEqual([])
  expect(view.rows.some((row) => row.accepted.length > 0)).toBe(true)
  const states = new Set(controls.flatMap(({ row }) => row.documents.map(({ state }) => state)))
  expect([...states].sort()).toEqual(['deviation', 'held', 'optional', 'outstanding'])
})

describe('a node and a property', () => {
  test('the matrix counts what the findings are, and so does the page behind each cell', () => {
    for (const { node, property, cell } of cells) {
      const own = assessment.nodes.find((one) => one.node === node)?.results ?? []
      const verdicts = own.filter((one) => one.property === property).map(({ verdict }) => verdict)
      expectTally(cell?.tally, verdicts, `${node}, ${property}`)
      const behind = checksOf(view.checks, { results: own }, property)
      expectTally(
        cell?.tally,
        behind.map(({ verdict }) => verdict),
        `behind ${node}, ${property}`,
      )
      expect(cell?.verdict, `${node}, ${property}`).toBe(behind[0]?.verdict)
    }
  })

  test('the sentence of that page names every number of the cell and no other', () => {
    for (const { node, property, cell } of cells) {
      const { counts, decidable } = cell?.tally ?? tallyIn(null)
      const said = numbers(propertySentence(property, cell?.tally ?? tallyIn(null)))
      const expected = [...(decidable > 0 ? [decidable] : []), ...VERDICTS.map((verdict) => counts[verdict])]
      expect([...said].sort(), `${node}, ${property}`).toEqual(expected.filter((count) => count > 0).sort())
    }
  })

  test('the report and the command line give the same', () => {
    const reported = tallyOfReport(assessment, catalog.checks)
    const told = summaryText({ assessment, catalog, register, recordings: [] })
    expect(view.properties).toEqual(reported.properties)
    for (const { node, property, cell } of cells) {
      const { worst, ...same } = reported.cell(node, property)
      expect({ worst: cell?.verdict, ...cell?.tally }, `${node}, ${property}`).toEqual({ worst, ...same })
      const share = shareOf(cell?.tally ?? tallyIn(null))
      expect(supportedShare(reported.cell(node, property)).startsWith(share), `${node}, ${property}`).toBe(true)
      if (node !== AWAY && share !== '') expect(told).toContain(`${share} satisfied`)
    }
  })
})

describe('all nodes', () => {
  test('the counts under a title add up to the results of the nodes tested, whether counted against a node or not', () => {
    for (const [place, property] of view.properties.entries()) {
      const verdicts = assessment.nodes
        .filter(({ recording }) => recording !== null)
        .flatMap(({ results }) => results.filter((one) => one.property === property).map(({ verdict }) => verdict))
      const by = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length
      const sum = matrix.sums[place]
      expect(sum, property).toMatchObject({
        notSatisfied: by('not-satisfied'),
        satisfied: by('satisfied'),
        notTested: by('not-tested'),
        informational: by('informational'),
        notApplicable: by('not-applicable'),
      })
      expect((sum?.inconclusive ?? 0) + (sum?.fromSecondRun ?? 0), property).toBe(by('inconclusive'))
      const all = Object.values(sum ?? {}).reduce((whole, count) => whole + count, 0)
      expect(all, property).toBe(verdicts.length)
    }
  })

  test('what only a second run can decide is counted against no node of a first one', () => {
    const tested = matrix.rows.filter(({ collected }) => collected).length
    expect(view.fromSecondRun).toEqual(['lifecycle.disk-swap-detection'])
    expect(sumOf(matrix.sums).fromSecondRun).toBe(tested)
    const pinned = recordings.map((loaded) => ({
      ...loaded,
      recording: {
        ...loaded.recording,
        node: { ...loaded.recording.node, hardware: [{ kind: 'disk' as const, part: 'nvme0n1', value: 'S1' }] },
      },
    }))
    const second = assessmentView(catalog, {
      of: 'run',
      run: 'demo',
      assessment,
      recordings: pinned,
      register,
      unreadable: [],
    })
    expect(second.fromSecondRun).toEqual([])
    expect(sumOf(matrixOf(second).sums).fromSecondRun).toBe(0)
  })

  test('cells, checks and nodes add up to the same findings', () => {
    const sum = (tallies: readonly (Tally | null | undefined)[], verdict: Verdict): number =>
      tallies.reduce((so, tally) => so + (tally?.counts[verdict] ?? 0), 0)
    const byCell = cells.map(({ cell }) => cell?.tally)
    const byCheck = view.checks.map(({ id }) => checkTally(view, id))
    for (const verdict of VERDICTS) {
      const found = assessment.nodes.flatMap(({ results }) => results.filter((one) => one.verdict === verdict))
      expect([sum(byCell, verdict), sum(byCheck, verdict)], verdict).toEqual([found.length, found.length])
    }
  })

  test('each number of a check on a control’s page is that of the assessment, and opens as many nodes', () => {
    for (const { row } of controls)
      for (const one of row.assessed?.checks ?? []) {
        const tally = checkTally(view, one.check)
        expect(tally === null, one.check).toBe(!one.built)
        // Without an inspected data map, a control counts all nodes whatever its scope.
        if (tally === null) continue
        expect(tally.total).toBe(one.population)
        const { satisfied, notSatisfied, inconclusive, notApplicable, notTested, informational } = one
        const stated = [satisfied, notSatisfied, inconclusive, notApplicable, notTested, informational]
        expect(
          VERDICTS.map((verdict) => tally.counts[verdict]),
          one.check,
        ).toEqual(stated)
        expect(
          VERDICTS.map((verdict) => nodesWith(view, one.check, verdict).length),
          one.check,
        ).toEqual(stated)
        expect(nodesWith(view, one.check, 'accepted').length, one.check).toBe(one.accepted)
        // The denominator of deviations is what was tested; nothing recorded is counted as failing.
        const line = checkLine(one)
        if (line.startsWith('deviations')) expect(line).toContain(`deviations ${notSatisfied} of ${one.tested} tested`)
      }
  })
})

describe('a control', () => {
  test('is counted over all its checks and nodes', () => {
    for (const { row } of controls) {
      const checks = row.assessed?.checks ?? []
      const tally = tallyIn(row.counted)
      expect(tally.total, row.key).toBe(checks.reduce((sum, { population }) => sum + population, 0))
      expect(VERDICTS.reduce((sum, verdict) => sum + tally.counts[verdict], 0)).toBe(tally.total)
    }
  })

  test('lists each mapped check once: by role, or with the document that answers it', () => {
    for (const { row } of controls) {
      const grouped = checkGroups(row).flatMap(({ checks }) => checks.map(({ check }) => check))
      const answered = row.mappings
        .map(({ check }) => check)
        .filter((id) => row.documents.some(({ checks }) => checks.includes(id)))
      expect([...grouped, ...answered].sort(), row.key).toEqual(row.mappings.map(({ check }) => check).sort())
    }
  })

  test('has one number of documents needed and held, wherever it is shown', () => {
    for (const { row } of controls) {
      if (row.assessed?.state === 'out-of-scope') {
        expect(row.documents, row.key).toEqual([])
        continue
      }
      const required = row.documents.filter(({ mandatory }) => mandatory)
      const of = (state: string): number => required.filter((one) => one.state === state).length
      const { needed, held, outstanding } = row.assessed?.documents ?? { needed: -1, held: -1, outstanding: [] }
      expect([required.length, of('held'), of('outstanding')], row.key).toEqual([needed, held, outstanding.length])
      expect(required.length).toBe(of('held') + of('outstanding') + of('deviation'))
      for (const document of row.documents)
        expect(document.state === 'deviation', `${row.key} ${document.title}`).toBe(
          row.assessed?.documents.deviations.includes(document.request?.id ?? document.title),
        )
    }
  })

  test('shows a document that answers an evidence request in every control that the request serves', () => {
    const listed = documentsIn(view.frameworks)
    for (const {
      id,
      controls: [ref],
    } of documents) {
      const one = listed.find(({ target }) => target.control === ref?.control)
      expect(one?.document.attached).toEqual([id])
      expect(one?.rows.length).toBeGreaterThan(1)
    }
  })

  test('is not in scope where its category is not elected, and then has no document', () => {
    const soc2 = view.frameworks.find(({ id }) => id === 'soc2')?.controls ?? []
    const elective = soc2.filter(({ category }) => category !== 'security')
    expect(elective.length).toBeGreaterThan(0)
    expect(new Set(elective.map(({ assessed }) => assessed?.state))).toEqual(new Set(['out-of-scope']))
  })

  test('the states of a framework and of its groups add up to its rows', () => {
    for (const { controls: rows } of view.frameworks)
      for (const group of [rows, ...new Set(rows.map(({ group: name }) => rows.filter((one) => one.group === name)))])
        expect(countsOf(group).reduce((sum, { count }) => sum + count, 0)).toBe(group.length)
  })
})

test('the list of what will run and the progress of a run count the same commands', () => {
  const asked = { liveTests: false, metadata: false }
  const lines = runPreview(catalog, ['a'], asked).questions.flatMap((question) => question.lines)
  const { commands } = planOf(catalog.probes, { sudo: true, echo: false, ...asked })
  expect(lines.filter(({ by }) => by !== 'this-computer')).toHaveLength(commands.length)
})

test('every verdict has its own word, so that no two numbers read alike', () =>
  expect(new Set(VERDICTS.map((verdict) => verdictWords[verdict].label)).size).toBe(VERDICTS.length))

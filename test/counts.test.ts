import { describe, expect, test } from 'vitest'
import { summaryText } from '../main/app/summary.ts'
import { assessmentView, runPreview } from '../main/app/views.ts'
import { catalog } from '../main/catalog/index.ts'
import { assess } from '../main/core/assess.ts'
import { planOf } from '../main/core/collector/plan.ts'
import { EMPTY_REGISTER } from '../main/core/register.ts'
import { supportedShare } from '../main/core/report/wording.ts'
import { tally as tallyOfReport } from '../main/core/tally.ts'
import { checkTally, countsOf, isHeld, nodesWith, slotsOf } from '../renderer/control-tree.ts'
import { propertySentence } from '../renderer/ledger.ts'
import {
  cellOfNode,
  checksOf,
  matrixOf,
  shareOf,
  shortShareOf,
  type Tally,
  tallyIn,
  totalsOf,
} from '../renderer/model.ts'
import { stateReasons } from '../renderer/register-model.ts'
import type { RegisterView } from '../schemas/ipc-packs.ts'
import { VERDICTS, type Verdict, verdictWords } from '../schemas/words.ts'
import { FIXTURE_TIME, fixtureNames, fixtureRecording } from './support/fixtures.ts'
import { attachmentOf, exceptionOf } from './support/register.ts'

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
const contradicted = first.nodes.flatMap(({ node, findings }) =>
  findings.flatMap(({ check, verdict }) => (verdict === 'not-met' ? [{ node, check }] : [])),
)
const accepted = contradicted[0] ?? { node: '', check: '' }
const needing = first.controls.find(({ outstanding }) => outstanding.length > 1)
const attachment = attachmentOf({
  need: needing?.outstanding[0] ?? '',
  method: 'examined',
  controls: [{ framework: needing?.framework ?? '', control: needing?.control ?? '' }],
})
const register = {
  ...EMPTY_REGISTER,
  exceptions: [exceptionOf({ check: accepted.check, nodes: [accepted.node] })],
  attachments: [attachment],
}
const assessment = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME, register })
const view = assessmentView(catalog, {
  of: 'run',
  run: 'demo',
  assessment,
  recordings,
  exceptions: register.exceptions,
  unreadable: [],
})
const registerView: RegisterView = {
  ...register,
  pending: [],
  explanations: [],
  exceptions: [],
  decisions: [],
  attachments: [{ ...attachment, standing: 'in-force', bears: true }],
} as unknown as RegisterView

const matrix = matrixOf(view)
const cells = assessment.nodes.flatMap(({ node }) =>
  view.properties.map((property) => ({ node, property, cell: cellOfNode(view, node, property) })),
)
const controls = view.frameworks.flatMap(({ id, controls: rows }) => rows.map((row) => ({ framework: id, row })))

/** What a tally says, counted again from verdicts by hand. */
function expectTally(tally: Tally | null | undefined, verdicts: readonly Verdict[], where: string): void {
  const by = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length
  expect(tally?.counts, where).toEqual(Object.fromEntries(VERDICTS.map((verdict) => [verdict, by(verdict)])))
  expect(tally?.total, where).toBe(verdicts.length)
  expect(tally?.decidable, where).toBe(by('met') + by('not-met') + by('inconclusive') + by('not-tested'))
}
const numbers = (text: string): readonly number[] => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits))

test('the demo fleet has every verdict, an acceptance and a record, so that each number is tried', () => {
  const all = new Set(assessment.nodes.flatMap(({ findings }) => findings.map(({ verdict }) => verdict)))
  expect([...VERDICTS].filter((verdict) => !all.has(verdict))).toEqual([])
  expect(view.rows.some((row) => row.accepted.length > 0)).toBe(true)
  expect(controls.some(({ row }) => (row.assessed?.records.held ?? 0) > 0)).toBe(true)
})

describe('a node and a property', () => {
  test('the matrix counts what the findings are, and so does the page behind each cell', () => {
    for (const { node, property, cell } of cells) {
      const own = assessment.nodes.find((one) => one.node === node)?.findings ?? []
      const verdicts = own.filter((one) => one.property === property).map(({ verdict }) => verdict)
      expectTally(cell?.tally, verdicts, `${node}, ${property}`)
      const behind = checksOf(view.checks, { findings: own }, property)
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
    const told = summaryText(assessment, catalog, register)
    expect(view.properties).toEqual(reported.properties)
    for (const { node, property, cell } of cells) {
      const { worst, ...same } = reported.cell(node, property)
      expect({ worst: cell?.verdict, ...cell?.tally }, `${node}, ${property}`).toEqual({ worst, ...same })
      expect(supportedShare(reported.cell(node, property))).toBe(shortShareOf(cell?.tally ?? tallyIn(null)))
      const share = shareOf(cell?.tally ?? tallyIn(null))
      if (node !== AWAY && share !== '') expect(told).toContain(`${share} supported`)
    }
  })
})

describe('all nodes', () => {
  test('the number under a title counts declared nodes by their worst verdict, and opens as many', () => {
    for (const property of view.properties) {
      const worst = cells.filter((one) => one.property === property).map(({ cell }) => cell?.verdict ?? 'not-tested')
      expectTally(totalsOf(matrix, property), worst, property)
      expect(totalsOf(matrix, property).total).toBe(view.rows.length)
    }
  })

  test('cells, checks and nodes add up to the same findings', () => {
    const sum = (tallies: readonly (Tally | null | undefined)[], verdict: Verdict): number =>
      tallies.reduce((so, tally) => so + (tally?.counts[verdict] ?? 0), 0)
    const byCell = cells.map(({ cell }) => cell?.tally)
    const byCheck = view.checks.map(({ id }) => checkTally(view, id))
    for (const verdict of VERDICTS) {
      const found = assessment.nodes.flatMap(({ findings }) => findings.filter((one) => one.verdict === verdict))
      expect([sum(byCell, verdict), sum(byCheck, verdict)], verdict).toEqual([found.length, found.length])
    }
  })

  test('each number of a check on a control’s page is that of the assessment, and opens as many nodes', () => {
    for (const { row } of controls)
      for (const one of row.assessed?.checks ?? []) {
        const tally = checkTally(view, one.check)
        expect(tally === null, one.check).toBe(!one.built)
        if (tally === null) continue
        expect(tally.total).toBe(one.population)
        const { met, notMet, inconclusive, notApplicable, notTested, informational } = one
        const stated = [met, notMet, inconclusive, notApplicable, notTested, informational]
        expect(
          VERDICTS.map((verdict) => tally.counts[verdict]),
          one.check,
        ).toEqual(stated)
        expect(
          VERDICTS.map((verdict) => nodesWith(view, one.check, verdict).length),
          one.check,
        ).toEqual(stated)
        expect(nodesWith(view, one.check, 'accepted').length, one.check).toBe(one.excepted)
      }
  })
})

describe('a control', () => {
  test('is counted over all its checks and nodes, and its reasons close', () => {
    for (const { framework, row } of controls) {
      const checks = row.assessed?.checks ?? []
      const tally = tallyIn(row.counted)
      expect(tally.total, row.key).toBe(checks.reduce((sum, { population }) => sum + population, 0))
      expect(VERDICTS.reduce((sum, verdict) => sum + tally.counts[verdict], 0)).toBe(tally.total)
      if (row.assessed?.nodePart == null) continue
      const shares = stateReasons(row, framework, registerView).flatMap((reason) => [
        ...reason.matchAll(/(\d+) of (\d+) findings/g),
      ])
      expect(
        shares.reduce((sum, [, part]) => sum + Number(part), 0),
        row.key,
      ).toBe(tally.decidable)
      expect([...new Set(shares.map(([, , whole]) => Number(whole)))], row.key).toEqual(
        tally.decidable === 0 ? [] : [tally.decidable],
      )
    }
  })

  test('has one number of records held, wherever it is shown', () => {
    for (const { framework, row } of controls) {
      const own = slotsOf(framework, row, registerView, view.asOf).filter(({ inPlaceOf }) => inPlaceOf === null)
      expect({ needed: own.length, held: own.filter(isHeld).length }, row.key).toEqual(row.assessed?.records)
    }
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

import { expect, test } from 'vitest'
import {
  cellOfNode,
  checksOf,
  countWords,
  environmentLine,
  excludedWords,
  lacksDeclaration,
  matrixOf,
  observedWords,
  shareNote,
  sumOf,
  whatWouldChange,
  whyNotCollected,
} from '../../renderer/models/model.ts'
import { failureTitle } from '../../renderer/models/run-progress.ts'
import { environmentWords } from '../../schemas/words.ts'
import { check, row, view } from './made-up-view.ts'

const CHECKS = [check('a', 'isolation'), check('b', 'isolation'), check('c', 'location')]

test('what is recorded, or does not apply, is not among what can be supported', () => {
  const one = row('n1', ['satisfied', 'inconclusive', 'informational'])
  const other = row('n1', ['not-applicable', 'inconclusive', 'satisfied'])
  const tallies = [one, other].map((own) => cellOfNode(view(CHECKS, [own]), 'n1', 'isolation')?.tally)
  expect(tallies.map((tally) => [tally?.decidable, tally?.total])).toEqual([
    [2, 2],
    [1, 2],
  ])
})

test('a cell is the worst verdict of its checks, with how many are supported', () => {
  const one = row('n1', ['satisfied', 'inconclusive', 'satisfied'])
  const cell = cellOfNode(view(CHECKS, [one]), 'n1', 'isolation')
  expect([cell?.verdict, cell?.tally.counts.satisfied, cell?.tally.decidable]).toEqual(['inconclusive', 1, 2])
  expect(cell?.checks.map(({ check: { id } }) => id)).toEqual(['b', 'a'])
})

test('checks of one verdict are listed by their severity, as findings are', () => {
  const checks = [check('a', 'isolation', 'low'), check('b', 'isolation', 'critical'), check('c', 'isolation', 'high')]
  const found = (id: string, verdict: 'satisfied' | 'not-satisfied') => ({ check: id, verdict }) as never
  const results = [found('a', 'not-satisfied'), found('b', 'not-satisfied'), found('c', 'satisfied')]
  expect(checksOf(checks, { results }, 'isolation').map(({ check: { id } }) => id)).toEqual(['b', 'a', 'c'])
})

test('below a share stands what it leaves out, and what only a second run decides, as the matrix counts it', () => {
  const only = { ...view(CHECKS, [row('n1', ['satisfied', 'inconclusive', 'informational'])]), fromSecondRun: ['b'] }
  const cell = cellOfNode(only, 'n1', 'isolation')
  expect(cell === null ? '' : shareNote(cell)).toBe('1 inconclusive until a second run')
  expect(matrixOf(only).sums[0]).toMatchObject({ satisfied: 1, inconclusive: 0, fromSecondRun: 1 })
  const located = cellOfNode(only, 'n1', 'location')
  expect(located === null ? '' : shareNote(located)).toBe('1 informational')
})

test('a node that could not be reached was not observed', () => {
  const node = { ...row('n1', ['not-tested']), observedAt: '2026-11-20T09:15:00.000Z' }
  expect(observedWords({ ...node, status: 'partial' })).toBe('Observed 20 Nov 2026 09:15 UTC')
  expect(observedWords({ ...node, status: 'failed' })).toBe('Not observed; collection attempted 20 Nov 2026 09:15 UTC')
  expect(observedWords({ ...node, status: 'missing', observedAt: null })).toBe('Not observed')
})

test('a verdict that the row does not hold is not collected', () => {
  const short = row('n1', ['satisfied'])
  expect(cellOfNode(view(CHECKS, [short]), 'n1', 'isolation')?.verdict).toBe('not-tested')
})

test('a risk acceptance does not change the verdict; the one that expires first is named', () => {
  const accepted = [
    { check: 'a', until: '2027-03-01', owner: 'M. Ortiz' },
    { check: 'b', until: '2026-09-01', owner: 'J. Roe' },
    { check: 'c', until: '2026-01-01', owner: 'elsewhere' },
  ]
  const one = row('n1', ['not-satisfied', 'not-satisfied', 'satisfied'], { accepted, expired: ['c'] })
  const made = view(CHECKS, [one])
  const cell = cellOfNode(made, 'n1', 'isolation')
  expect(cell?.verdict).toBe('not-satisfied')
  expect(cell?.accepted).toEqual({ until: '2026-09-01', owner: 'J. Roe', count: 2 })
  expect([cell?.expired, cellOfNode(made, 'n1', 'location')?.expired]).toEqual([0, 1])
})

test('a node that is not declared has no cell', () => {
  const made = view(CHECKS, [row('n1', ['satisfied', 'satisfied', 'satisfied'])])
  expect(cellOfNode(made, 'n1', 'location')?.verdict).toBe('satisfied')
  expect(cellOfNode(made, 'n2', 'location')).toBeNull()
})

const FLEET = view(CHECKS, [
  row('fine', ['satisfied', 'satisfied', 'satisfied']),
  row('b-one-against', ['not-satisfied', 'satisfied', 'satisfied']),
  row('gone', ['not-tested', 'not-tested', 'not-tested'], { status: 'missing' }),
  row('a-one-against', ['satisfied', 'not-satisfied', 'inconclusive']),
  row('two-against', ['not-satisfied', 'not-satisfied', 'satisfied']),
  row('unclear', ['satisfied', 'inconclusive', 'satisfied']),
])

test('rows come worst first: contradictions by number, then no evidence, then unclear; ties by name', () => {
  expect(matrixOf(FLEET).rows.map(({ node }) => node.node)).toEqual([
    'two-against',
    'a-one-against',
    'b-one-against',
    'gone',
    'unclear',
    'fine',
  ])
})

test('sums count results of the nodes tested, and never one word for several', () => {
  expect(matrixOf(FLEET).sums[0]).toMatchObject({ notSatisfied: 4, inconclusive: 1, notTested: 0 })
})

test('a result that needs a second run is apart from the inconclusive ones', () => {
  const made = { ...view([check('a', 'evidence')], [row('n', ['inconclusive'])]), fromSecondRun: ['a'] }
  expect(matrixOf(made).sums).toEqual([expect.objectContaining({ inconclusive: 0, fromSecondRun: 1 })])
  expect(excludedWords(sumOf(matrixOf(made).sums))).toBe('1 that needs a second run')
  expect(countWords(sumOf(matrixOf(made).sums))).toBe('0 not satisfied, 0 inconclusive, 0 satisfied')
})

test('the reason for missing evidence comes from the failure, else from the status', () => {
  const failure = { code: 'ssh.unreachable', detail: 'refused' }
  expect(whyNotCollected({ status: 'failed', failure })).toBe(`${failureTitle(failure.code)} (refused)`)
  expect(whyNotCollected({ status: 'missing', failure: null })).toBe('no recording of this declared node')
})

test('the execution environment names the platform and whether it hides', () => {
  expect(environmentLine({ environment: 'virtual-machine', platform: 'KVM', concealed: true })).toBe(
    `${environmentWords['virtual-machine']} · KVM, concealed`,
  )
  expect(environmentLine({ environment: null, platform: null, concealed: false })).toBe('Undetermined')
})

test('what would change a verdict counts the reasons it rests on', () => {
  const reason = (direction: 'contradicts' | 'unclear') => ({ direction, text: 'x', cites: [] })
  const finding = {
    check: 'a',
    verdict: 'not-satisfied',
    observations: [reason('contradicts'), reason('contradicts')],
    gaps: [],
  } as never
  expect(whatWouldChange({ check: check('a', 'isolation'), finding, verdict: 'not-satisfied' })).toBe(
    'Correct each of the 2 contradicting observations, then collect again.',
  )
})

test('a recommendation asks for nothing where nothing has to be done, and for a declaration where one is missing', () => {
  const on = (verdict: 'satisfied' | 'not-applicable' | 'informational' | 'inconclusive', ...texts: string[]) => ({
    check: check('a', 'isolation'),
    finding: {
      check: 'a',
      verdict,
      observations: texts.map((text) => ({ direction: 'unclear', text, cites: [] })),
      gaps: [],
    } as never,
    verdict,
  })
  for (const verdict of ['satisfied', 'not-applicable', 'informational'] as const)
    expect(whatWouldChange(on(verdict))).toMatch(/^None\. /)
  expect(whatWouldChange(on('inconclusive', 'x'))).toBe(
    'Collect or declare what is missing: the one unclear point above.',
  )
  expect(lacksDeclaration(on('inconclusive', 'Declare the accounts in the fleet file (“roster”).'))).toBe(true)
  expect(lacksDeclaration(on('inconclusive', 'not collected'))).toBe(false)
})

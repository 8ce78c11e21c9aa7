import { describe, expect, test } from 'vitest'
import { demoDeclared } from '../main/adapters/demo/demo-declared.ts'
import { claimsView } from '../main/app/engine/declared/provider-methods.ts'
import { locationView } from '../main/app/engine/results/assessment-methods.ts'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { claimsGrid } from '../main/present/formats/grids/claims.ts'
import { populationGrid } from '../main/present/formats/grids/population.ts'
import { CLAIM_WORDS, countsOfClaim } from '../renderer/models/claims-model.ts'
import { coverageCounts, coverageLine, coverageRows } from '../renderer/models/coverage-model.ts'
import { countsOfWords, placeWord, policiesOf, policyWord } from '../renderer/models/location-model.ts'
import { claimAnswerWords } from '../schemas/words.ts'
import { FIXTURE_TIME, fixtureNames, fixtureRecording } from './support/fixtures.ts'

/** What is declared of the demo fleet: on the screens of population, location and promises the numbers close, and are those of the summary. */

const names = [...fixtureNames().filter((name) => name.startsWith('demo-')), 'demo-gone-07', 'demo-changed-08']
const recordings = names.flatMap((name) =>
  fixtureNames().includes(name) ? [fixtureRecording(name, catalog.probes)] : [],
)
const { engagement, provider, location } = demoDeclared(FIXTURE_TIME, names)
const assessment = assess({
  catalog,
  scope: { fleet: 'demo', population: names, frameworks: ['soc2'], engagement, provider, location },
  recordings,
  asOf: FIXTURE_TIME,
})
const summary = summaryText({ assessment, catalog, register: EMPTY_REGISTER, recordings: [] }).split('\n')
const numbers = (text: string): readonly number[] => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits))
/** The counts that the summary gives below a line, by their words, and the number behind “of”. */
function countsBelow(line: string): { readonly counts: ReadonlyMap<string, number>; readonly of: number } {
  const text = summary[summary.indexOf(`  ${line}`) + 1] ?? ''
  const [, list = '', of] = /^ {6}(.*) \(of (\d+)(?: collected)?\)$/.exec(text) ?? []
  const counts = list
    .replaceAll(/ \(\d+ not collected\)/g, '')
    .split(/(?<=\d), /)
    .map((one) => [one.replace(/ \d+$/, ''), Number(/\d+$/.exec(one)?.[0])] as const)
  return { counts: new Map(counts), of: Number(of) }
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0)

describe('population', () => {
  const { reconciliation } = assessment
  if (reconciliation === undefined) throw new Error('nothing was compared')
  const rows = coverageRows(reconciliation)

  test('every node and every row of the list is in one state', () => {
    const counts = new Map(coverageCounts(rows).map(({ state, count }) => [state, count]))
    expect(sum(counts.values())).toBe(rows.length)
    expect(rows).toHaveLength(reconciliation.nodes.length + reconciliation.inventoryOnly.length)
    expect(counts.get('unreconciled') ?? 0).toBe(reconciliation.unreconciled)
    expect(rows.filter(({ answered }) => answered)).toHaveLength(reconciliation.collected)
    expect(rows.filter(({ inFleet }) => inFleet)).toHaveLength(reconciliation.inFleet)
    expect(rows.filter(({ declared }) => declared)).toHaveLength(reconciliation.declared)
    const listed = rows.filter((row) => row.listed !== null)
    expect(listed).toHaveLength(reconciliation.inventory ?? -1)
  })

  test('the line of the screen, that of the summary and the table give the same', () => {
    const [declared, enrolled, answered, , inventory, uncovered] = numbers(coverageLine(reconciliation))
    const told = summary.find((line) => line.startsWith('population: ')) ?? ''
    expect(numbers(told)).toEqual([declared, enrolled, inventory, uncovered])
    const head = summary.find((line) => line.includes('declared nodes collected')) ?? ''
    expect(numbers(head)[0]).toBe(answered)
    expect(populationGrid(assessment).rows).toHaveLength(reconciliation.nodes.length)
  })
})

describe('location', () => {
  const { rows } = locationView('run' as never, assessment, false)
  const questions = [
    ['declared place', rows.map(placeWord)],
    ...policiesOf(rows).map((title) => [title, rows.flatMap((row) => policyWord(row, title) ?? [])] as const),
  ] as const

  test('a place and two policies are asked about', () => expect(questions.map(([title]) => title)).toHaveLength(3))

  test.each(questions)('%s: each node that it is for has one answer, as in the summary', (title, words) => {
    const counts = countsOfWords(words)
    expect(sum(counts.map(({ count }) => count))).toBe(words.length)
    for (const { text } of counts) expect(numbers(text).at(-1)).toBe(words.length)
    const asked = counts.filter(({ word }) => word !== 'not-asked')
    const told = countsBelow(title)
    expect(told.counts).toEqual(new Map(asked.map(({ text, count }) => [text.slice(0, text.indexOf(':')), count])))
    expect(told.of).toBe(sum(told.counts.values()))
  })
})

describe('promises of the provider', () => {
  const { claims } = claimsView(catalog, provider, assessment)

  test.each(claims)('$id: every node it was asked of has one answer, as in the summary and the table', (claim) => {
    const counts = new Map(CLAIM_WORDS.map((word) => [claimAnswerWords[word].label, claim.counts[word]]))
    expect(sum(counts.values())).toBe(claim.nodes)
    for (const { text } of countsOfClaim(claim)) expect(numbers(text).at(-1)).toBe(claim.nodes)
    const told = countsBelow(claim.text)
    expect(told.of).toBe(claim.nodes)
    expect(told.counts).toEqual(new Map([...counts].filter(([, count]) => count > 0)))
    expect(claimsGrid(assessment, provider).rows.filter((row) => row.includes(claim.id))).toHaveLength(claim.nodes)
  })
})

import { describe, expect, test } from 'vitest'
import { summaryText } from '../main/app/summary.ts'
import { conditionFound } from '../main/core/catalog.ts'
import { partsTable, rowCounts } from '../main/present/formats/row-counts.ts'
import { documentStateWords, rowStateWords, serverStateWords } from '../schemas/conclusion-words.ts'
import { formatSample } from './support/format-sample.ts'

const { assessment, catalog, register } = formatSample()
const lines = summaryText(assessment, catalog, register).split('\n')
const frameworks = rowCounts(assessment, catalog)

/** The lines of one framework, from its title to the next empty line. */
function partOf(title: string): readonly string[] {
  const start = lines.findIndex((line) => line.startsWith(`${title}: `))
  const length = lines.slice(start).indexOf('')
  return lines.slice(start, length < 0 ? undefined : start + length)
}

describe.each(frameworks.map((one) => [one.framework.id, one] as const))('the summary of %s', (_, counts) => {
  const part = partOf(counts.framework.title)

  test('counts its rows by state, and the counts sum to the rows listed', () => {
    expect(part[0]).toBe(`${counts.framework.title}: ${counts.rows.length} controls`)
    const labels: readonly string[] = counts.states.map(([state]) => rowStateWords[state].label)
    const told = part.flatMap((line) => {
      const [, count, label = ''] = /^ {2}(\d+) (.+?)(?: \(of which .*\))?$/.exec(line) ?? []
      return labels.includes(label) ? [Number(count)] : []
    })
    expect(told).toEqual(counts.states.map(([, count]) => count).filter((count) => count > 0))
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(counts.rows.length)
  })

  test('sets the server part against the document part, for the rows in scope', () => {
    const inScope = counts.rows.filter(({ state }) => state !== 'out-of-scope')
    const table = partsTable(inScope)
    const head = part.find((line) => line.startsWith('    Server part')) ?? ''
    for (const state of table.documents) expect(head).toContain(documentStateWords[state].label)
    for (const { server, counts: own } of table.lines) {
      const line = part.find((one) => one.startsWith(`    ${serverStateWords[server].label} `)) ?? ''
      expect([...line.matchAll(/\d+/g)].map(([digits]) => Number(digits))).toEqual(own)
    }
    expect(table.lines.flatMap((one) => one.counts).reduce((sum, count) => sum + count, 0)).toBe(inScope.length)
  })
})

describe('the summary', () => {
  test('names supported rows that rest on documents alone apart from those with server tests', () => {
    const [hipaa] = frameworks
    const supported = hipaa?.states.find(([state]) => state === 'supported')?.[1]
    expect(partOf(hipaa?.framework.title ?? '')).toContain(
      `  ${supported} ${rowStateWords.supported.label} (of which ${hipaa?.supportedByTests} with server tests)`,
    )
  })

  test('counts deviations of the nodes tested, with what was not tested', () => {
    const line = lines.find((one) => one.startsWith('    CC6.6  '))
    expect(line).toMatch(/deviations on 2 of 6 nodes tested; 1 not tested$/)
    expect(lines.join('\n')).toMatch(/^ {6}5 of 6 tested; 1 not tested: demo-gpu-01, /m)
  })

  test('keeps observations apart from deviations', () => {
    const deviations = lines.findIndex((line) => line.startsWith('Deviations ('))
    const observations = lines.findIndex((line) => line.startsWith('Observations: '))
    expect(deviations).toBeGreaterThan(0)
    expect(observations).toBeGreaterThan(deviations)
    const at = (id: string): number => {
      const check = catalog.checks.find((one) => one.id === id)
      return lines.findIndex((line) => check !== undefined && line.startsWith(`  ${conditionFound(catalog, check)}`))
    }
    expect(at('access.unique-accounts')).toBeGreaterThan(deviations)
    expect(at('access.unique-accounts')).toBeLessThan(observations)
    // Supporting or context in every row: it deviates from nothing.
    expect(at('encryption.in-transit.fabric')).toBeGreaterThan(observations)
  })

  test('prints a risk acceptance beside the deviation, which remains', () => {
    expect(lines).toContain('      risk accepted on 3 of these; the deviation remains')
  })
})

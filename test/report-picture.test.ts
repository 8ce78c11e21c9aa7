import { describe, expect, it } from 'vitest'
import { conditionFound } from '../main/core/catalog.ts'
import type { Block } from '../main/core/report-document.ts'
import { boundarySection } from '../main/present/report/boundary.ts'
import { whoseWord } from '../main/present/report/declared.ts'
import { gapSection } from '../main/present/report/gaps.ts'
import { populationSection } from '../main/present/report/population.ts'
import { type Contradiction, contradicted, leading, summary } from '../main/present/report/summary.ts'
import { asExamined, between } from '../main/present/report/wording.ts'
import { buildReport, documentText, matterOf } from '../main/present/report.ts'
import type { Verdict } from '../schemas/words.ts'
import { declaredInput, engagementOf } from './support/report/declared.ts'
import { sampleInput } from './support/report/sample.ts'

// What a reader takes from the first pages, and in which order.

const input = sampleInput()
const textOf = (blocks: readonly Block[]): string =>
  documentText({ ...buildReport(input), sections: [{ id: 'one', title: 'One', blocks }] }).join('\n')

/** The sample with verdicts by check, on the first so many nodes; everything else is not collected. */
function withVerdicts(wanted: Readonly<Record<string, readonly [verdict: Verdict, nodes: number]>>) {
  const nodes = input.assessment.nodes.map((node, index) => ({
    ...node,
    results: input.catalog.checks.flatMap(({ id, property }) => {
      const [verdict, count] = wanted[id] ?? (['not-tested', 0] as const)
      return index < count ? [{ check: id, property, verdict, observations: [] }] : []
    }),
  }))
  return matterOf({ ...input, assessment: { ...input.assessment, nodes } })
}

describe('the order of gaps', () => {
  it('goes by subject, then by how many nodes, then as the catalog lists them', () => {
    const [first, second] = input.catalog.checks.filter(({ property }) => property === 'isolation')
    const access = input.catalog.checks.find(({ property }) => property === 'access')
    const rest = input.catalog.checks.find(({ property }) => property === 'encryption-at-rest')
    const matter = withVerdicts({
      [access?.id ?? '']: ['not-satisfied', 6],
      [rest?.id ?? '']: ['not-satisfied', 2],
      [first?.id ?? '']: ['not-satisfied', 1],
      [second?.id ?? '']: ['not-satisfied', 1],
    })
    expect(contradicted(matter).map(({ check }) => check.id)).toEqual([first?.id, second?.id, rest?.id, access?.id])
    expect(leading(contradicted(matter), 3).map(({ check }) => check.id)).toEqual([first?.id, rest?.id, access?.id])
  })

  it.each([
    ['as many as there are', 9, ['a1', 'a2', 'b1']],
    ['one of each subject before a second', 2, ['a1', 'b1']],
    ['none', 0, []],
  ])('takes %s', (_, most, ids) => {
    const gap = (id: string, property: 'isolation' | 'access'): Contradiction => ({
      check: { id, property } as Contradiction['check'],
      nodes: ['n'],
    })
    const gaps = [gap('a1', 'isolation'), gap('a2', 'isolation'), gap('b1', 'access')]
    expect(leading(gaps, most).map(({ check }) => check.id)).toEqual(ids)
  })

  it('never lets a contradicted claim stand alone as if it held', () => {
    const matter = matterOf(input)
    const headings = gapSection(matter).blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []))
    expect(headings).toEqual(contradicted(matter).map(({ check }) => conditionFound(matter.catalog, check)))
    expect(headings.length).toBeGreaterThan(0)
  })
})

describe('fleets at the edge', () => {
  it.each([
    [
      'no node',
      sampleInput({ scope: { population: [] } }),
      ['No nodes declared.', 'No node was collected, so no check was tested.'],
    ],
    [
      'none that answered',
      {
        ...input,
        recordings: [],
        assessment: {
          ...input.assessment,
          nodes: input.assessment.nodes.map((node) => ({ ...node, recording: null, results: [] })),
        },
      },
      [
        '0 of 6 declared nodes collected.',
        'No node was collected, so no check was tested.',
        '6 of 6 declared nodes not collected',
      ],
    ],
  ])('%s: nothing reads as support', (_, of, words) => {
    const said = textOf(summary(matterOf(of)).blocks)
    for (const one of words) expect(said).toContain(one)
    expect(said).toContain('No risk acceptances.')
    for (const block of summary(matterOf(of)).blocks)
      if (block.kind === 'table') expect(block.rows.length).toBeGreaterThan(0)
  })

  it('one node that supports everything: nothing is missing', () => {
    const whole = withVerdicts(
      Object.fromEntries(input.catalog.checks.map(({ id }) => [id, ['satisfied', 1] as const])),
    )
    const nodes = whole.assessment.nodes
      .slice(0, 1)
      .map((node) => ({ ...node, status: 'complete' as const, recording: { id: 'one', digest: 'a'.repeat(64) } }))
    const said = textOf(summary(matterOf({ ...input, assessment: { ...whole.assessment, nodes } })).blocks)
    expect(said).toContain('All nodes were collected; no result is not tested or inconclusive.')
    expect(said).toContain('No deviations noted on the nodes tested.')
  })

  it('does not call a node declared that only the fleet file names', () => {
    const declared = declaredInput()
    const { reconciliation } = declared.assessment
    if (reconciliation === undefined) throw new Error('there is an engagement')
    const beyond = {
      ...declared,
      assessment: { ...declared.assessment, reconciliation: { ...reconciliation, declared: 5 } },
    }
    expect(textOf(summary(matterOf(declared)).blocks)).toContain('4 of 7 declared nodes collected.')
    expect(textOf(summary(matterOf(beyond)).blocks)).toContain('4 of 7 declared or fleet-file nodes collected.')
  })
})

describe('what would be said twice', () => {
  const one = { owner: 'A. Weber', on: '2026-11-01' }
  it('is said once beneath a table of one owner and day, and in each row where they differ', () => {
    expect(textOf(whoseWord([one, one]).beneath)).toContain('Declared by A. Weber on 1 Nov 2026.')
    expect(whoseWord([one, one]).inRow(one)).toEqual([])
    const apart = whoseWord([one, { ...one, owner: 'J. Lin' }])
    expect(apart.beneath).toEqual([])
    expect(apart.inRow(one)).toEqual([{ text: 'Declared by A. Weber on 1 Nov 2026', style: 'quiet' }])
    expect(whoseWord([]).beneath).toEqual([])
  })

  it('stands so in the boundary', () => {
    const engagement = engagementOf()
    const areas = engagement.responsibilities.map((area) => ({ ...area, ...one }))
    const { assessment } = declaredInput()
    const scope = { ...assessment.scope, engagement: { ...engagement, responsibilities: areas } }
    const matter = matterOf({ ...declaredInput(), assessment: { ...assessment, scope } })
    const table = boundarySection(matter).blocks.find(
      (block) => block.kind === 'table' && block.columns[0]?.title === 'Area',
    )
    if (table?.kind !== 'table') throw new Error('there is a table')
    expect(table.rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(table.rows)).not.toContain('Declared by')
  })

  it('one minute is not written twice, two are', () => {
    expect(between('2026-11-20T09:12:01.000Z', '2026-11-20T09:12:59.000Z')).toBe('20 Nov 2026 09:12 UTC')
    expect(between('2026-11-20T09:12:01.000Z', '2026-11-20T09:13:00.000Z')).toBe(
      '20 Nov 2026 09:12 UTC to 20 Nov 2026 09:13 UTC',
    )
  })

  it('a row that nobody accounts for stands on one line, without what was not given', () => {
    const said = textOf(populationSection(matterOf(declaredInput())).blocks)
    expect(said).not.toContain('not given')
  })
})

it.each([
  ['SOC 2 trust services criteria', 'SOC 2® trust services criteria'],
  ['SOC 2® report', 'SOC 2® report'],
  ['HIPAA Security Rule', 'HIPAA Security Rule'],
])('%s is named as its owner asks', (words, shown) => expect(asExamined(words)).toBe(shown))

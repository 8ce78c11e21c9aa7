import { describe, expect, it } from 'vitest'
import type { Block } from '../main/core/base/report-document.ts'
import { gapSection } from '../main/present/report/controls/gaps.ts'
import { pageOne } from '../main/present/report/page-one.ts'
import { asExamined, between } from '../main/present/report/parts/wording.ts'
import { boundarySection, whoseWord } from '../main/present/report/scope/boundary.ts'
import { populationSection } from '../main/present/report/scope/population.ts'
import { buildExecutive, buildReport, documentText, matterOf } from '../main/present/report.ts'
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

describe('page 1', () => {
  const page = (matter: ReturnType<typeof matterOf>): string => textOf(pageOne(matter).blocks)

  it.each([
    ['no node', sampleInput({ scope: { population: [] } }), '0 declared: 0 tested, 0 not tested'],
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
      '6 declared: 0 tested, 6 not tested',
    ],
  ])('%s: nothing reads as support', (_, of, population) => {
    const said = page(matterOf(of))
    expect(said).toContain(population)
    expect(said).toContain('No node was collected, so no check was tested.')
    expect(said).toContain('Nothing was shown to be satisfied.')
    for (const block of pageOne(matterOf(of)).blocks)
      if (block.kind === 'table') expect(block.rows.length).toBeGreaterThan(0)
  })

  it('one node that satisfies everything has no finding, and still not everything was seen', () => {
    const whole = withVerdicts(
      Object.fromEntries(input.catalog.checks.map(({ id }) => [id, ['satisfied', 1] as const])),
    )
    const nodes = whole.assessment.nodes
      .slice(0, 1)
      .map((node) => ({ ...node, status: 'complete' as const, recording: { id: 'one', digest: 'a'.repeat(64) } }))
    const said = page(matterOf({ ...input, assessment: { ...whole.assessment, nodes } }))
    expect(said).toContain('Tests of 1 of 1 declared node resulted in no findings.')
    expect(said).toContain('No deviations noted on the nodes tested.')
    expect(said).toContain('Operation between collections')
  })

  it('states when and with which rights evidence was collected, apart from when it was evaluated', () => {
    const matter = matterOf(input)
    const said = page(matter)
    expect(said).toContain('Point in time, as of 20 Nov 2026 12:00 UTC')
    expect(said).toContain('Collected\n20 Nov 2026 09:12 UTC\n')
    expect(said).toContain('Rights\n3 nodes through sudo, 1 without root rights\n')
    expect(page({ ...matter, recordings: [] })).toContain('Collected\nNo evidence was collected')
    const verification = documentText(buildReport(input)).join('\n').split('Signer\n').at(-1)
    expect(verification).toContain('Collected\n20 Nov 2026 09:12 UTC\n3 nodes through sudo')
  })

  it('ticks what is satisfied only where it is so on all that it counts', () => {
    const lines = pageOne(matterOf(input)).blocks.flatMap((block) =>
      block.kind === 'table' && block.columns[0]?.title === 'Satisfied' ? (block.rows[0]?.[0] ?? []) : [],
    )
    expect(lines.length).toBeGreaterThan(0)
    for (const { text: words, mark } of lines) {
      const [, part, whole] = /(\d+) of (\d+)$/.exec(words) ?? []
      expect([words, mark]).toEqual([words, part === whole ? 'ring-tick' : 'dot'])
    }
  })

  it('states that further actions were left out', () => {
    const matter = matterOf(input)
    const [action] = matter.shown.actions
    if (action === undefined) throw new Error('the sample has actions')
    const titleOf = (count: number): string =>
      page({ ...matter, shown: { ...matter.shown, actions: Array.from({ length: count }, () => action) } })
    expect(titleOf(8)).toMatch(/Next actions\n/)
    expect(titleOf(9)).toContain('Next actions (the first 8 of 9)')
  })

  it('names what is not supported', () => {
    expect(page(matterOf(input))).toMatch(/Deviations were noted for .*; no control is supported\./)
  })

  it('does not call a node declared that only the fleet file names', () => {
    const declared = declaredInput()
    const { reconciliation } = declared.assessment
    if (reconciliation === undefined) throw new Error('there is an engagement')
    const assessment = { ...declared.assessment, reconciliation: { ...reconciliation, declared: 5 } }
    expect(page(matterOf(declared))).toContain('Tests of 4 of 7 declared nodes')
    const beyond = page(matterOf({ ...declared, assessment }))
    expect(beyond).toContain('Tests of 4 of 7 declared or fleet-file nodes')
    expect(beyond).toContain('7 declared or fleet-file: 4 tested, 3 not tested')
  })

  it('never lets a condition stand alone as if it were the expected one', () => {
    const matter = matterOf(input)
    const headings = gapSection(matter).blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []))
    expect(headings).toEqual(matter.shown.findings.map(({ reference, title }) => `${reference}  ${title}`))
    expect(headings.length).toBeGreaterThan(0)
  })
})

describe('what would be stated twice', () => {
  const one = { owner: 'A. Weber', on: '2026-11-01' }
  it('is stated once beneath a table of one owner and day, and in each row where they differ', () => {
    expect(textOf(whoseWord([one, one]).beneath)).toContain('Declared by A. Weber on 1 Nov 2026.')
    expect(whoseWord([one, one]).inRow(one)).toEqual([])
    const apart = whoseWord([one, { ...one, owner: 'J. Lin' }])
    expect(apart.beneath).toEqual([])
    expect(apart.inRow(one)).toEqual([{ text: 'Declared by A. Weber on 1 Nov 2026', style: 'quiet' }])
    expect(whoseWord([]).beneath).toEqual([])
  })

  it('is written so in the boundary', () => {
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

  it('a row without an explanation takes one line, without what was not given', () => {
    const said = textOf(populationSection(matterOf(declaredInput())).blocks)
    expect(said).not.toContain('not given')
  })
})

it.each([
  ['SOC 2 trust services criteria', 'SOC 2® trust services criteria'],
  ['SOC 2® report', 'SOC 2® report'],
  ['HIPAA Security Rule', 'HIPAA Security Rule'],
])('%s is named as its owner asks', (words, shown) => expect(asExamined(words)).toBe(shown))

describe('the executive summary', () => {
  it('names each finding by its reference, since it has no other pages', () => {
    const [section] = buildExecutive(declaredInput()).sections
    const tables = (section?.blocks ?? []).flatMap((block) => (block.kind === 'table' ? [block] : []))
    const leading = tables.find(({ columns }) => columns[0]?.title.startsWith('Severity'))
    expect(leading?.columns.map(({ title }) => title)).toEqual([
      'Severity, finding',
      'Condition found',
      'Of tested',
      'Owner, due',
    ])
    for (const row of leading?.rows ?? []) expect(row[0]?.[0]?.text).toMatch(/ F-[0-9A-F]{6}$/)
    expect(leading?.rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(section)).not.toMatch(/"link"|"showsPage"/)
  })
})

import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { fleetFiguresOf } from '../main/catalog/figures/figures.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { buildPeriodReport } from '../main/present/period-report.ts'
import { buildBinder } from '../main/present/report/controls/binder.ts'
import { buildAnnexes, buildExecutive, buildReport, type ReportInput } from '../main/present/report.ts'
import { pictured } from './support/figures.ts'
import { FIXTURE_TIME } from './support/fixtures.ts'
import { SMALLEST, smallTexts } from './support/pdf-sizes.ts'
import { readPages } from './support/report/made.ts'
import { samplePeriodInput } from './support/report/period-sample.ts'
import { bigInput, sampleInput } from './support/report/sample.ts'

const DEMO = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']
const nodes = DEMO.map(pictured)

/** The recorded nodes of the demo, with every figure. */
function demoInput(): ReportInput {
  const recordings = nodes.map(({ loaded }) => loaded)
  const scope = { fleet: 'demo', population: DEMO, frameworks: ['hipaa', 'soc2'] }
  const assessment = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME })
  return {
    ...sampleInput(),
    catalog,
    recordings,
    register: EMPTY_REGISTER,
    assessment,
    figures: new Map(nodes.map(({ node, figures }) => [node.node, figures])),
    fleetFigures: fleetFiguresOf(assessment),
  }
}

/** Three hundred emulated nodes, each with the figures of a recorded one. */
function fleetInput(): ReportInput {
  const big = bigInput(300)
  const figures = big.assessment.nodes.map(
    ({ node }, index) => [node, nodes[index % nodes.length]?.figures ?? []] as const,
  )
  return { ...big, figures: new Map(figures) }
}

const BUILDERS = [
  ['report', buildReport],
  ['executive summary', buildExecutive],
  ['annexes', buildAnnexes],
  ['binder', buildBinder],
] as const

describe(`every text on paper is ${SMALLEST} points or larger, those of figures, heads and feet among them`, () => {
  describe.each([
    ['the nodes of the demo', demoInput],
    ['300 nodes', fleetInput],
  ])('%s', (_, inputOf) => {
    const input = inputOf()
    test.each(BUILDERS)('%s', async (_name, build) => {
      const read = await readPages(build(input))
      expect(read.pages.flatMap(({ pieces }) => pieces).length).toBeGreaterThan(50)
      expect(smallTexts(read)).toEqual([])
    })
  })

  test('the annexes of the demo have all kinds of figures', () => {
    const kinds = buildAnnexes(demoInput()).sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'figure' ? [block.figure.kind] : [])),
    )
    expect(new Set(kinds)).toEqual(new Set(['isolation-families', 'block-stack', 'topology', 'location-map']))
  })

  test.each(['a4', 'letter'] as const)('the period report on %s', async (paper) => {
    const read = await readPages({ ...buildPeriodReport(samplePeriodInput()), paper })
    expect(smallTexts(read)).toEqual([])
  })

  test('a smaller text is found', async () => {
    const read = await readPages(buildExecutive(sampleInput()))
    const [first, ...rest] = read.pages
    if (first === undefined) throw new Error('no page')
    const [piece] = first.pieces
    if (piece === undefined) throw new Error('no text')
    const pieces = [{ ...piece, text: 'small', size: SMALLEST - 0.1 }, ...first.pieces]
    expect(smallTexts({ pages: [{ ...first, pieces }, ...rest] })).toHaveLength(1)
  })
})

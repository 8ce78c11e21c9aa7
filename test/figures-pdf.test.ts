import { beforeAll, describe, expect, test } from 'vitest'
import { renderReport } from '../main/adapters/pdf/index.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import type { Block } from '../main/core/base/report-document.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { figureAlt, isPictured } from '../main/present/report/parts/figures.ts'
import { documentText, type ReportDocument, type ReportInput } from '../main/present/report.ts'
import type { Figure } from '../schemas/figure.ts'
import type { NodeAssessment } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { type Pictured, pictured } from './support/figures.ts'
import { FIXTURE_TIME } from './support/fixtures.ts'
import { bigInput, sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'

const NAMES = ['demo-gpu-01', 'demo-metal-04', 'demo-guest-03']
let nodes: readonly Pictured[]
let input: ReportInput
beforeAll(() => {
  nodes = NAMES.map(pictured)
  const recordings = nodes.map(({ loaded }) => loaded)
  const scope = { fleet: 'demo', population: NAMES, frameworks: [] }
  input = {
    ...sampleInput(),
    catalog,
    recordings,
    register: EMPTY_REGISTER,
    assessment: assess({ catalog, scope, recordings, asOf: FIXTURE_TIME }),
    figures: new Map(nodes.map(({ node, figures }) => [node.node, figures])),
  }
})

const figuresIn = ({ sections }: ReportDocument): readonly Figure[] =>
  sections.flatMap(({ blocks }) => blocks.flatMap((block: Block) => (block.kind === 'figure' ? [block.figure] : [])))
const render = async (document: ReportDocument): Promise<string> =>
  Buffer.from(await renderReport(document, { attachments: [], created: FIXTURE_TIME, placeholder: false })).toString(
    'latin1',
  )
const occurrences = (text: string, part: string): number => text.split(part).length - 1

describe('pictures in the report', () => {
  test('stand once in the dossier of each node, in order', () => {
    expect(figuresIn(wholeReport(input)).map(({ kind }) => kind)).toEqual([
      'isolation-families',
      'block-stack',
      'topology',
      'isolation-families',
      'block-stack',
      'isolation-families',
      'block-stack',
      'topology',
      'location-map',
      'location-map',
      'location-map',
    ])
  })

  test('are left out, with their heading, where none were given', () => {
    const { figures: _, ...without } = input
    const document = wholeReport(without)
    expect(figuresIn(document)).toEqual([])
    expect(documentText(document)).not.toContain('Figures')
  })

  test('contain nothing that a report must not state', () => {
    const words = documentText(wholeReport(input))
    expect(words).toContain('Data location, down to the drives')
    expect(words).toContain('not encrypted')
    for (const text of words) for (const banned of BANNED) expect(text).not.toMatch(banned)
  })

  test('are tagged as figures with what they show', async () => {
    const with_ = await render(wholeReport(input))
    const { figures: _, ...without } = input
    const plain = await render(wholeReport(without))
    expect(occurrences(with_, '/S /Figure') - occurrences(plain, '/S /Figure')).toBe(11)
    expect(with_).toContain(
      'How GPUs and adapters are connected. Connections as reported by the GPU driver of this node.',
    )
  })

  test('give the same bytes for the same input', async () => {
    expect(await render(wholeReport(input))).toBe(await render(wholeReport(input)))
  })
})

describe('more than 40 nodes', () => {
  const big = bigInput(44)
  const drawing: readonly Figure[] = [
    {
      kind: 'topology',
      title: 'T',
      caption: 'C.',
      width: 10,
      height: 10,
      marks: [],
      legend: [],
      table: { head: [], rows: [] },
    },
  ]
  const contradicted = big.assessment.nodes.filter((node) => isPictured(node, 44))
  test('only those with a contradiction have pictures, and the report states this', () => {
    const document = wholeReport({ ...big, figures: new Map(big.assessment.nodes.map(({ node }) => [node, drawing])) })
    expect(contradicted.length).toBeGreaterThan(0)
    expect(contradicted.length).toBeLessThan(20)
    expect(figuresIn(document)).toHaveLength(contradicted.length)
    expect(documentText(document)).toContain(
      'This report covers 44 nodes. Figures are included only for nodes with a deviation or anomaly in isolation or encryption at rest.',
    )
  })
  test('a contradiction elsewhere does not count, one between signals does', () => {
    const [node] = nodes
    if (node === undefined) throw new Error('no node')
    const only = (property: NodeAssessment['results'][number]['property']): NodeAssessment => ({
      ...node.node,
      isolation: null,
      results: [{ check: 'x', property, verdict: 'not-satisfied', observations: [] }],
    })
    expect(isPictured(only('access'), 41)).toBe(false)
    expect(isPictured(only('access'), 40)).toBe(true)
    expect(isPictured(only('encryption-at-rest'), 41)).toBe(true)
    expect(isPictured({ ...(nodes[1] ?? node).node, results: [] }, 41)).toBe(true)
  })
})

describe('the text alternative of a picture', () => {
  const figure: Figure = {
    kind: 'topology',
    title: 'Title',
    caption: 'What it shows.',
    width: 10,
    height: 10,
    marks: [],
    legend: [],
    table: {
      head: ['', 'GPU0', 'GPU1'],
      rows: [
        ['GPU0', '·', 'NV18'],
        ['GPU1', 'NV18', '·'],
      ],
    },
  }
  test('is the caption and the table, row by row', () =>
    expect(figureAlt(figure)).toBe('Title. What it shows. GPU0: GPU1 NV18. GPU1: GPU0 NV18.'))
  test('has an end, and states how much is left', () => {
    const rows = Array.from({ length: 200 }, (_, index) => [`row ${index}`, 'x'.repeat(50), ''])
    const alt = figureAlt({ ...figure, table: { head: figure.table.head, rows } })
    expect(alt.length).toBeLessThan(1700)
    expect(alt).toMatch(/And \d+ more rows\.$/)
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { renderReport } from '../main/adapters/pdf/index.ts'
import { buildReport } from '../main/present/report.ts'
import { formatSample } from './support/format-sample.ts'
import { linesOf, type Piece, type ReadPage, readReport } from './support/pdf-pages.ts'
import { filled } from './support/pdf-sizes.ts'
import { fleetInput } from './support/report/fleet.ts'
import { SAMPLE_AS_OF, sampleInput } from './support/report/sample.ts'

// A node that was refused before login has a finding, and is counted next to the nodes tested.

/** The first pages of a fleet of which one node showed another host key. */
async function pagesOfRefused(): Promise<readonly ReadPage[]> {
  const { assessment, catalog, register, recordings, remediations } = formatSample()
  const failure = { code: 'ssh.host-key-changed', detail: 'ssh-ed25519 SHA256:other was shown' }
  const nodes = assessment.nodes.map((node) => (node.node === 'demo-missing-07' ? { ...node, failure } : node))
  const report = buildReport({
    ...sampleInput(),
    catalog,
    register,
    recordings,
    remediations,
    assessment: { ...assessment, nodes },
  })
  const pdf = await renderReport(report, { attachments: [], created: SAMPLE_AS_OF, placeholder: false })
  return readReport(pdf).pages
}

const at = (page: ReadPage | undefined, words: string): Piece => {
  const found = page?.pieces.find(({ text }) => text.trim() === words)
  if (found === undefined) throw new Error(`“${words}” is not on the page`)
  return found
}

describe('a node that was refused before login, on page 1', () => {
  let page: ReadPage | undefined
  beforeAll(async () => {
    page = (await pagesOfRefused())[0]
  })

  test('is one line of the narrow column of counts', () => {
    const { x, y } = at(page, '1 of 7')
    const below = (page?.pieces ?? []).filter((piece) => piece.x === x && piece.y > y && piece.y < y + 45)
    // The next row is at the least two lines further down.
    expect(below.filter((piece) => piece.y < y + 20)).toEqual([])
    for (const piece of below) expect(piece.text).toMatch(/^\d+ of \d+/)
  })

  test('names every framework that was examined', () => {
    expect(linesOf(page).join(' ')).toMatch(/Criteria.*HIPAA, SOC 2®.*PCI DSS 4/)
    expect(linesOf(page).join(' ')).not.toMatch(/ISO 27001, P[^C]/)
  })

  test('has what the count is out of on one line below the condition', () => {
    expect(linesOf(page)).toContainEqual(expect.stringContaining('Of 7: 6 tested, 1 refused before login.'))
  })
})

describe('page 1 of a fleet with more findings than it can print', () => {
  let page: ReadPage | undefined
  let behind: ReadPage | undefined
  beforeAll(async () => {
    const report = buildReport(fleetInput(12))
    const pdf = await renderReport(report, { attachments: [], created: SAMPLE_AS_OF, placeholder: false })
    ;[page, behind] = readReport(pdf).pages
  })

  test('is filled with them', () => {
    if (page === undefined) throw new Error('there is a page')
    expect(filled(page)).toBeGreaterThan(0.85)
  })

  test('states why names of one machine are not counted as tested', () => {
    expect(linesOf(page).join(' ')).toMatch(/12 declared: 6 tested, 6 not tested; 6.*names refer to a machine/)
    expect(linesOf(behind).join(' ')).toMatch(/Every node of the population was tested; 6 names refer to a machine/)
  })
})

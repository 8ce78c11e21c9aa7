import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeIdentity } from '../main/adapters/identity/certificates.ts'
import { signerOf } from '../main/adapters/identity/folder.ts'
import { renderReport } from '../main/adapters/pdf/index.ts'
import { readPdf } from '../main/adapters/seal/pdf/read.ts'
import { signPdf } from '../main/adapters/seal/reader.ts'
import { buildBinder } from '../main/present/report/controls/binder.ts'
import { short } from '../main/present/report/parts/short.ts'
import {
  buildExecutive,
  buildReport,
  documentText,
  type ReportDocument,
  type ReportInput,
} from '../main/present/report.ts'
import { verifyReport } from '../main/verify/report.ts'
import type { Engagement } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { realClock, realEntropy } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { isInstalled } from './support/needing.ts'
import { type ReadReport, readReport } from './support/pdf-pages.ts'
import { deadLinks, emptyPages, smallTexts } from './support/pdf-sizes.ts'
import { fleetInput } from './support/report/fleet.ts'
import { bigInput, SAMPLE_AS_OF, sampleInput } from './support/report/sample.ts'
import { times } from './support/thorough.ts'

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const render = (document: ReportDocument, placeholder = false): Promise<Uint8Array> =>
  renderReport(document, { attachments: [], created: SAMPLE_AS_OF, placeholder })
const pagesOf = (pdf: Uint8Array): number => Number(/\/Type \/Pages\n\/Count (\d+)/.exec(latin1(pdf))?.[1])

/** The sample with every text that a person types, and every name, replaced by one. */
function filledWith(input: ReportInput, words: string, frameworks: number): ReportInput {
  const declared = { owner: words, on: '2026-11-01' }
  const engagement: Engagement = {
    schema: 'barewitness.engagement/1',
    entity: words,
    audience: words,
    purpose: words,
    reportingBasis: { kind: 'period', from: '2026-01-01', to: '2026-12-31' },
    status: 'draft',
    distribution: words,
    boundary: { system: words, services: [words], sites: [words], outside: [], ...declared },
    responsibilities: [],
    subserviceOrganizations: [],
    complementaryUserEntityControls: [],
    ephi: { stores: [], flows: [], ...declared },
    population: { source: words, nodes: [words], ...declared },
    inventory: null,
    signOff: [],
    ...declared,
  }
  const [first] = input.catalog.frameworks
  if (first === undefined) throw new Error('the sample has frameworks')
  const own = Array.from({ length: frameworks }, (_, index) => ({ ...first, id: `${index}${words}`, title: words }))
  const { assessment, catalog } = input
  return {
    ...input,
    packName: words,
    signer: { subject: words, fingerprint: 'f'.repeat(64) },
    catalog: {
      ...catalog,
      frameworks: [...catalog.frameworks, ...own],
      checks: catalog.checks.map((check) => ({ ...check, expected: words })),
    },
    assessment: {
      ...assessment,
      scope: {
        ...assessment.scope,
        fleet: words,
        engagement,
        frameworks: [...assessment.scope.frameworks, ...own.map(({ id }) => id)],
      },
      controls: [
        ...assessment.controls,
        ...own.flatMap(({ id }) => assessment.controls.slice(0, 5).map((one) => ({ ...one, framework: id }))),
      ],
      nodes: assessment.nodes.map((node, index) => ({ ...node, node: index === 0 ? node.node : `${words}${index}` })),
    },
  }
}

describe('the report on one page', () => {
  const input = sampleInput()
  const words = documentText(buildExecutive(input)).join('\n')

  it('states whose it is, how many were tested, what was found and what is missing', () => {
    for (const part of [
      'clinic-prod',
      '6 declared: 4 tested, 2 not tested',
      'HIPAA',
      'SOC 2',
      'resulted in 4 findings',
      'Not satisfied: Encrypted volumes use a listed cipher.',
      '1 of 4',
      'Node unreachable',
      'Risk acceptances: 0 in effect',
      'required documents are outstanding',
      input.signer?.fingerprint.slice(0, 4) ?? '',
      'Not an audit opinion',
    ])
      expect(words).toContain(part)
    expect([buildExecutive(input).demo, buildExecutive({ ...input, demo: true }).demo]).toEqual([false, true])
  })

  it('uses no banned word', () => {
    for (const banned of BANNED) expect(words).not.toMatch(banned)
  })

  it('is one page for a small fleet, for the demo, and for 1,000 nodes', async () => {
    for (const one of [input, { ...input, demo: true }, bigInput(1000)])
      expect(pagesOf(await render(buildExecutive(one)))).toBe(1)
  })

  it.each([
    ['one endless word', 'W'.repeat(3000)],
    ['one endless path', '/srv/patients-and-more'.repeat(200)],
    ['letters that no font here has', '日本語'.repeat(400)],
    ['long words with blanks', `${'M'.repeat(45)} `.repeat(60)],
    ['long names', 'The Regional Hospital Trust of the Northern Provinces and Islands '.repeat(40)],
    ['nothing but blanks', '   \n\t '],
    ['direction marks', '\u202e\u200f‮'.repeat(300)],
  ])('is one page with %s everywhere', async (_, hostile) => {
    for (const frameworks of [0, 30]) {
      const document = buildExecutive(filledWith({ ...input, demo: true }, hostile, frameworks))
      expect(pagesOf(await render(document))).toBe(1)
    }
  })

  it('is one page whatever people wrote', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2000 }), fc.nat({ max: 8 }), async (hostile, count) => {
        expect(pagesOf(await render(buildExecutive(filledWith(input, hostile, count))))).toBe(1)
      }),
      { numRuns: times(4, 12) },
    )
  })

  it('cuts long names, with a mark', () => {
    expect(short('short enough', 20)).toBe('short enough')
    expect(short('a name that is longer', 8)).toBe('a name…')
    expect(short('日日日', 20)).toBe('日…')
  })
})

describe('the report on 1,000 nodes under the whole catalog', () => {
  let read: ReadReport
  beforeAll(async () => {
    read = readReport(await render(buildReport(fleetInput(1000))))
  })

  it('has at most 40 pages', () => {
    expect(read.pages.length).toBeGreaterThan(15)
    expect(read.pages.length).toBeLessThanOrEqual(40)
  })

  it('has no page less than a quarter full but the last', () => expect(emptyPages(read)).toEqual([]))

  it('has no link that leads nowhere', () => {
    expect(read.pages.flatMap(({ links }) => links).length).toBeGreaterThan(100)
    expect(deadLinks(read)).toEqual([])
  })

  it('has no text under 9 points', () => expect(smallTexts(read)).toEqual([]))
})

describe('the report by control', () => {
  const input = sampleInput()
  const document = buildBinder(input)
  const textOf = (id: string): string =>
    documentText({ ...document, sections: document.sections.filter((section) => section.id === id) }).join('\n')

  it('has one section for each control in scope, in order, and the others as a list at the end', () => {
    const states = new Map(input.assessment.controls.map((one) => [`${one.framework} ${one.control}`, one.state]))
    const all = input.catalog.frameworks.flatMap(({ id, controls }) => controls.map(({ key }) => `${id} ${key}`))
    const ids = document.sections.map(({ id }) => id)
    const inScope = all.filter((id) => states.get(id) !== 'out-of-scope')
    expect(ids.slice(0, inScope.length + 2)).toEqual(['cover', ...inScope, 'out-of-scope'])
    expect(ids.slice(inScope.length + 2).every((id) => id.startsWith('checks '))).toBe(true)
    expect(all.some((id) => states.get(id) === 'out-of-scope')).toBe(true)
    const listed = textOf('out-of-scope')
    for (const framework of input.catalog.frameworks)
      for (const control of framework.controls)
        if (states.get(`${framework.id} ${control.key}`) === 'out-of-scope')
          expect(listed).toContain(`${control.id} ${control.title}`)
  })

  it('states for a control what it asks, its conclusion, n of N by verdict, and for each check once its reasons and answers', () => {
    const found = input.catalog.frameworks
      .flatMap((framework) => framework.controls.map((control) => ({ framework, control })))
      .find(({ control }) => control.mappings.some(({ check }) => check === 'encryption.at-rest.ephi-paths'))
    if (found === undefined) throw new Error('the sample maps this check')
    const words = textOf(`${found.framework.id} ${found.control.key}`)
    expect(words).toContain(found.control.summary)
    expect(words).toContain(found.control.notCovered)
    expect(words).toContain('deviations 1 of 4 tested')
    expect(words).toContain('gpu-fra-02')
    expect(words).toMatch(/(Not satisfied|Deviations) on gpu-fra-02/)
    expect(textOf('cover')).toContain('2 declared nodes were not collected and count as not tested in every check')
    const once = textOf('checks encryption-at-rest')
    const whole = documentText(document).join('\n')
    const limits = input.catalog.checks.find(({ id }) => id === 'encryption.at-rest.ephi-paths')?.limitations ?? ''
    expect(whole.split(limits).length - 1).toBe(1)
    const finding = input.assessment.nodes
      .find(({ node }) => node === 'gpu-fra-02')
      ?.results.find(({ check }) => check === 'encryption.at-rest.ephi-paths')
    for (const { probe, captures } of finding?.observations ?? [])
      for (const { command, sha256 } of captures) {
        expect(once).toContain(`${probe}/${command} ${sha256.slice(0, 12)}`)
      }
    expect(finding?.observations.flatMap(({ captures }) => captures).length).toBeGreaterThan(0)
  })

  it('uses no banned word', () => {
    for (const line of documentText(document)) for (const banned of BANNED) expect(line).not.toMatch(banned)
  })

  it('stays as long as it is with five times the nodes, and counts those that it does not name', () => {
    const [few, many] = [bigInput(200), bigInput(1000)].map((one) => documentText(buildBinder(one)).join('\n'))
    expect(many?.length ?? 0).toBeLessThan(1.3 * (few?.length ?? 0))
    expect(many).toContain('of 1000 not satisfied')
    expect(many).toMatch(/and \d+ more/)
  })

  it('puts controls under one bookmark of their framework, and contents over several pages', async () => {
    const pdf = latin1(await render(document))
    for (const { title } of input.catalog.frameworks) expect(pdf.split(`/Title (${escaped(title)})`).length - 1).toBe(1)
    // Every line of the contents leads somewhere.
    expect((pdf.match(/\/S \/GoTo/g) ?? []).length).toBe(document.sections.length)
  })
})

const escaped = (text: string): string => text.replace(/[()\\]/g, (char) => `\\${char}`)

describe('signed without embedded files', () => {
  it.each([
    ['the page', buildExecutive],
    ['the binder', buildBinder],
  ])('%s verifies as ours, names its evidence, and states that the pack has the rest', async (_, build) => {
    const made = makeIdentity({ commonName: 'A', rootCommonName: 'A root', now: realClock.now(), entropy: realEntropy })
    const signer = signerOf({ ...made, subject: 'A', key: made.leafKey })
    const input = sampleInput()
    const pdf = await signPdf(await render(build(input), true), signer)
    const reading = readPdf(pdf, [])
    expect([reading.problems, reading.seal?.problems, reading.level]).toEqual([[], [], 'B-B'])
    expect(reading.evidenceDigest).toBe(input.evidenceDigest)
    const verified = await verifyReport({
      pdf,
      reader: { readPdf: async () => reading } as unknown as Parameters<typeof verifyReport>[0]['reader'],
      trust: { signers: [], authorities: [], lists: [] } as unknown as Parameters<typeof verifyReport>[0]['trust'],
      verifiedAt: realClock.now(),
      file: 'variant.pdf',
    })
    const outcomes = Object.fromEntries(verified.checks.map(({ check, outcome }) => [check, outcome]))
    expect(outcomes).toMatchObject({
      integrity: 'passed',
      completeness: 'indeterminate',
      reproducibility: 'indeterminate',
    })
    expect(JSON.stringify(verified.checks)).toContain(input.evidenceDigest)
  })
})

const poppler = isInstalled('pdftotext')
describe.skipIf(!poppler)('on paper (skipped where pdftotext is absent)', () => {
  const folder = folderOfTests('barewitness-variants')
  let boxes: string
  beforeAll(async () => {
    const hostile = filledWith(sampleInput(), `/srv/${'patients'.repeat(30)} ${'W'.repeat(300)} ${'日'.repeat(50)}`, 1)
    writeFileSync(join(folder, 'binder.pdf'), await render(buildBinder(hostile)))
    boxes = execFileSync('pdftotext', ['-bbox', join(folder, 'binder.pdf'), '-'], { maxBuffer: 1 << 28 }).toString()
  })

  // The paper of a binder is that of its report: HIPAA is examined.
  const LETTER = { width: 612, height: 792 }

  it('no word is outside the margins', () => {
    const words = [...boxes.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)"/g)]
    expect(words.length).toBeGreaterThan(10_000)
    for (const [, left, , right, bottom] of words) {
      expect(Number(left)).toBeGreaterThan(47)
      expect(Number(right)).toBeLessThan(LETTER.width - 47)
      expect(Number(bottom)).toBeLessThan(LETTER.height - 25)
    }
  })
})

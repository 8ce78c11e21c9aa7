import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { embeddedFile, embeddedResults, MOST_EMBEDDED } from '../main/core/pack/embedded.ts'
import { assessmentBytes, PATHS, type PackFiles } from '../main/core/pack/pack.ts'
import { assessmentFiles, assessmentPieces, digestOf, nodeAssessmentPath } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { documentText } from '../main/present/report.ts'
import { verifyReport } from '../main/verify/report.ts'
import { NO_TRUST } from '../main/verify/steps/trust.ts'
import type { Assessment, NodeAssessment } from '../schemas/types.ts'
import { realClock } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'
import { outcomes, samplePack, sampleSigner, sealing, sourceOf, verifySource } from './support/sample-pack.ts'

const folder = folderOfTests('embedded')
let signer: Signer
beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
})

const small = sampleInput().assessment
const PART = 1024 * 1024
/** As many nodes as make more than a report embeds, each of some size. */
const large: Assessment = {
  ...small,
  nodes: Array.from({ length: MOST_EMBEDDED / PART + 2 }, (_, index): NodeAssessment => {
    const [first] = small.nodes
    if (first === undefined) throw new Error('the sample has no node')
    return {
      ...first,
      node: `node-${index}`,
      results: [
        {
          check: 'a',
          property: 'location',
          verdict: 'satisfied',
          observations: [{ direction: 'supports', text: String(index).repeat(PART), probe: null, captures: [] }],
        },
      ],
    }
  }),
}

const named = (name: string, bytes: Uint8Array) => [{ name, bytes }]
const indexIn = (payload: PackFiles): Uint8Array => {
  const bytes = payload.get(PATHS.assessment)
  if (!(bytes instanceof Uint8Array)) throw new Error('the index is kept')
  return bytes
}

describe('what a report embeds', () => {
  test('is every result of a small fleet', () => {
    const { form, name, bytes } = embeddedFile(small, assessmentFiles(small))
    expect([form, name]).toEqual(['whole', 'assessment.json'])
    expect(bytes).toEqual(assessmentBytes(small))
  })

  test('is the index of a large one, in the bytes of its pack', () => {
    const payload = assessmentFiles(large)
    const { form, name, bytes } = embeddedFile(large, payload)
    expect([form, name]).toEqual(['index', 'assessment-index.json'])
    expect(bytes).toBe(payload.get(PATHS.assessment))
    const read = embeddedResults(new Map([[name, bytes]]))
    expect(read?.form).toBe('index')
    expect(read?.index.nodes[0]).toEqual({ node: 'node-0', sha256: sha256(jsonBytes(large.nodes[0])) })
  })

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['both forms', { 'assessment.json': '{"nodes":[]}\n', 'assessment-index.json': '{"nodes":[]}\n' }],
    ['a node that is none', { 'assessment.json': '{"nodes":[null]}\n' }],
    ['no list of nodes', { 'assessment.json': '{"nodes":1}\n' }],
    ['null', { 'assessment-index.json': 'null\n' }],
    ['whole results under the name of the index', { 'assessment-index.json': '{"nodes":[]}\n' }],
    ['another order of members', { 'assessment.json': '{"nodes":[],"asOf":""}\n' }],
    ['no JSON', { 'assessment.json': 'x' }],
  ])('is not read where it is %s', (_, files) => {
    const bytes = new Map(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]))
    expect(embeddedResults(bytes)).toBe(null)
  })

  test('is stated on the cover and in the steps', () => {
    const reportText = (embeds: 'whole' | 'index'): string =>
      documentText(wholeReport({ ...sampleInput(), embeds })).join('\n')
    expect(reportText('whole')).toContain('embedded in the report as assessment.json')
    expect(reportText('whole')).not.toContain('assessment-index.json')
    expect(reportText('index')).toContain('embeds, as assessment-index.json,')
    expect(reportText('index')).toContain('cmp data/assessment.json')
    expect(reportText('index')).not.toContain('embedded in the report as assessment.json')
  })
})

describe('a pack whose report embeds the index', () => {
  test('verifies, and so does the report alone, which names the evidence', async () => {
    const files = await samplePack({ signer, embeds: (payload) => named('assessment-index.json', indexIn(payload)) })
    const verified = await verifySource(sourceOf(files), [])
    expect(outcomes(verified)).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
    const alone = await verifyReport({
      pdf: files.get(PATHS.report) ?? new Uint8Array(),
      reader: sealing.reader,
      trust: NO_TRUST,
      verifiedAt: realClock.now(),
      file: 'report.pdf',
    })
    expect(alone.ok).toBe(true)
    const answers = new Map(alone.checks.map((answer) => [answer.check, answer]))
    expect(answers.get('integrity')?.outcome).toBe('passed')
    expect(answers.get('reproducibility')?.outcome).toBe('indeterminate')
    expect(answers.get('completeness')?.details).toEqual([
      expect.stringMatching(/^Evidence digest stated: [0-9a-f]{64}\.$/),
      expect.stringContaining('the digest of each node’s results, are embedded'),
    ])
  })

  test('whose report alone cannot be parsed is reported as a PDF, and not as a file of a pack', async () => {
    const files = await samplePack({ signer })
    const pdf = Buffer.from(files.get(PATHS.report) ?? new Uint8Array())
    const broken = new Uint8Array(Buffer.concat([pdf.subarray(0, 15), Buffer.from(' '), pdf.subarray(15)]))
    const asked = { reader: sealing.reader, trust: NO_TRUST, verifiedAt: realClock.now(), file: 'report.pdf' }
    const { checks, ok } = await verifyReport({ pdf: broken, ...asked })
    const signed = checks.find(({ check }) => check === 'signature')
    expect([ok, signed?.outcome]).toEqual([false, 'failed'])
    expect(JSON.stringify(signed)).toContain('PDF')
    expect(JSON.stringify(signed)).not.toContain('tagmanifest')
  })

  test.each<[string, (index: Uint8Array) => { readonly name: string; readonly bytes: Uint8Array }[], RegExp]>([
    [
      'of other results',
      (index) =>
        named(
          'assessment-index.json',
          new TextEncoder().encode(
            new TextDecoder().decode(index).replace(/"sha256":"[0-9a-f]{8}/, '"sha256":"00000000'),
          ),
        ),
      /embeds a different assessment/,
    ],
    [
      'and a second one',
      (index) => [...named('assessment-index.json', index), ...named('assessment.json', index)],
      /no readable assessment/,
    ],
    ['under another name', (index) => named('results.json', index), /no readable assessment/],
  ])('does not where it is an index %s', async (_, embeds, why) => {
    const files = await samplePack({ signer, embeds: (payload) => embeds(indexIn(payload)) })
    const verified = await verifySource(sourceOf(files), [])
    expect(outcomes(verified)).toMatchObject({ completeness: 'failed' })
    expect(verified.report.checks.find(({ check }) => check === 'completeness')?.details.join()).toMatch(why)
  })
})

describe('results in pieces', () => {
  test('are the text of the whole', () => {
    expect([...assessmentPieces(small)].join('')).toBe(new TextDecoder().decode(assessmentBytes(small)))
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (nodes, rest) => {
        const any = { ...rest, nodes } as unknown as Assessment
        expect([...assessmentPieces(any)].join('')).toBe(new TextDecoder().decode(assessmentBytes(any)))
      }),
    )
  })

  test('of a large fleet are made again as they were listed', async () => {
    const files = assessmentFiles(large)
    const last = files.get(nodeAssessmentPath(large.nodes.at(-1)?.node ?? ''))
    if (last === undefined || last instanceof Uint8Array) throw new Error('it is kept')
    const bytes = await last.read()
    expect([bytes.length, sha256(bytes)]).toEqual([last.size, digestOf(last)])
    expect(Buffer.compare(bytes, jsonBytes(large.nodes.at(-1)))).toBe(0)
  })
})

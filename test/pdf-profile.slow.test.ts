import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeIdentity } from '../main/adapters/identity/certificates.ts'
import { signerOf } from '../main/adapters/identity/folder.ts'
import { renderReport } from '../main/adapters/pdf/index.ts'
import { completeArchive, prepareArchive } from '../main/adapters/seal/pdf/archive.ts'
import { readPdf } from '../main/adapters/seal/pdf/read.ts'
import { signPdf } from '../main/adapters/seal/reader.ts'
import type { PdfReading } from '../main/core/ports/ports.ts'
import { buildReport } from '../main/present/report.ts'
import { realClock, realEntropy } from './support/deps.ts'
import { expectLinear } from './support/growth.ts'
import { testTsa } from './support/lying-tsa.ts'
import { must } from './support/outcomes.ts'
import type { AttackKit } from './support/pdf-attack-kit.ts'
import { PDF_ATTACKS } from './support/pdf-attacks.ts'
import { pdfOfText } from './support/pdf-editing.ts'
import { ATTACHED, atEachLevel, EVIDENCE_DIGEST, smallReport } from './support/pdf-levels.ts'
import { SAMPLE_AS_OF, sampleInput } from './support/report/sample.ts'
import { times } from './support/thorough.ts'

let kit: AttackKit
let tsaChain: readonly Uint8Array[]
let stamp: (imprint: Uint8Array) => Uint8Array
beforeAll(async () => {
  const made = makeIdentity({ commonName: 'A', rootCommonName: 'A root', now: realClock.now(), entropy: realEntropy })
  const signer = signerOf({ ...made, subject: 'A', key: made.leafKey })
  const authority = testTsa()
  const tsa = { ...authority, stamp: (imprint: Uint8Array) => authority.token(imprint, { imprint }) }
  tsaChain = authority.chain
  stamp = tsa.stamp
  const unsigned = await smallReport()
  kit = {
    unsigned,
    signer,
    levels: await atEachLevel(unsigned, signer, tsa),
    other: await atEachLevel(await smallReport('cd'.repeat(32)), signer, tsa),
  }
})

/** Everything that a reading holds against a file. */
const complaints = ({ problems, seal }: PdfReading): readonly string[] => [
  ...problems,
  ...(seal?.problems ?? []),
  ...(seal?.timestamps.flatMap((stamp) => stamp.problems) ?? []),
]

describe('a report that was altered', () => {
  test.each(PDF_ATTACKS)('$name', async ({ build, named }) => {
    const reading = readPdf(await build(kit), [])
    expect(reading.kind).toBe('report')
    expect(complaints(reading).join('\n')).toMatch(named)
  })

  test('in the name of who issued the authority’s issuer, which no signature at hand covers any more, is not intact', () => {
    const { archived } = kit.levels
    const at = Buffer.from(archived).lastIndexOf(Buffer.from('Memory TSA root').toString('hex'))
    expect(at).toBeGreaterThan(Buffer.from(archived).lastIndexOf('/Contents <'))
    const changed = Uint8Array.from(archived)
    changed[at + 1] = (changed[at + 1] ?? 0) ^ 1
    expect(complaints(readPdf(changed, [])).join('\n')).toContain('contains a certificate that is not part of')
  })

  test('in any one byte is never intact', async () => {
    const { archived, stamped } = kit.levels
    const anywhere = fc.nat({ max: archived.length - 1 })
    const inUpdate = fc.integer({ min: stamped.length, max: archived.length - 1 })
    const inToken = fc.nat({ max: 4000 }).map((at) => Buffer.from(archived).lastIndexOf('/Contents <') + at)
    const place = fc.oneof(anywhere, inUpdate, inToken)
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Uint8Array.from(archived)
        changed[at] = (changed[at] ?? 0) ^ mask
        const reading = readPdf(changed, [])
        expect(reading.kind === 'report' && complaints(reading).length === 0).toBe(false)
      }),
      { numRuns: times(25, 100) },
    )
  })
})

describe('a report as it was written', () => {
  test.each([
    ['basic', 'B-B', 0],
    ['stamped', 'B-T', 1],
    ['archived', 'B-LTA', 2],
    ['refreshed', 'B-LTA', 3],
  ] as const)('%s is read as %s with %i time-stamps', (name, level, stamps) => {
    const { signer, levels } = kit
    const reading = readPdf(levels[name], [...signer.chain, ...tsaChain])
    expect(complaints(reading)).toEqual([])
    expect(reading).toMatchObject({ kind: 'report', level, evidenceDigest: EVIDENCE_DIGEST })
    expect(reading.seal?.signer?.fingerprint).toBe(signer.fingerprint)
    expect(reading.seal?.timestamps.map(({ authority }) => authority?.subject)).toEqual(
      Array(stamps).fill('Memory TSA'),
    )
    expect([...reading.attachments]).toEqual([['assessment.json', ATTACHED]])
  })

  test('without what completes its chain it is intact all the same, and names what is missing', () => {
    const { problems, seal } = readPdf(kit.levels.stamped, [])
    expect(problems).toEqual([])
    expect(seal?.problems).toEqual([])
    expect(seal?.incomplete).toMatch(/issuer of “A” is missing/)
    expect(seal?.root).toBeNull()
  })

  test('cut back to before its update it is what it was then, one level lower', () => {
    const { archived, stamped, refreshed } = kit.levels
    expect(Buffer.compare(archived.subarray(0, stamped.length), stamped)).toBe(0)
    const reading = readPdf(refreshed.slice(0, stamped.length), [...kit.signer.chain, ...tsaChain])
    expect(complaints(reading)).toEqual([])
    expect(reading.level).toBe('B-T')
  })

  test('an archive without the lists of a chain is no B-LTA', async () => {
    const { signer, levels } = kit
    const { prepared, imprint } = must(
      prepareArchive(levels.stamped, { certificates: [...signer.chain, ...tsaChain], crls: signer.crls }),
    )
    const reading = readPdf(must(completeArchive(prepared, stamp(imprint))), [])
    expect(complaints(reading)).toEqual([])
    expect(reading.level).toBe('B-T')
    expect(reading.seal?.timestamps.map(({ revocationCovered }) => revocationCovered)).toEqual([false, false])
  })

  test('another report by the same signer, in its place, names its own evidence', () => {
    const reading = readPdf(kit.other.archived, [])
    expect(complaints(reading)).toEqual([])
    expect(reading.evidenceDigest).toBe('cd'.repeat(32))
  })

  test('the whole report, with every kind of block, has the form', async () => {
    const input = sampleInput()
    const rendered = await renderReport(buildReport(input), { attachments: [], created: SAMPLE_AS_OF })
    const reading = readPdf(await signPdf(rendered, kit.signer), kit.signer.chain)
    expect(complaints(reading)).toEqual([])
    expect(reading).toMatchObject({ level: 'B-B', evidenceDigest: input.evidenceDigest })
    expect(reading.attachments.size).toBe(0)
  })

  test('unsigned it is a report without a level', async () => {
    const filled = 'The space for the author’s signature does not contain one.'
    const range =
      'The /ByteRange of the author’s signature is not the whole first revision except the signature itself.'
    expect(readPdf(kit.unsigned, [])).toMatchObject({ kind: 'report', level: null, seal: null, problems: [range] })
    expect(readPdf(await smallReport(EVIDENCE_DIGEST, false), []).problems).toEqual(['The report has no signature.'])
    const zeroed = PDF_ATTACKS.find(({ name }) => name === 'the signature zeroed')
    expect(readPdf((await zeroed?.build(kit)) ?? new Uint8Array(), []).problems).toContain(filled)
  })
})

describe('what is not a report of ours', () => {
  const read = (text: string): PdfReading => readPdf(pdfOfText(text), [])

  test.each([
    ['nothing', ''],
    ['a text', 'Barewitness 0.1.0 wrote this'],
    ['a header too far in', `${' '.repeat(2000)}%PDF-1.7`],
  ])('%s is no PDF', (_, text) => {
    expect(read(text)).toMatchObject({ kind: 'not-a-pdf', problems: ['This is not a PDF.'], level: null, seal: null })
  })

  test.each([
    [
      'written by another program',
      '%PDF-1.4\n1 0 obj\n<</Producer (Acme \\(Office\\))>>\nendobj\n/ByteRange [0 1 2 3] /ByteRange [0 1 2 3]',
      'This is a PDF with 2 signatures, written by “Acme (Office)”. Barewitness did not write it and did not verify it.',
    ],
    [
      'that names its program elsewhere',
      '%PDF-1.4\n7 0 obj\n(Acme)\nendobj\n8 0 obj\n<</Producer 7 0 R>>\nendobj',
      'This is a PDF with no signature, written by “Acme”. Barewitness did not write it and did not verify it.',
    ],
    [
      'that names none',
      '%PDF-2.0\n/ByteRange',
      'This is a PDF with 1 signature, written by a program that it does not name clearly. Barewitness did not write it and did not verify it.',
    ],
    [
      'with hidden characters in its program’s name',
      '%PDF-1.4\n<</Producer (a\u0007b)>>',
      'This is a PDF with no signature, written by “a\\u{7}b”. Barewitness did not write it and did not verify it.',
    ],
  ])('a PDF %s is foreign', (_, text, sentence) => {
    expect(read(text)).toMatchObject({ kind: 'foreign', problems: [sentence], level: null, seal: null })
  })

  test('any bytes are read without a throw', () => {
    const mark = '\n1 0 obj\n(Barewitness 0.1.0)\nendobj\n'
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 400 }), (noise) => {
        expect(read(`%PDF-1.7\n${noise}`).kind).toBe('foreign')
        expect(read(`%PDF-1.7\n%\u00ff\u00ff\u00ff\u00ff${mark}${noise}`).problems).not.toEqual([])
      }),
    )
  })

  test('parts of reports, mixed, are read without a throw and are not intact', () => {
    const pieces = [kit.levels.archived, kit.other.refreshed]
    const piece = fc.tuple(fc.nat({ max: 1 }), fc.nat({ max: 140_000 }), fc.nat({ max: 70_000 }))
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (cuts) => {
        const parts = cuts.map(([which, from, size]) => pieces[which]?.subarray(from, from + size) ?? new Uint8Array())
        const mixed = Buffer.concat([kit.levels.basic.subarray(0, 50_000), ...parts])
        expect(complaints(readPdf(new Uint8Array(mixed), []))).not.toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['brackets', 3_000_000, (size: number) => `1 0 obj\n${'['.repeat(size)}`],
    ['dictionaries', 1_000_000, (size: number) => `1 0 obj\n${'<</A '.repeat(size)}`],
    ['an open string', 3_000_000, (size: number) => `1 0 obj\n(${'\\'.repeat(size)}`],
    ['an open hexadecimal string', 3_000_000, (size: number) => `1 0 obj\n<${'0'.repeat(size)}`],
    ['more values than a report has', 2_500_000, (size: number) => `1 0 obj\n[${'0 '.repeat(size)}]\nendobj\n`],
    ['objects without end', 200_000, (size: number) => '1 0 obj\n0\nendobj\n'.repeat(size)],
    ['a stream longer than the file', 1, () => '1 0 obj\n<<\n/Length 99999999999999\n>>\nstream\n'],
  ])('%s: refused in one pass', (_, most, body) => {
    const readOf = (size: number) =>
      read(`%PDF-1.7\n%\u00ff\u00ff\u00ff\u00ff\n${body(size)}\n9 0 obj\n(Barewitness 0.1.0)\nendobj\n`)
    const reading = readOf(most)
    expect(reading.kind).toBe('report')
    expect(reading.problems).not.toEqual([])
    expectLinear(readOf, most >> 5)
  })

  test('a foreign PDF as large as we read takes one pass', () => {
    const large = Buffer.alloc(64 * 1024 * 1024, '/ByteRange 1 0 obj (')
    large.write('%PDF-1.7\n')
    expect(readPdf(large, []).kind).toBe('foreign')
    expectLinear((size) => readPdf(large.subarray(0, size * 1024 * 1024), []), 8)
  })
})

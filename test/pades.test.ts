import { createHash } from 'node:crypto'
import { ContentInfo, SignedData, TSTInfo } from 'pkijs'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeIdentity } from '../main/adapters/identity/certificates.ts'
import { signerOf } from '../main/adapters/identity/folder.ts'
import { OID } from '../main/adapters/seal/oids.ts'
import { completeArchive, prepareArchive } from '../main/adapters/seal/pdf/archive.ts'
import { addSignatureTimestamp, signatureImprint } from '../main/adapters/seal/pdf/update.ts'
import { nextPdfStamp } from '../main/adapters/seal/reader.ts'
import type { Outcome } from '../main/core/base/failure.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { realClock, realEntropy } from './support/deps.ts'
import { type TestTsa, testTsa } from './support/lying-tsa.ts'
import { must } from './support/outcomes.ts'
import { bodyOf, pdfOfText, refIn, textOfPdf, trailerNumber } from './support/pdf-editing.ts'
import { atEachLevel, type Levels, materialOf, smallReport } from './support/pdf-levels.ts'

const NAMES = ['basic', 'stamped', 'archived', 'refreshed'] as const
const CONTENT_TIMESTAMP = '1.2.840.113549.1.9.16.2.20'
const COMMITMENT_TYPE = '1.2.840.113549.1.9.16.2.16'

let unsigned: Uint8Array
let signer: Signer
let authority: TestTsa
let tsa: TestTsa & { readonly stamp: (imprint: Uint8Array) => Uint8Array }
let levels: Levels
beforeAll(async () => {
  const made = makeIdentity({ commonName: 'A', rootCommonName: 'A root', now: realClock.now(), entropy: realEntropy })
  signer = signerOf({ ...made, subject: 'A', key: made.leafKey })
  authority = testTsa()
  tsa = { ...authority, stamp: (imprint) => authority.token(imprint, { imprint }) }
  unsigned = await smallReport()
  levels = await atEachLevel(unsigned, signer, tsa)
})

interface Cut {
  /** The signature's dictionary, as text. */
  readonly body: string
  readonly range: readonly number[]
  readonly covered: Uint8Array
  readonly contents: Uint8Array
}

/** The signatures of a PDF in order, cut out the way that a stranger would. */
function signaturesIn(pdf: Uint8Array): readonly Cut[] {
  const text = textOfPdf(pdf)
  return [...text.matchAll(/\/ByteRange \[(\d+) (\d+) (\d+) (\d+)\]/g)].map(({ index, ...found }) => {
    const range = [found[1], found[2], found[3], found[4]].map(Number)
    const [start = 0, before = 0, after = 0, rest = 0] = range
    const covered = Buffer.concat([pdf.subarray(start, before), pdf.subarray(after, after + rest)])
    const hex = text.slice(before + 1, after - 1)
    const body = text.slice(text.lastIndexOf(' 0 obj\n', index), text.indexOf('\nendobj', index))
    return { body, range, covered: new Uint8Array(covered), contents: new Uint8Array(Buffer.from(hex, 'hex')) }
  })
}

const authorOf = (pdf: Uint8Array): Cut => signaturesIn(pdf)[0] as Cut

function cmsOf({ contents }: Cut): SignedData {
  return new SignedData({ schema: ContentInfo.fromBER(contents.slice(0, lengthOf(contents))).content })
}

const lengthOf = (der: Uint8Array): number => Buffer.from(der).readUInt16BE(2) + 4
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

interface Attribute {
  readonly type: string
  readonly values: readonly { readonly valueBlock: { readonly valueHexView: Uint8Array } }[]
}

const signedAttributes = (cms: SignedData): readonly Attribute[] =>
  (cms.signerInfos[0]?.signedAttrs?.attributes ?? []) as unknown as readonly Attribute[]

describe.each(NAMES)('the baseline rules for signatures in PDF (%s)', (name) => {
  test('the signature’s dictionary has /M, /Contents, /Filter, /ByteRange and /SubFilter ETSI.CAdES.detached, and no /Cert', () => {
    const { body } = authorOf(levels[name])
    expect(body).toMatch(/\/M \(D:20261120120000Z\)/)
    expect(body).toContain('/Filter /Adobe.PPKLite')
    expect(body).toContain('/SubFilter /ETSI.CAdES.detached')
    expect(body.match(/\/ByteRange/g)).toHaveLength(1)
    expect(body.match(/\/Contents/g)).toHaveLength(1)
    expect(body).not.toContain('/Cert')
  })

  test('its range is its whole revision but the string of the signature', () => {
    for (const { range } of signaturesIn(levels[name])) {
      const [start, before = 0, after = 0, rest = 0] = range
      const text = textOfPdf(levels[name])
      expect(start).toBe(0)
      expect([text[before], text[after - 1]]).toEqual(['<', '>'])
      expect(text.slice(0, after + rest)).toMatch(/\nstartxref\n\d+\n%%EOF\n$/)
    }
    const [, , after = 0, rest = 0] = signaturesIn(levels[name]).at(-1)?.range ?? []
    expect(after + rest).toBe(levels[name].length)
  })

  test('one signer, whose certificate is among those in the CMS; no root', () => {
    const cms = cmsOf(authorOf(levels[name]))
    const certificates = (cms.certificates ?? []).map((one) => sha256(new Uint8Array(one.toSchema().toBER())))
    expect(cms.signerInfos).toHaveLength(1)
    expect(certificates).toEqual([signer.fingerprint])
    expect(cms.version).toBe(1)
    expect(cms.encapContentInfo.eContent).toBeUndefined()
  })

  test('content-type is id-data, and message-digest that of the bytes', () => {
    const cut = authorOf(levels[name])
    const cms = cmsOf(cut)
    const digest = signedAttributes(cms).find(({ type }) => type === OID.messageDigest)?.values[0]?.valueBlock
      .valueHexView
    expect(cms.encapContentInfo.eContentType).toBe(OID.data)
    expect(String(signedAttributes(cms).find(({ type }) => type === OID.contentType)?.values[0])).toContain(OID.data)
    expect(Buffer.from(digest ?? []).toString('hex')).toBe(sha256(cut.covered))
  })

  test('one signing-certificate-v2; no signing-time, commitment type or content time-stamp', () => {
    const types = signedAttributes(cmsOf(authorOf(levels[name]))).map(({ type }) => type)
    expect(types.filter((type) => type === OID.signingCertificateV2)).toHaveLength(1)
    expect(types).not.toContain(OID.signingCertificate)
    expect(types).not.toContain(OID.signingTime)
    expect(types).not.toContain(COMMITMENT_TYPE)
    expect(types).not.toContain(CONTENT_TIMESTAMP)
  })
})

const unsignedTypes = (pdf: Uint8Array): readonly string[] =>
  (cmsOf(authorOf(pdf)).signerInfos[0]?.unsignedAttrs?.attributes ?? []).map(({ type }) => type)

describe('the levels', () => {
  test('B-B has nothing unsigned; from B-T on there is one time-stamp, over the signature’s value', () => {
    expect(unsignedTypes(levels.basic)).toEqual([])
    for (const name of ['stamped', 'archived', 'refreshed'] as const)
      expect(unsignedTypes(levels[name])).toEqual([OID.timeStampToken])
    const signature = cmsOf(authorOf(levels.basic)).signerInfos[0]?.signature.valueBlock.valueHexView
    expect(Buffer.from(must(signatureImprint(levels.basic))).toString('hex')).toBe(
      sha256(new Uint8Array(signature ?? [])),
    )
    expect(must(signatureImprint(levels.refreshed))).toEqual(must(signatureImprint(levels.basic)))
  })

  test('B-T is B-B with other bytes in the signature’s own string, and nowhere else', () => {
    const [, before = 0, after = 0] = authorOf(levels.basic).range
    expect(levels.stamped.length).toBe(levels.basic.length)
    expect(Buffer.compare(levels.stamped.subarray(0, before), levels.basic.subarray(0, before))).toBe(0)
    expect(Buffer.compare(levels.stamped.subarray(after), levels.basic.subarray(after))).toBe(0)
  })

  test('B-LTA appends a store of what a later check takes, and a time-stamp over it (ETSI.RFC3161)', () => {
    const text = textOfPdf(levels.archived)
    expect(Buffer.compare(levels.archived.subarray(0, levels.stamped.length), levels.stamped)).toBe(0)
    const catalog = bodyOf(text, trailerNumber(text, 'Root'))
    const store = bodyOf(text, refIn(catalog, 'DSS'))
    const held = (key: string): readonly string[] =>
      [...(new RegExp(`/${key} \\[([^\\]]*)\\]`).exec(store)?.[1] ?? '').matchAll(/(\d+) 0 R/g)].map(([, id]) =>
        sha256(pdfOfText(bodyOf(text, Number(id)).replace(/^[\s\S]*?\nstream\n|\nendstream$/g, ''))),
      )
    const { certificates, crls } = materialOf(signer, tsa)
    expect(held('Certs')).toEqual(certificates.map(sha256))
    expect(held('CRLs')).toEqual(crls.map(sha256))
    expect(store).not.toContain('/VRI')
    expect(catalog).toContain('/ESIC')
    const [, stamp] = signaturesIn(levels.archived)
    expect(stamp?.body).toContain('/Type /DocTimeStamp')
    expect(stamp?.body).toContain('/SubFilter /ETSI.RFC3161')
    expect(stamp?.body).not.toContain('/M ')
    expect(imprintIn(stamp as Cut)).toBe(sha256((stamp as Cut).covered))
  })

  test('a further time-stamp covers the one before; what the store holds is not written again', () => {
    const text = textOfPdf(levels.refreshed)
    const added = text.slice(levels.archived.length)
    const before = textOfPdf(levels.archived)
    const store = (file: string): string => bodyOf(file, refIn(bodyOf(file, trailerNumber(file, 'Root')), 'DSS'))
    expect(Buffer.compare(levels.refreshed.subarray(0, levels.archived.length), levels.archived)).toBe(0)
    expect(store(text)).toBe(store(before))
    expect(added).not.toContain('\nstream\n')
    const stamps = signaturesIn(levels.refreshed).slice(1)
    expect(stamps).toHaveLength(2)
    expect(stamps.map(imprintIn)).toEqual(stamps.map(({ covered }) => sha256(covered)))
  })

  test('the same material gives the same bytes; new material alone is added', () => {
    const material = materialOf(signer, tsa)
    const twice = [1, 2].map(() => must(prepareArchive(levels.stamped, material)))
    expect(twice[0]?.prepared).toEqual(twice[1]?.prepared)
    const doubled = { certificates: [...material.certificates, ...material.certificates], crls: material.crls }
    expect(must(prepareArchive(levels.stamped, doubled)).prepared).toEqual(twice[0]?.prepared)
    const later = testTsa({ name: 'Later' })
    const more = { certificates: [...material.certificates, ...later.chain], crls: later.crls }
    const { prepared, imprint } = must(prepareArchive(levels.archived, more))
    expect(
      textOfPdf(prepared)
        .slice(levels.archived.length)
        .match(/\nstream\n/g),
    ).toHaveLength(5)
    expect(must(completeArchive(prepared, later.token(imprint, { imprint }))).length).toBe(prepared.length)
  })
})

function imprintIn(cut: Cut): string {
  const content = cmsOf(cut).encapContentInfo.eContent?.valueBlock.valueHexView ?? new Uint8Array()
  const { messageImprint } = TSTInfo.fromBER(content.slice())
  return Buffer.from(messageImprint.hashedMessage.valueBlock.valueHexView).toString('hex')
}

const refusal = (outcome: Outcome<unknown>): string =>
  outcome.ok ? 'accepted' : `${outcome.error.code}: ${outcome.error.detail}`

describe('a time-stamp is not added', () => {
  const own = (pdf: Uint8Array): Uint8Array => tsa.stamp(must(signatureImprint(pdf)))

  test('to a signature that has one, or has later revisions', () => {
    expect(refusal(addSignatureTimestamp(levels.stamped, own(levels.stamped)))).toBe(
      'pdf.unsuitable: The signature already has a time-stamp.',
    )
    expect(refusal(addSignatureTimestamp(levels.archived, own(levels.archived)))).toBe(
      'pdf.unsuitable: The report already has later revisions.',
    )
  })

  test('when it is over something else, or is no token', () => {
    const words = 'pdf.unsuitable: The time-stamp does not cover this signature.'
    expect(refusal(addSignatureTimestamp(levels.basic, authority.token(new Uint8Array([1]))))).toBe(words)
    expect(refusal(addSignatureTimestamp(levels.basic, new Uint8Array([0x30, 0])))).toBe(words)
    expect(refusal(addSignatureTimestamp(levels.basic, new Uint8Array()))).toBe(words)
  })

  test('when the room is too small for it', () => {
    const imprint = must(signatureImprint(levels.basic))
    const certificates = Array.from({ length: 60 }, () => tsa.root)
    expect(refusal(addSignatureTimestamp(levels.basic, authority.token(imprint, { imprint, certificates })))).toBe(
      'pdf.unsuitable: The report reserved too little space for this time-stamp.',
    )
    const archive = must(prepareArchive(levels.stamped, materialOf(signer, tsa)))
    const token = authority.token(archive.imprint, { imprint: archive.imprint, certificates })
    expect(refusal(completeArchive(archive.prepared, token))).toBe(
      'pdf.unsuitable: The report reserved too little space for this time-stamp.',
    )
  })

  test('to a file that is not ours, or not signed', () => {
    for (const pdf of [new Uint8Array(), pdfOfText('%PDF-1.7\n'), levels.basic.slice(0, 1000), unsigned]) {
      expect(refusal(signatureImprint(pdf))).toMatch(/^pdf\.unsuitable: /)
      expect(refusal(addSignatureTimestamp(pdf, new Uint8Array()))).toMatch(/^pdf\.unsuitable: /)
      expect(refusal(prepareArchive(pdf, { certificates: [], crls: [] }))).toMatch(/^pdf\.unsuitable: /)
      expect(refusal(completeArchive(pdf, new Uint8Array()))).toMatch(/^pdf\.unsuitable: /)
      expect(refusal(nextPdfStamp(pdf, { certificates: [], crls: [] }))).toMatch(/^pdf\.unsuitable: /)
    }
  })

  test('to an archive out of turn', () => {
    const nothing = { certificates: [], crls: [] }
    const { prepared, imprint } = must(prepareArchive(levels.stamped, nothing))
    expect(refusal(prepareArchive(levels.basic, nothing))).toBe('pdf.unsuitable: The signature has no time-stamp yet.')
    expect(refusal(prepareArchive(prepared, nothing))).toBe(
      'pdf.unsuitable: A time-stamp of the report is still pending.',
    )
    expect(refusal(completeArchive(levels.archived, tsa.stamp(imprint)))).toBe(
      'pdf.unsuitable: No time-stamp of the report is pending.',
    )
    expect(refusal(completeArchive(prepared, authority.token(new Uint8Array([1]))))).toBe(
      'pdf.unsuitable: The time-stamp does not cover this report.',
    )
    expect(refusal(completeArchive(pdfOfText(`${textOfPdf(prepared)}\n`), tsa.stamp(imprint)))).toMatch(
      /^pdf\.unsuitable: /,
    )
  })

  test('to material that cannot be read', () => {
    const junk = new Uint8Array([0x30, 0])
    expect(refusal(prepareArchive(levels.stamped, { certificates: [junk], crls: [] }))).toBe(
      'revocation.unavailable: The security store has an entry among its certificates that is not a readable certificate.',
    )
    expect(refusal(prepareArchive(levels.stamped, { certificates: [], crls: [signer.certificate] }))).toBe(
      'revocation.unavailable: The security store has an entry among its revocation lists that is not a readable list.',
    )
    const large = new Uint8Array(9 * 1024 * 1024)
    expect(refusal(prepareArchive(levels.stamped, { certificates: [], crls: [large] }))).toMatch(/too large/)
  })
})

describe('the next step', () => {
  test('leads from B-B to B-T to B-LTA and on, to the same bytes', () => {
    const material = materialOf(signer, tsa)
    let pdf = levels.basic
    const steps: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const next = must(nextPdfStamp(pdf, material))
      steps.push(`${next.level} ${next.first}`)
      pdf = must(next.apply(tsa.stamp(next.imprint)))
    }
    expect(steps).toEqual(['B-T true', 'B-LTA true', 'B-LTA false'])
    expect(signaturesIn(pdf)).toHaveLength(3)
    expect(must(nextPdfStamp(pdf, material)).certificates.map(sha256)).toEqual(
      expect.arrayContaining([...material.certificates].map(sha256)),
    )
  })
})

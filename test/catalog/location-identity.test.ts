import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  identityDocumentSignals,
  identityStatement,
  PROVIDER_CERTIFICATES,
  readIdentity,
} from '../../main/catalog/location/metadata.ts'
import { identityDocument } from '../../main/catalog/location/probes.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { isSignedBy, readSigned, type SignedMessage } from '../../main/core/der/cms-plain.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import { argvOf, known, unknown } from '../../main/core/recording/probe.ts'
import { fixtureAnswers } from '../support/fixtures.ts'

/** A real document of EC2 in us-east-2, of the documentation of cloud-init 18.4 (doc/rtd/topics/instancedata.rst). */
const KEPT = new TextDecoder().decode(fixtureAnswers('fx-loc-cloud').get('cloud-init.identity/kept')?.stdout)
const INSTANCE = 'i-075f088c72ad3271c'

const answer = (text: string, exitCode = 0, errorText = '') => ({
  exitCode,
  text,
  errorText,
  bytes: new TextEncoder().encode(text),
  seconds: { node: null, collectingComputer: null },
})
const parse = (text: string, exitCode = 0, errorText = '') =>
  identityDocument.parse({ kept: answer(text, exitCode, errorText) })
const genuine = (): string => {
  const read = parse(KEPT)
  if (!read.ok || read.fact.rsa2048 === null) throw new Error('the fixture has no document')
  return read.fact.rsa2048
}

const certificateOf = (region: string): Uint8Array =>
  new Uint8Array(Buffer.from(PROVIDER_CERTIFICATES.find((one) => one.region === region)?.der ?? '', 'base64'))

describe('certificates of providers', () => {
  test.each(PROVIDER_CERTIFICATES.map((one) => [one.region, one] as const))('%s', (_, { der, sha256: digest }) => {
    const bytes = new Uint8Array(Buffer.from(der, 'base64'))
    expect(sha256(bytes)).toBe(digest)
    const certificate = new X509Certificate(bytes)
    // Copied without a mistake: one changed bit, and it would not be signed by its own key.
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.subject).toContain('Amazon Web Services LLC')
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
  })

  test('one for each region', () => {
    const regions = PROVIDER_CERTIFICATES.map(({ region }) => region)
    expect(new Set(regions).size).toBe(regions.length)
  })
})

describe('what cloud-init keeps', () => {
  test('the lines of the one list', () => {
    expect(genuine()).toMatch(/^MIAGCSqGSIb3DQEHAqCAMIAC[A-Za-z0-9+/]+=*$/)
    expect(parse('')).toEqual(known({ rsa2048: null }))
    expect(parse('', 2, "sed: can't read /run/cloud-init/instance-data.json: No such file or directory\n")).toEqual(
      known({ rsa2048: null }),
    )
  })

  test.each([
    ['not readable', '', 2, 'sed: /run/cloud-init/instance-data.json: Permission denied\n'],
    ['a line of something else', '    "rsa2048": [\n     "password: x"\n    ],\n', 0, ''],
    ['no closing bracket', '    "rsa2048": [\n     "QUJD"\n', 0, ''],
    ['two lists', `${KEPT}${KEPT}`, 0, ''],
  ])('is not taken from an answer that is %s', (_, text, exitCode, errorText) => {
    expect(parse(text, exitCode, errorText).ok).toBe(false)
  })

  test('no other list and no other file can be asked for', () => {
    const argv = argvOf(identityDocument.commands.kept)
    expect(deniedCommand(argv)).toBeNull()
    const [script = ''] = argv.slice(2)
    for (const other of [
      [...argv.slice(0, 3), '/run/cloud-init/instance-data-sensitive.json'],
      ['sed', '-n', script.replace('rsa2048', 'user-data'), argv[3] ?? ''],
      ['sed', '-n', `${script};w /tmp/x`, argv[3] ?? ''],
      ['sed', '-i', script, argv[3] ?? ''],
      ['sed', '-n', 'p', argv[3] ?? ''],
    ])
      expect(deniedCommand(other), other.join(' ')).not.toBeNull()
  })
})

describe('a signed document', () => {
  const bytes = (): Uint8Array => new Uint8Array(Buffer.from(genuine(), 'base64'))
  const stands = (signed: SignedMessage | null, certificate: Uint8Array): boolean =>
    signed !== null && signed.content !== null && isSignedBy(signed, signed.content, certificate)
  const contentOf = (message: Uint8Array): string => Buffer.from(readSigned(message)?.content ?? []).toString()

  test('of EC2 verifies under the certificate of its region, and of no other', () => {
    const signed = readSigned(bytes())
    const under = PROVIDER_CERTIFICATES.filter(({ region }) => stands(signed, certificateOf(region)))
    expect(under.map(({ region }) => region)).toEqual(['us-east-2'])
    expect(readIdentity(genuine())).toMatchObject({
      ok: true,
      identity: { instance: INSTANCE, region: 'us-east-2', zone: 'us-east-2b', signer: { region: 'us-east-2' } },
    })
  })

  test('with any one byte changed either does not verify or states the same', () => {
    const [good, certificate] = [bytes(), certificateOf('us-east-2')]
    const wrong = [...good.keys()].filter((at) => {
      const changed = Uint8Array.from(good)
      changed[at] = (changed[at] ?? 0) ^ 1
      const signed = readSigned(changed)
      return stands(signed, certificate) && contentOf(changed) !== contentOf(good)
    })
    expect(wrong).toEqual([])
  })

  test('cut anywhere, or with something behind it, is none', () => {
    const good = bytes()
    expect([...good.keys()].filter((end) => readSigned(good.subarray(0, end)) !== null)).toEqual([])
    expect(readSigned(Uint8Array.from([...good, 0]))).toBeNull()
  })

  test('any bytes are read or refused, and never trusted', () => {
    const certificate = certificateOf('us-east-2')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
        const signed = readSigned(noise)
        expect(stands(signed, certificate)).toBe(false)
      }),
    )
    fc.assert(
      fc.property(fc.nat(bytes().length), fc.nat(30), fc.uint8Array({ maxLength: 30 }), (at, cut, extra) => {
        const good = bytes()
        const changed = Uint8Array.from([...good.subarray(0, at), ...extra, ...good.subarray(at + cut)])
        const signed = readSigned(changed)
        if (stands(signed, certificate)) expect(contentOf(changed)).toBe(contentOf(good))
      }),
    )
    // Brackets that open without end are refused by their depth, not by the stack.
    expect(readSigned(new Uint8Array(60_000).map((_, at) => (at % 2 === 0 ? 0x30 : 0x80)))).toBeNull()
    expect(readIdentity('AAAA').ok).toBe(false)
    const [content, attributes, digest, signature] = [bytes(), bytes(), bytes(), bytes()]
    const message: SignedMessage = { content, certificates: [], hash: 'sha256', attributes, digest, signature }
    expect(isSignedBy(message, content, bytes())).toBe(false)
  })
})

describe('what a document states about the place', () => {
  const tags = (board: string | null) => known({ board, sku: null })
  const signal = (board: ReturnType<typeof tags> | ReturnType<typeof unknown>) =>
    identityDocumentSignals(known({ rsa2048: genuine() }), board)[0]

  test('is the provider’s word where the firmware names the same machine', () => {
    expect(signal(tags(INSTANCE))).toMatchObject({
      class: 'E2',
      hint: false,
      country: 'US',
      probe: 'cloud-init.identity',
    })
  })

  test.each([
    ['another machine', tags('i-0123456789abcdef0')],
    ['no machine', tags(null)],
    ['nothing that could be read', unknown('the firmware’s tags could not be read')],
  ])('is an administrator’s where the firmware names %s: it may be replayed', (_, board) => {
    expect(signal(board)).toMatchObject({ class: 'E5', country: 'US' })
    expect(signal(board)?.text).toContain('it may be the document of another machine')
  })

  test('is nothing where the signature does not stand, and an assertion where we hold no certificate', () => {
    const broken = Buffer.from(genuine(), 'base64')
    const at = broken.indexOf('us-east-2b')
    broken.write('us-east-1b', at)
    const [found] = identityDocumentSignals(known({ rsa2048: broken.toString('base64') }), tags(INSTANCE))
    expect(found).toMatchObject({ class: 'E5', country: null })
    expect(readIdentity(genuine(), [])).toMatchObject({ ok: true, identity: { signer: null } })
    const swapped = PROVIDER_CERTIFICATES.map((one) =>
      one.region === 'us-east-1' ? { ...one, region: 'us-east-2' } : { ...one, region: 'elsewhere' },
    )
    expect(readIdentity(genuine(), swapped).ok).toBe(false)
  })

  const [held] = PROVIDER_CERTIFICATES
  const from = (region: string, zone: string | null) =>
    identityStatement(
      { ok: true, identity: { instance: INSTANCE, region, zone, signer: held ?? null } },
      tags(INSTANCE),
    )

  test.each([
    ['us-west-2', 'us-west-2-lax-1a', 'US'],
    ['us-east-1', 'us-east-1-wl1-bos-wlz-1', null],
    ['us-east-1', 'us-east-1-scl-1a', 'CL'],
    ['us-east-1', 'us-east-2a', 'US'],
    ['us-east-1', 'us-east-1', 'US'],
    ['us-east-1', 'us-east-1A', 'US'],
    ['us-east-1', '', 'US'],
    ['us-east-1', null, 'US'],
  ])('of %s in the zone %s, no ordinary one of it, is a statement only', (region, zone, country) => {
    const said = from(region, zone)
    expect(said.isBound).toBe(false)
    // What the zone is in, never what its parent region is in, where the two may differ.
    expect([country, null]).toContain(said.country)
    expect(said.text).toContain('it counts as a statement only')
  })

  test('of an ordinary zone is bound, and states what it cannot show: an Outpost abroad has the same', () => {
    const said = from('us-east-1', 'us-east-1f')
    expect(said).toMatchObject({ isBound: true, country: 'US' })
    expect(said.text).toContain('A machine in an AWS Outpost, which may be in another country')
  })

  test('no document, no signal', () => {
    expect(identityDocumentSignals(known({ rsa2048: null }), tags(INSTANCE))).toEqual([])
    expect(identityDocumentSignals(unknown('x'), tags(INSTANCE))).toEqual([])
  })
})

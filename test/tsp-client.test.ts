import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { OID } from '../main/adapters/seal/oids.ts'
import { acceptResponse, createTimestampClient, timestampQuery } from '../main/adapters/seal/tsp/client.ts'
import { revocationListsFor } from '../main/adapters/seal/tsp/crl-fetch.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { derValue, sequence, small } from '../main/core/der/read.ts'
import { realClock, realEntropy } from './support/deps.ts'
import { type Lie, lyingTsa, refusal, replyWith, type TestTsaOptions, testTsa } from './support/lying-tsa.ts'
import type { TokenShape } from './support/tsa-token.ts'

const imprint = new Uint8Array(Buffer.from(sha256('what is stamped'), 'hex'))
const honest = testTsa()
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

const opened: { readonly close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

/** What the client makes of an authority that answers this way, how often it asked, and how long it paused between. */
async function stampBy(lie: Lie, offered: readonly Uint8Array[] = [honest.root]) {
  const server = await lyingTsa(lie)
  opened.push(server)
  const pauses: number[] = []
  const pause = async (milliseconds: number): Promise<void> => void pauses.push(milliseconds)
  const client = createTimestampClient({ clock: realClock, entropy: realEntropy, pause, patience: 1500 })
  const outcome = await client.stamp(server.url, imprint, { offered })
  return { outcome, asked: server.asked(), pauses }
}

const failure = async (lie: Lie, offered?: readonly Uint8Array[]) => {
  const { outcome, asked, pauses } = await stampBy(lie, offered)
  return { ...(outcome.ok ? { code: 'none', detail: '' } : outcome.error), asked, pauses }
}

const shaped = (shape: TokenShape): Lie => replyWith((query) => honest.response(query, shape))

describe('an honest authority', () => {
  test('gives a stamp with its chain', async () => {
    const { outcome, asked } = await stampBy(replyWith((query) => honest.response(query)))
    if (!outcome.ok) throw new Error(outcome.error.detail)
    const { reading, certificates, response, token } = outcome.value
    expect(reading).toMatchObject({ problems: [], authority: { subject: 'Memory TSA' } })
    expect(certificates.map(sha256)).toEqual(honest.chain.map(sha256))
    expect(Buffer.from(response).includes(Buffer.from(token))).toBe(true)
    expect(asked).toBe(1)
  })

  test('may grant with modifications, and name its type with parameters', async () => {
    const lie = replyWith((query) => honest.response(query, {}, 1), 'Application/Timestamp-Reply; x=y')
    expect((await stampBy(lie)).outcome.ok).toBe(true)
  })

  test('is asked anew, with another nonce, when it was busy', async () => {
    const nonces = new Set<string>()
    const { outcome, asked, pauses } = await stampBy((query, answer, count) => {
      nonces.add(Buffer.from(query).toString('hex'))
      if (count === 1) answer.writeHead(500).end('oops')
      else if (count === 2) answer.writeHead(429, { 'retry-after': '9' }).end()
      else replyWith((asked) => honest.response(asked))(query, answer, count)
    })
    expect([outcome.ok, asked, nonces.size, pauses]).toEqual([true, 3, 3, [1_000, 9_000]])
  })
})

describe('an authority with a false answer is named, and not asked again', () => {
  test.each<[string, Lie, RegExp]>([
    ['another nonce', shaped({ nonce: new Uint8Array([0x41, 2, 3, 4, 5, 6, 7, 8]) }), /has another nonce/],
    ['no nonce', shaped({ nonce: null }), /has no nonce/],
    ['another imprint', shaped({ imprint: new Uint8Array(32) }), /does not cover these bytes/],
    ['a time before', shaped({ genTime: ago(6) }), /more than 5 minutes apart/],
    ['a time to come', shaped({ genTime: ago(-6) }), /more than 5 minutes apart/],
    [
      'an altered time',
      shaped({
        alterContent: (content) =>
          Uint8Array.from(content, (byte, at) => (content[at - 1] === 0x0f && content[at - 2] === 0x18 ? 0x33 : byte)),
      }),
      /differs from the signed content/,
    ],
    ['two signers', shaped({ signers: 2 }), /has 2 signers/],
    ['another signer than the one named', shaped({ ess: 'another' }), /names another certificate/],
    ['a token without certificates', shaped({ certificates: [] }), /certificate of the time-stamp’s signer is missing/],
    ['garbage', replyWith(() => new Uint8Array(100).fill(0x30)), /not one value in DER/],
    ['nothing', replyWith(() => new Uint8Array()), /not one value in DER/],
    [
      'an indefinite length',
      replyWith((query) => new Uint8Array([0x30, 0x80, ...(derValue(honest.response(query))?.content ?? []), 0, 0])),
      /not one value in DER/,
    ],
    ['a page', replyWith(() => new TextEncoder().encode('<html>'), 'text/html'), /“text\/html”, not application/],
    ['a wrong type', replyWith((query) => honest.response(query), 'application/octet-stream'), /octet-stream”, not/],
    [
      'an endless answer',
      (_, answer) => {
        answer.writeHead(200, { 'content-type': 'application/timestamp-reply' })
        const more = (): void => {
          if (!answer.destroyed) answer.write(new Uint8Array(16_384), more)
        }
        more()
      },
      /longer than 64 KiB/,
    ],
  ])('%s', async (_, lie, words) => {
    expect(await failure(lie)).toMatchObject({
      code: 'timestamp.wrong',
      detail: expect.stringMatching(words),
      asked: 1,
      pauses: [],
    })
  })

  test.each<[string, TestTsaOptions, RegExp]>([
    ['another purpose', { purposes: [OID.emailProtection] }, /not for time-stamping/],
    ['a further purpose', { purposes: [OID.timeStamping, OID.emailProtection] }, /purposes other than/],
    ['a purpose that is not critical', { critical: false }, /not marked critical/],
    ['an end in the past', { validity: { from: ago(9999), until: ago(1) } }, /not valid at/],
  ])('a certificate with %s', async (_, options, words) => {
    const made = testTsa(options)
    const found = await failure(
      replyWith((query) => made.response(query)),
      [made.root],
    )
    expect(found).toMatchObject({ code: 'timestamp.wrong', detail: expect.stringMatching(words), asked: 1 })
  })

  test('a root that is not known', async () => {
    const found = await failure(
      replyWith((query) => honest.response(query)),
      [],
    )
    expect(found).toMatchObject({ code: 'timestamp.wrong', detail: expect.stringMatching(/issuer” is missing/) })
  })
})

describe('an authority that will not', () => {
  test.each<[string, Lie, string]>([
    [
      'refuses',
      replyWith(() => refusal(2, 'Come back tomorrow.', 14)),
      'The authority granted no time-stamp: status 2 (rejection); failInfo timeNotAvailable; “Come back tomorrow.”',
    ],
    ['is not there', replyWith(() => new Uint8Array(), 'text/plain', 404), 'The authority returned HTTP status 404.'],
    [
      'sends us on',
      (_, answer) => void answer.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'The authority redirected to “http://127.0.0.1:1/” (HTTP 302); redirects are not followed.',
    ],
  ])('%s is not asked again', async (_, lie, detail) => {
    expect(await failure(lie)).toMatchObject({ code: 'timestamp.refused', detail, asked: 1 })
  })

  test.each<[string, Lie, RegExp]>([
    ['fails', (_, answer) => void answer.writeHead(503).end(), /HTTP status 503/],
    ['is busy', (_, answer) => void answer.writeHead(429).end(), /HTTP status 429/],
    ['is silent', () => undefined, /No complete response within 1\.5 s/],
    [
      'drips',
      (_, answer) => {
        answer.writeHead(200, { 'content-type': 'application/timestamp-reply' })
        const drip = setInterval(() => answer.write('x'), 20)
        answer.on('close', () => clearInterval(drip))
      },
      /No complete response within 1\.5 s/,
    ],
    ['hangs up', (_, answer) => void answer.destroy(), /No connection/],
  ])('or cannot: %s is asked three times', async (_, lie, words) => {
    expect(await failure(lie)).toMatchObject({
      code: 'timestamp.unreachable',
      detail: expect.stringMatching(words),
      asked: 3,
      pauses: [1_000, 4_000],
    })
  })

  test('and wants to be left alone for long is', async () => {
    const lie: Lie = (_, answer) => void answer.writeHead(429, { 'retry-after': '86400' }).end()
    expect(await failure(lie)).toMatchObject({ code: 'timestamp.unreachable', asked: 1, pauses: [] })
  })

  test.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://name:word@127.0.0.1/', 'not an address', ''])(
    'an address that is not asked: %s',
    async (url) => {
      const asked: string[] = []
      const client = createTimestampClient({
        clock: realClock,
        entropy: realEntropy,
        pause: async () => undefined,
        fetch: async (to) => {
          asked.push(String(to))
          throw new Error('asked')
        },
      })
      const outcome = await client.stamp(url, imprint)
      expect([outcome.ok, outcome.ok ? '' : outcome.error.code, asked]).toEqual([false, 'input.refused', []])
    },
  )
})

describe('an answer that was carried', () => {
  const query = timestampQuery(imprint, realEntropy)
  const late = honest.response(query.der, { genTime: ago(3 * 24 * 60) })

  test('may be of another day', () => {
    expect(acceptResponse(query, late, null, [honest.root]).ok).toBe(true)
    expect(acceptResponse(query, late, realClock.now(), [honest.root])).toMatchObject({
      ok: false,
      error: { code: 'timestamp.wrong' },
    })
  })

  test('may be the token alone, and is then wrapped', () => {
    const token = honest.token(imprint, { imprint, nonce: query.nonce })
    const outcome = acceptResponse(query, token, null, [honest.root])
    expect(outcome.ok && outcome.value.response).toEqual(sequence(sequence(small(0)), token))
  })

  test('to another query is refused', () => {
    const other = timestampQuery(imprint, realEntropy)
    expect(acceptResponse(other, late, null, [honest.root])).toMatchObject({ ok: false })
  })
})

describe('revocation lists', () => {
  async function served(files: Record<string, () => Uint8Array>) {
    const asked: string[] = []
    const server = createServer((request, answer) => {
      const path = request.url ?? ''
      asked.push(path)
      const file = files[path]
      if (file === undefined) answer.writeHead(404).end()
      else answer.end(file())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    opened.push({ close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()) })
    return { asked, listsAt: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  test('come from the addresses that certificates state, each once', async () => {
    const files: Record<string, () => Uint8Array> = {}
    const { asked, listsAt } = await served(files)
    const made = testTsa({ listsAt })
    const [ofRoot = imprint, ofIssuer = imprint] = made.crls
    files['/root.crl'] = () => ofRoot
    files['/mid.crl'] = () => ofIssuer
    const found = await revocationListsFor([...made.chain, ...made.chain])
    expect(found).toEqual({ lists: [ofIssuer, ofRoot], missing: [] })
    expect(asked).toEqual(['/mid.crl', '/root.crl'])
    expect(await revocationListsFor(made.chain, { known: made.crls })).toEqual({
      lists: [ofIssuer, ofRoot],
      missing: [],
    })
    expect(asked).toHaveLength(2)
  })

  test('by others, or none at all, are missing', async () => {
    const files: Record<string, () => Uint8Array> = {}
    const { listsAt } = await served(files)
    const made = testTsa({ listsAt })
    const [ofNamesake = imprint] = testTsa().crls
    files['/root.crl'] = () => ofNamesake
    expect(await revocationListsFor(made.chain)).toEqual({ lists: [], missing: ['Memory TSA', 'Memory TSA issuer'] })
    expect((await revocationListsFor(honest.chain)).missing).toEqual(['Memory TSA', 'Memory TSA issuer'])
  })

  test('of certificates whose issuer is not at hand are missing', async () => {
    expect((await revocationListsFor(honest.chain.slice(0, 1), { known: honest.crls })).missing).toEqual(['Memory TSA'])
    expect((await revocationListsFor([imprint])).missing).toEqual(['a certificate that cannot be read'])
  })

  test('that do not end are missing', async () => {
    const { listsAt } = await served({ '/mid.crl': () => new Uint8Array(21 * 1024 * 1024) })
    expect((await revocationListsFor(testTsa({ listsAt }).chain)).missing).toHaveLength(2)
  })
})

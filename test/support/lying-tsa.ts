import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OID } from '../../main/adapters/seal/oids.ts'
import { readQuery } from '../../main/adapters/seal/tsp/client.ts'
import { namesOf } from '../../main/adapters/seal/x509.ts'
import { bits, sequence, small, text } from '../../main/core/der/read.ts'
import { certificateFor, listFor, newKey, type TsaKey, type TsaKeyType } from './tsa-certificates.ts'
import { type TokenShape, tokenWith } from './tsa-token.ts'

export interface TestTsaOptions {
  /** Of the authority's own key; its issuers use P-256. */
  readonly keyType?: TsaKeyType
  /** What its tokens say, ISO 8601; the moment of asking unless stated. */
  readonly genTime?: string
  readonly demo?: boolean
  /** Of all certificates; the lists last as long. */
  readonly validity?: { readonly from: string; readonly until: string }
  /** Purposes of its certificate; `critical` true and time-stamping alone unless stated. */
  readonly purposes?: readonly string[]
  readonly critical?: boolean
  readonly name?: string
  /** Since when its certificate is revoked. */
  readonly revoked?: string
  /** Where certificates say that their lists are: `mid.crl` and `root.crl` under this address. */
  readonly listsAt?: string
  /** How many issuers its root allows below the first. */
  readonly rootPathLength?: number
  /** A certificate and key made elsewhere, in place of its own. */
  readonly as?: { readonly leaf: Uint8Array; readonly key: TsaKey }
}

export interface TestTsa {
  /** The authority's certificate, its issuer, the root. */
  readonly chain: readonly Uint8Array[]
  readonly root: Uint8Array
  /** The root's list, then the issuer's. */
  readonly crls: readonly Uint8Array[]
  readonly token: (over: Uint8Array, shape?: TokenShape) => Uint8Array
  /** A TimeStampResp to a query (DER); `status` 0 unless stated. */
  readonly response: (query: Uint8Array, shape?: TokenShape, status?: number) => Uint8Array
}

const DAY = 86_400_000
const fromNow = (days: number): string => new Date(Date.now() + days * DAY).toISOString()

/** A time-stamp authority in memory: a root, one issuer, and the authority. Its tokens carry the first two certificates, not the root. */
export function testTsa(options: TestTsaOptions = {}): TestTsa {
  const { from, until } = options.validity ?? { from: fromNow(-365), until: fromNow(3650) }
  const name = options.name ?? 'Memory TSA'
  const rootKey = newKey('EC')
  const midKey = newKey('EC')
  const key = newKey(options.keyType ?? 'EC')
  const listAt = (file: string): string | undefined =>
    options.listsAt === undefined ? undefined : `${options.listsAt}/${file}`
  const issuer = { purposes: null, from, until }
  const root = certificateFor({
    ...issuer,
    subject: `${name} root`,
    issuer: `${name} root`,
    key: rootKey,
    by: rootKey,
    ...(options.rootPathLength === undefined ? {} : { pathLength: options.rootPathLength }),
  })
  const mid = certificateFor({
    ...issuer,
    subject: `${name} issuer`,
    issuer: `${name} root`,
    key: midKey,
    by: rootKey,
    listAt: listAt('root.crl'),
  })
  const leaf = certificateFor({
    subject: name,
    issuer: `${name} issuer`,
    key,
    by: midKey,
    from,
    until,
    purposes: { ids: options.purposes ?? [OID.timeStamping], critical: options.critical ?? true },
    demo: options.demo === true,
    listAt: listAt('mid.crl'),
  })
  const revoked = options.revoked === undefined ? [] : [{ serial: namesOf(leaf).serial, at: options.revoked }]
  const token = (over: Uint8Array, shape: TokenShape = {}): Uint8Array =>
    tokenWith(options.as === undefined ? { leaf, mid, key } : { ...options.as, mid }, {
      imprint: createHash('sha256').update(over).digest(),
      ...(options.genTime === undefined ? {} : { genTime: options.genTime }),
      ...shape,
    })
  return {
    chain: [leaf, mid, root],
    root,
    crls: [
      listFor({ issuer: `${name} root`, by: rootKey, from, until, revoked: [] }),
      listFor({ issuer: `${name} issuer`, by: midKey, from, until, revoked }),
    ],
    token,
    response: (query, shape = {}, status = 0) => {
      const asked = readQuery(query)
      if (typeof asked === 'string') return refusal(2, 'The query cannot be read.', 5)
      const answer = token(query, { imprint: asked.imprint, nonce: asked.nonce, ...shape })
      return sequence(sequence(small(status)), answer)
    },
  }
}

/** A TimeStampResp without a token; `bit` is the one set in failInfo. */
export function refusal(status: number, words: string, bit: number): Uint8Array {
  const flags = new Uint8Array(Math.floor(bit / 8) + 1)
  flags[flags.length - 1] = 0x80 >> (bit % 8)
  return sequence(sequence(small(status), sequence(text(words)), bits(flags, 7 - (bit % 8))))
}

export type Lie = (query: Uint8Array, answer: ServerResponse, count: number) => void

export interface LyingTsa {
  readonly url: string
  /** How often it was asked. */
  readonly asked: () => number
  readonly close: () => Promise<void>
}

/** Answers with bytes, as an authority does. */
export const replyWith =
  (bytes: (query: Uint8Array) => Uint8Array, type = 'application/timestamp-reply', status = 200): Lie =>
  (query, answer) =>
    void answer.writeHead(status, { 'content-type': type }).end(bytes(query))

/** An HTTP server on the loopback that answers every query in one way. */
export async function lyingTsa(lie: Lie): Promise<LyingTsa> {
  let count = 0
  const server = createServer((request, answer) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      count += 1
      lie(new Uint8Array(Buffer.concat(parts)), answer, count)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    asked: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

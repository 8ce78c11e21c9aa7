import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How an ID token of the provider differs from a valid one. */
export type Lie =
  | 'nonce'
  | 'no-nonce'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'alg-none'
  | 'other-key'
  | 'hmac'
  | 'no-token'
  | 'redirect'

export interface TestProvider {
  readonly issuer: string
  /** What the browser comes back with after signing in with these claims, for the address that it was sent to. */
  readonly approve: (url: string, claims: Readonly<Record<string, unknown>>, lie?: Lie) => string
  /** Signs in with these claims whoever comes with a browser. */
  readonly admit: (claims: Readonly<Record<string, unknown>>) => void
  readonly close: () => Promise<void>
}

interface Granted {
  readonly claims: Readonly<Record<string, unknown>>
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
  readonly lie: Lie | undefined
}

const CLIENT = 'barewitness-test'
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The key of every provider of this process, and one that none of them publishes. Making both takes a second. */
let keys: readonly [KeyPairKeyObjectResult, KeyPairKeyObjectResult] | null = null
const newKey = (): KeyPairKeyObjectResult => generateKeyPairSync('rsa', { modulusLength: 2048 })
const keysOfProcess = () => {
  keys ??= [newKey(), newKey()]
  return keys
}

/** Someone who can sign in on the page of the provider: what the link reads, and the claims. */
export interface Person {
  readonly link: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * A minimal identity provider on loopback. It checks the code verifier, and issues ID tokens with one thing wrong on request. With `people`, a
 * browser chooses one of them; without, it is whoever was admitted last.
 */
export async function startTestProvider(people: readonly Person[] = []): Promise<TestProvider> {
  const [own, other] = keysOfProcess()
  const codes = new Map<string, Granted>()
  let issuer = ''
  const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }
  const idToken = ({ claims, nonce, lie }: Granted): string => {
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      iss: lie === 'issuer' ? 'http://127.0.0.1:1' : issuer,
      aud: lie === 'audience' ? 'other' : CLIENT,
      iat: lie === 'expired' ? now - 7200 : now,
      exp: lie === 'expired' ? now - 3600 : now + 300,
      ...(lie === 'no-nonce' ? {} : { nonce: lie === 'nonce' ? 'other' : nonce }),
      ...claims,
    }
    if (lie === 'alg-none') return `${part({ alg: 'none' })}.${part(payload)}.`
    const signed = `${part({ alg: lie === 'hmac' ? 'HS256' : 'RS256', kid: 'k' })}.${part(payload)}`
    const key: KeyObject = lie === 'other-key' ? other.privateKey : own.privateKey
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
  }
  let admitted: Readonly<Record<string, unknown>> = {}
  const grant = (url: string, claims: Readonly<Record<string, unknown>>, lie?: Lie): URLSearchParams => {
    const asked = new URL(url).searchParams
    if (asked.get('code_challenge_method') !== 'S256' || asked.get('client_id') !== CLIENT)
      throw new Error('the authorization request has no PKCE, or another client')
    const code = randomBytes(16).toString('hex')
    codes.set(code, {
      claims,
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      redirectUri: lie === 'redirect' ? 'http://127.0.0.1/other' : (asked.get('redirect_uri') ?? ''),
      lie,
    })
    return new URLSearchParams({ code, state: asked.get('state') ?? '' })
  }
  const server = createServer((request, response) => {
    const json = (status: number, value: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
    }
    if (request.url === '/.well-known/openid-configuration')
      return json(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      })
    if (request.url?.startsWith('/authorize?') === true) {
      const url = new URL(`${issuer}${request.url}`)
      const chosen = people[Number(url.searchParams.get('person') ?? -1)]
      if (people.length > 0 && chosen === undefined) {
        response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(choice(url, people))
        return
      }
      const back = url.searchParams.get('redirect_uri') ?? ''
      response.writeHead(302, { Location: `${back}?${grant(url.href, chosen?.claims ?? admitted)}` }).end()
      return
    }
    if (request.url === '/jwks') return json(200, { keys: [jwk] })
    if (request.url !== '/token') return json(404, {})
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      const form = new URLSearchParams(body)
      const granted = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (granted === undefined || granted.challenge !== challenge || granted.redirectUri !== form.get('redirect_uri'))
        return json(400, { error: 'invalid_grant' })
      json(200, {
        access_token: 'a',
        token_type: 'Bearer',
        ...(granted.lie === 'no-token' ? {} : { id_token: idToken(granted) }),
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    approve: (url, claims, lie) => `/auth/callback?${grant(url, claims, lie)}`,
    admit: (claims) => {
      admitted = claims
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A page with a link for each person. */
function choice(url: URL, people: readonly Person[]): string {
  const items = people.map(({ link }, at) => {
    const chosen = new URL(url)
    chosen.searchParams.set('person', String(at))
    return `<li><a href="${chosen.href.replaceAll('&', '&amp;')}">${link}</a></li>`
  })
  return `<!doctype html><html lang="en"><title>Test provider</title><h1>Test provider</h1><p>Sign in as:</p><ul>${items.join('')}</ul></html>`
}

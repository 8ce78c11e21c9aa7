import { createHash } from 'node:crypto'
import type { TeamOidc } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import type { Claims } from '../../person.ts'

/** A sign-in that was begun and not completed. */
interface Pending {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly at: number
  /** The link of an invitation that this sign-in accepts, or null. */
  readonly invitation: string | null
}

export interface SignIn {
  /** The address at the identity provider, and the value of the cookie that binds the sign-in to this browser. */
  readonly begin: (
    now: number,
    invitation: string | null,
  ) => Promise<Outcome<{ readonly url: string; readonly cookie: string }>>
  /** The claims of the validated ID token, and the invitation that the sign-in was begun with. Each cookie is valid for one attempt. */
  readonly finish: (query: string, cookie: string | undefined, now: number) => Promise<Outcome<SignedIn>>
  /** Whether the metadata of the identity provider could be read. */
  readonly isReady: () => Promise<boolean>
}

export interface SignedIn {
  readonly claims: Claims
  readonly invitation: string | null
}

interface SignInParts {
  readonly oidc: TeamOidc
  readonly secret: string | null
  /** Address that the identity provider redirects the browser to. */
  readonly redirectUri: () => string
  readonly random: (count: number) => Uint8Array
  /** Called with error codes for the administrator where the identity provider could not be used or did not confirm a sign-in. */
  readonly failed: (code: string) => void
}

export const SIGN_IN_SECONDS = 600
const MOST_PENDING = 10_000
const TIMEOUT_SECONDS = 10

/**
 * OpenID Connect: code flow with PKCE, state and nonce. The library checks issuer, audience, times and nonce of the ID token; its signature
 * is checked too, although it comes over TLS, so that no proxy can change it.
 */
export function createSignIn({ oidc, secret, redirectUri, random, failed }: SignInParts): SignIn {
  const pending = new Map<string, Pending>()
  const library = () => import('openid-client')
  type Configuration = Awaited<ReturnType<Awaited<ReturnType<typeof library>>['discovery']>>
  let known: Configuration | null = null
  const configured = async (): Promise<Outcome<Configuration>> => {
    if (known !== null) return ok(known)
    const client = await library()
    try {
      known = await client.discovery(
        new URL(oidc.issuer),
        oidc.clientId,
        undefined,
        secret === null ? client.None() : client.ClientSecretBasic(secret),
        {
          timeout: TIMEOUT_SECONDS,
          execute: [
            client.enableNonRepudiationChecks,
            // The configuration allows this on loopback only.
            ...(oidc.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
          ],
        },
      )
      return ok(known)
    } catch (thrown) {
      failed(codesOf(thrown))
      return fail('access.refused', 'the identity provider cannot be reached')
    }
  }
  const forget = (now: number): void => {
    for (const [key, { at }] of pending) if (now - at >= SIGN_IN_SECONDS * 1000) pending.delete(key)
  }
  return {
    isReady: async () => (await configured()).ok,
    begin: async (now, invitation) => {
      const configuration = await configured()
      if (!configuration.ok) return configuration
      forget(now)
      if (pending.size >= MOST_PENDING) return fail('access.refused', 'too many sign-ins are in progress')
      const client = await library()
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
      const cookie = Buffer.from(random(32)).toString('base64url')
      pending.set(hashOf(cookie), { state, nonce, verifier, at: now, invitation })
      const url = client.buildAuthorizationUrl(configuration.value, {
        redirect_uri: redirectUri(),
        response_type: 'code',
        scope: ['openid', 'profile', ...(oidc.scopes ?? [])].join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return ok({ url: url.href, cookie })
    },
    finish: async (query, cookie, now) => {
      forget(now)
      const begun = cookie === undefined ? undefined : pending.get(hashOf(cookie))
      if (cookie === undefined || begun === undefined)
        return fail('access.refused', 'this sign-in was not begun in this browser, or too long ago')
      pending.delete(hashOf(cookie))
      const configuration = await configured()
      if (!configuration.ok) return configuration
      const client = await library()
      try {
        const tokens = await client.authorizationCodeGrant(configuration.value, new URL(`${redirectUri()}?${query}`), {
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          pkceCodeVerifier: begun.verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        return claims === undefined
          ? fail('access.refused', NOT_CONFIRMED)
          : ok({ claims, invitation: begun.invitation })
      } catch (thrown) {
        // The message may quote input of an unknown sender.
        failed(codesOf(thrown))
        return fail('access.refused', NOT_CONFIRMED)
      }
    },
  }
}

const NOT_CONFIRMED = 'the identity provider did not confirm this sign-in'
const hashOf = (cookie: string): string => createHash('sha256').update(cookie).digest('hex')

const CODE = /^[A-Za-z0-9_]{1,60}$/

/** The codes of an exception and its causes, such as of the library, the provider’s answer or a certificate; no other text. */
function codesOf(thrown: unknown): string {
  const codes: string[] = []
  for (let [one, depth] = [thrown, 0]; depth < 5 && typeof one === 'object' && one !== null; depth += 1) {
    const { code, error, cause }: { code?: unknown; error?: unknown; cause?: unknown } = one
    for (const each of [code, error]) if (typeof each === 'string' && CODE.test(each)) codes.push(each)
    one = cause
  }
  return [...new Set(codes)].join(' ') || 'unknown'
}

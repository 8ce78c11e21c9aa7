import { createHmac } from 'node:crypto'
import type { NotifyWebhook } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import type { Notice } from '../../core/notice.ts'
import type { Clock } from '../../core/ports.ts'
import { askable, reasonOf } from '../seal/tsp/client.ts'
import { ownersFile } from '../stored-file.ts'

export interface Posting {
  readonly clock: Clock
  readonly pause: (milliseconds: number) => Promise<void>
  /** For one attempt, its connection included. */
  readonly limit?: number
}

const LIMIT = 10_000
/** Before the second and the third attempt. */
const WAITS = [1000, 4000] as const

/**
 * Posts the notification as JSON. With a key, `Barewitness-Signature: t=<unix seconds>,v1=<HMAC-SHA-256 over "t.body"
 * in hexadecimal>` (RFC 2104) states its sender and time, and `Barewitness-Delivery` is the same in every attempt. No
 * redirect is followed, and only the status of a response is read. Fails with input.refused for an unusable address or
 * key, and with notice.undelivered.
 */
export async function notifyWebhook(
  { url, secretFile }: NotifyWebhook,
  notice: Notice,
  { clock, pause, limit = LIMIT }: Posting,
): Promise<Outcome<null>> {
  const address = webhookAddress(url)
  if (!address.ok) return address
  const secret = secretFile === null ? ok(null) : ownersFile(secretFile, 'webhook key')
  if (!secret.ok) return secret
  if (secret.value === '') return fail('input.refused', `${secretFile} is empty; it must contain the webhook key`)
  const body = JSON.stringify(notice)
  const host = address.value.host
  for (let tried = 0; ; tried += 1) {
    const headers = {
      'content-type': 'application/json',
      'barewitness-delivery': notice.id,
      ...(secret.value === null ? {} : { 'barewitness-signature': webhookSignature(secret.value, clock.now(), body) }),
    }
    const answer = await post(address.value, headers, body, limit)
    if (answer.done) return ok(null)
    const wait = WAITS[tried]
    if (!answer.again || wait === undefined) {
      const tries = tried === 0 ? '' : `, ${tried + 1} tries`
      return fail('notice.undelivered', `webhook at ${host}: ${answer.why}${tries}`)
    }
    await pause(wait)
  }
}

/** `t=…,v1=…` over a body as of a moment (ISO 8601). */
export function webhookSignature(secret: string, at: string, body: string): string {
  const seconds = Math.floor(Date.parse(at) / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

/** https, or http to this computer. The error names the host only: webhook addresses often contain a token. */
export function webhookAddress(url: string): Outcome<URL> {
  const asked = askable(url)
  if (asked === null) return fail('input.refused', 'a webhook needs an https address without user name and password')
  const address = new URL(asked)
  const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(address.hostname)
  return address.protocol === 'https:' || local
    ? ok(address)
    : fail('input.refused', `webhook at ${address.host}: use https, or http to this computer only`)
}

type Answer = { readonly done: true } | { readonly done: false; readonly again: boolean; readonly why: string }

async function post(url: URL, headers: Readonly<Record<string, string>>, body: string, limit: number): Promise<Answer> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), limit)
  try {
    const { status } = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: end.signal })
    if (status >= 200 && status < 300) return { done: true }
    const again = status >= 500 || status === 408 || status === 429
    const moved = status >= 300 && status < 400
    return {
      done: false,
      again,
      why: moved ? `HTTP status ${status}; redirects are not followed` : `HTTP status ${status}`,
    }
  } catch (problem) {
    const why = end.signal.aborted ? `no response within ${limit / 1000} s` : reasonOf(problem)
    return { done: false, again: true, why: why.replace(/\.$/, '') }
  } finally {
    clearTimeout(timer)
    // Drops the connection with any remaining response.
    end.abort()
  }
}

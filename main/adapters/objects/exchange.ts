import { createHash } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { AwsV4Signer } from 'aws4fetch'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { StoredBytes } from '../../core/recording/recording.ts'
import { wholeBody } from '../http.ts'
import { messageOf } from '../store/durable.ts'

/** Location of the objects, and the keys that sign requests. */
export interface S3Place {
  /** Scheme, host and port. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
  /** Certificates that the store must be issued by, PEM; null for the authorities of Node.js. */
  readonly ca: string | null
}

export interface Outside {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: (milliseconds: number) => Promise<void>
}

/** One request. Names in `query` and keys need no encoding: they consist of letters, digits and `-._/`. */
interface S3Request {
  readonly verb: 'GET' | 'HEAD' | 'PUT'
  /** Empty for the bucket. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: StoredBytes
}

export interface S3Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Uint8Array
}

export interface Exchange {
  /** The whole answer, of at most `largest` bytes. A request is repeated after temporary errors of the store. */
  readonly ask: (request: S3Request, largest: number) => Promise<Outcome<S3Answer>>
  /** The body of an answer with status 200, in pieces, of exactly `size` bytes. Rejects otherwise. */
  readonly stream: (request: S3Request, size: number) => AsyncGenerator<Uint8Array>
}

/** Retention ends by the clock of the store: with a larger difference, it would end earlier or later than requested. */
const LARGEST_SKEW_MS = 5 * 60_000
const SILENCE_MS = 30_000
/** Additional time for an answer that is read as a whole. */
const ANSWER_MS = 120_000
const TRIES_MS = [200, 1000] as const
const PASSING: readonly number[] = [429, 500, 502, 503, 504]

/** Signed requests to one bucket, in the path form. No redirect is followed. */
export function createExchange(place: S3Place, { now, pause }: Outside): Exchange {
  const { endpoint, ca } = place
  const isSecure = endpoint.startsWith('https:')
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, minVersion: 'TLSv1.2', ...(ca === null ? {} : { ca }) })
    : new PlainAgent({ keepAlive: true })
  const send = async ({ verb, key, query = {}, headers = {}, body }: S3Request): Promise<IncomingMessage> => {
    const url = new URL(`${endpoint}/${place.bucket}${key === '' ? '' : `/${key}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signed = await new AwsV4Signer({
      method: verb,
      url: url.toString(),
      headers: { ...headers, 'x-amz-content-sha256': body?.sha256 ?? sha256('') },
      accessKeyId: place.accessKey,
      secretAccessKey: place.secretKey,
      service: 's3',
      region: place.region,
      datetime: new Date(now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    }).sign()
    return await new Promise((resolve, reject) => {
      const sent = (isSecure ? secureRequest : plainRequest)(
        url,
        {
          method: verb,
          agent,
          timeout: SILENCE_MS,
          headers: {
            ...Object.fromEntries(signed.headers),
            ...(body === undefined ? {} : { 'content-length': body.size }),
          },
        },
        resolve,
      )
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
      sent.on('error', reject)
      if (body === undefined) sent.end()
      else void sendBody(sent, body).catch((problem) => sent.destroy(problem as Error))
    })
  }
  const once = async (request: S3Request, largest: number): Promise<Outcome<S3Answer>> => {
    let response: IncomingMessage
    try {
      response = await send(request)
    } catch (problem) {
      return away(problem)
    }
    const late = setTimeout(() => response.destroy(new Error('the answer took too long')), ANSWER_MS)
    try {
      const body = await wholeBody(response, largest)
      if (body === null) return strange(`its answer has more than ${largest} bytes`)
      const skewed = whySkewed(response, now())
      if (skewed !== null) return strange(skewed)
      return ok({ status: response.statusCode ?? 0, headers: response.headers, body })
    } catch (problem) {
      return away(problem)
    } finally {
      clearTimeout(late)
    }
  }
  const ask: Exchange['ask'] = async (request, largest) => {
    for (const wait of TRIES_MS) {
      const answer = await once(request, largest)
      const isPassing = answer.ok ? PASSING.includes(answer.value.status) : answer.error.code === 'objects.unreachable'
      if (!isPassing) return answer
      await pause(wait)
    }
    return await once(request, largest)
  }
  return {
    ask,
    stream: async function* (request, size) {
      const response = await send(request)
      if (response.statusCode !== 200) {
        response.destroy()
        throw new Error(`the store answered with status ${response.statusCode}`)
      }
      let read = 0
      for await (const chunk of response as AsyncIterable<Buffer>) {
        read += chunk.length
        if (read > size) break
        yield chunk
      }
      if (read !== size) throw new Error(`the store has ${read > size ? 'more' : 'fewer'} than ${size} bytes`)
    },
  }
}

/** Sends the last piece only after all have the signed digest, so that the store never receives other bytes completely. */
async function sendBody(sent: ClientRequest, body: StoredBytes): Promise<void> {
  const { size, sha256: expected } = body
  const hash = createHash('sha256')
  let [held, length] = [new Uint8Array(), 0]
  for await (const chunk of body.open()) {
    hash.update(chunk)
    length += chunk.length
    if (length > size) break
    if (held.length > 0 && !sent.write(held)) await drained(sent)
    held = new Uint8Array(chunk)
  }
  if (length !== size || hash.digest('hex') !== expected) throw new Error('the bytes differ from their digest')
  sent.end(held)
}

const drained = (sent: ClientRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      sent.off('drain', done)
      sent.off('close', gone)
    }
    const done = (): void => {
      end()
      resolve()
    }
    const gone = (): void => {
      end()
      reject(new Error('the connection was closed'))
    }
    sent.once('drain', done)
    sent.once('close', gone)
  })

function whySkewed({ headers }: IncomingMessage, now: number): string | null {
  const at = Date.parse(headers.date ?? '')
  if (Number.isNaN(at)) return 'its answers state no time, by which retention could be compared'
  const seconds = Math.round((at - now) / 1000)
  if (Math.abs(at - now) <= LARGEST_SKEW_MS) return null
  return `its clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} this computer`
}

const away = (problem: unknown): Outcome<never> => fail('objects.unreachable', plain(messageOf(problem), 300))

/** The failure for an answer that no suitable store gives. */
export const strange = (why: string): Outcome<never> => fail('objects.refused', plain(why, 300))

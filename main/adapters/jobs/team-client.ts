import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { FAILURE_CODES, type FailureCode } from '../../../schemas/failure-words.ts'
import type { CollectorLease, SealingRequest } from '../../../schemas/types.ts'
import { parseBounded } from '../../core/base/bounded-json.ts'
import { isSha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { AuditHead } from '../../core/team/audit-head.ts'
import type { TeamServer } from '../../core/team/jobs.ts'
import type { SealingServer } from '../../core/team/sealing-orders.ts'
import { wholeBody } from '../http.ts'
import { placedProblems, type SchemaName } from '../schema-validator.ts'

interface TeamClientOptions {
  /** Scheme, host and port. */
  readonly server: string
  readonly token: string
  /** Certificates that the server must be issued by, PEM; null for the authorities of Node.js. */
  readonly certificate: string | null
}

const LARGEST_ANSWER = 8 * 1024 * 1024
const PATIENCE_MS = 60_000

interface Sending {
  readonly verb: 'POST' | 'PUT'
  readonly target: string
  readonly type: string
  readonly body: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

interface Requests {
  readonly send: (sending: Sending) => Promise<Outcome<unknown>>
  readonly post: (target: string, input: unknown, signal?: AbortSignal) => Promise<Outcome<unknown>>
}

/** Requests with a token. No redirect is followed, so that the token is sent nowhere else. */
function requests({ server, token, certificate }: TeamClientOptions): Requests {
  const isSecure = server.startsWith('https:')
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, ...(certificate === null ? {} : { ca: certificate }) })
    : new PlainAgent({ keepAlive: true })
  const send = ({ verb, target, type, body, headers, signal }: Sending): Promise<Outcome<unknown>> =>
    new Promise((resolve) => {
      const unreachable = (problem: Error): void =>
        resolve(fail('server.unreachable', plain(`${server}: ${problem.message}`, 300)))
      try {
        const sent = (isSecure ? secureRequest : plainRequest)(
          `${server}${target}`,
          {
            method: verb,
            agent,
            timeout: PATIENCE_MS,
            ...(signal === undefined ? {} : { signal }),
            headers: {
              authorization: `Bearer ${token}`,
              'content-type': type,
              'content-length': Buffer.byteLength(body),
              ...headers,
            },
          },
          (response) => void answerIn(response).then(resolve, unreachable),
        )
        sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
        sent.on('error', unreachable)
        sent.end(body)
      } catch (problem) {
        unreachable(problem as Error)
      }
    })
  const post = (target: string, input: unknown, signal?: AbortSignal): Promise<Outcome<unknown>> =>
    send({
      verb: 'POST',
      target,
      type: 'application/json',
      body: JSON.stringify(input),
      ...(signal === undefined ? {} : { signal }),
    })
  return { send, post }
}

/** The outcome of an answer, without its value, which has no meaning. */
async function none(answer: Promise<Outcome<unknown>>): Promise<Outcome<null>> {
  const outcome = await answer
  return outcome.ok ? ok(null) : outcome
}

/** The value of an answer, checked against its schema; null where the server has none. */
async function checkedValue<T>(schema: SchemaName, answer: Promise<Outcome<unknown>>): Promise<Outcome<T | null>> {
  const outcome = await answer
  if (!outcome.ok) return outcome
  const { value } = outcome
  return value === null || placedProblems(schema, value).length === 0 ? ok(value as T | null) : STRANGE
}

/** The team server as a collector reaches it. */
export function createTeamClient(options: TeamClientOptions): TeamServer {
  const { send, post } = requests(options)
  return {
    ask: (input, signal) => checkedValue<CollectorLease>('collector-lease', post('/collector/ask', input, signal)),
    renew: (job, input) => none(post(`/collector/jobs/${job}/renew`, input)),
    offer: async (job, input) => {
      const answer = await post(`/collector/jobs/${job}/offer`, input)
      if (!answer.ok) return answer
      const { missing } = (answer.value ?? {}) as { readonly missing?: unknown }
      return Array.isArray(missing) && missing.every((one) => typeof one === 'string' && isSha256(one))
        ? ok({ missing })
        : STRANGE
    },
    parts: (job, lease, body) =>
      none(
        send({
          verb: 'PUT',
          target: `/collector/jobs/${job}/parts`,
          type: 'application/octet-stream',
          body,
          headers: { 'x-barewitness-lease': lease },
        }),
      ),
    deliver: (job, input) => none(post(`/collector/jobs/${job}/deliver`, input)),
    refuse: (job, input) => none(post(`/collector/jobs/${job}/refuse`, input)),
  }
}

/** The team server as a sealer reaches it. */
export function createSealingClient(options: TeamClientOptions): SealingServer {
  const { post } = requests(options)
  return {
    ask: (input, signal) => checkedValue<SealingRequest>('sealing-request', post('/sealer/ask', input, signal)),
    answer: (id, input) => none(post(`/sealer/requests/${id}/answer`, input)),
    refuse: (id, input) => none(post(`/sealer/requests/${id}/refuse`, input)),
    head: () => checkedValue<AuditHead>('sealer-head', post('/sealer/head', {})),
    signHead: (input) => none(post('/sealer/head/answer', input)),
  }
}

const STRANGE = fail('server.unreachable', 'the answer is not one of a team server')

async function answerIn(response: IncomingMessage): Promise<Outcome<unknown>> {
  const body = await wholeBody(response, LARGEST_ANSWER)
  if (body === null) return STRANGE
  const status = response.statusCode ?? 0
  const reply = parsed(Buffer.from(body).toString('utf8'))
  if (reply === null) return fail('server.unreachable', `status ${status} without an answer of a team server`)
  if (reply.ok === true) return ok(reply.value ?? null)
  const { code, detail } = (reply.error ?? {}) as { readonly code?: unknown; readonly detail?: unknown }
  const words = plain(typeof detail === 'string' ? detail : `status ${status}`, 300)
  // Too many requests and errors of the server itself are temporary.
  if (status === 429 || status >= 500) return fail('server.unreachable', words)
  return fail(
    (FAILURE_CODES as readonly unknown[]).includes(code) ? (code as FailureCode) : 'server.unreachable',
    words,
  )
}

function parsed(text: string): { readonly ok?: unknown; readonly value?: unknown; readonly error?: unknown } | null {
  try {
    const value = parseBounded(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

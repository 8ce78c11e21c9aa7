import { type Failure, fail, type Outcome } from '../../../core/base/failure.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { AuditEvent } from '../../audit.ts'
import { readBody } from '../../json-body.ts'
import { type Concurrency, networkOf } from '../../limits.ts'
import type { CounterName } from '../../metrics.ts'
import type { ProgramInput } from '../../program-access.ts'
import { type Exchange, headerOf, readAll, type Sent, sendFailure, sendReply } from '../services/http.ts'
import { auditEvent, type ServerParts } from '../services/parts.ts'

/** Shared parts of requests of collectors and sealers: a token instead of a session, and inputs with a schema. */

const LARGEST_INPUT = 1024 * 1024

/** Answers an attempt with an unknown token. Attempts are limited for each address; those within the limit are written to the audit log. */
export async function unknownToken(
  parts: ServerParts,
  exchange: Exchange,
  kind: Extract<AuditEvent['kind'], 'collector-refused' | 'sealer-refused'>,
  reason: string,
): Promise<Sent> {
  if (!parts.tokenTries.take(networkOf(exchange.request.socket.remoteAddress ?? ''), parts.now()))
    return sendFailure(exchange, 429, 'access.refused', 'too many attempts; wait a minute')
  await parts.audit.append(auditEvent(parts, null, { kind, outcome: 'refused', reason }))
  return sendFailure(exchange, 401, 'access.refused', reason)
}

/** Reads the input of a request and validates it against the schema of this name. Fails with input.refused. */
export async function inputOf(parts: ServerParts, exchange: Exchange, schema: ProgramInput): Promise<Outcome<unknown>> {
  const bytes = await readAll(exchange, LARGEST_INPUT)
  if (bytes === null) return fail('input.refused', 'the body is larger than 1 MiB')
  const body = readBody(bytes)
  if (!body.ok) return body
  const [problem] = parts.collecting.problems(schema, body.value)
  return problem === undefined ? body : fail('input.refused', plain(problem, 300))
}

/** Answers a request of a program within a limit, and counts it. */
export async function answerProgram(
  { metrics }: Pick<ServerParts, 'metrics'>,
  exchange: Exchange,
  {
    name,
    verb,
    limit,
    counter,
  }: { readonly name: string; readonly verb: string; readonly limit: Concurrency; readonly counter: CounterName },
  work: () => Promise<Outcome<unknown>>,
): Promise<Sent> {
  const leave = limit.enter(name)
  if (leave === null) return sendFailure(exchange, 429, 'access.refused', 'too many requests are being answered')
  try {
    const outcome = await work()
    metrics.count(counter, { verb, outcome: outcome.ok ? 'answered' : 'refused' })
    return sendOutcome(exchange, outcome)
  } finally {
    leave()
  }
}

export const isEncoded = (exchange: Exchange): boolean => headerOf(exchange, 'content-encoding') !== undefined

/** Sends the reply to a program. 4xx ends an attempt for good; programs repeat all others. */
const sendOutcome = (exchange: Exchange, outcome: Outcome<unknown>): Sent =>
  outcome.ok
    ? sendReply(exchange, 200, { ok: true, value: outcome.value })
    : sendFailure(exchange, statusOf(outcome.error), outcome.error.code, outcome.error.detail)

const PASSING: readonly Failure['code'][] = ['store.failed', 'database.unreachable']

const statusOf = ({ code }: Failure): number => {
  if (code.startsWith('job.')) return 409
  if (code === 'input.not-found') return 404
  return PASSING.includes(code) ? 503 : code === 'bug' ? 500 : 400
}

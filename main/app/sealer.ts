import type { SealerAsk, SealingRequest } from '../../schemas/types.ts'
import type { Ports } from '../core/all-ports.ts'
import { type AuditHead, headStatement, headsIn } from '../core/audit-head.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { type Failure, fail, type Outcome, ok } from '../core/failure.ts'
import type { Signer } from '../core/ports.ts'
import { MOST_SIGNATURES, type RemoteSigning, type SealingServer } from '../core/sealing-orders.ts'

export interface SealerDeps {
  readonly server: SealingServer
  readonly signer: Signer
  readonly signing: Pick<RemoteSigning, 'attributes' | 'signText'>
  readonly ports: Pick<Ports, 'clock' | 'files'>
  /** Whether a person confirms an order. It may take any time. */
  readonly confirm: (request: SealingRequest) => Promise<boolean>
  /** Resolves after some time, or at once when `signal` is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

export interface SealerOptions {
  /** The file that lists everything that was signed. */
  readonly record: string
  /** Scheme, host and port of the server, whose audit log is signed; null where it is not. */
  readonly auditLogOf: string | null
  readonly signal: AbortSignal
  readonly onEvent: (event: SealerEvent) => void
}

export type SealerEvent =
  | { readonly kind: 'signed'; readonly request: SealingRequest; readonly count: number }
  | { readonly kind: 'refused'; readonly request: SealingRequest; readonly reason: string }
  | { readonly kind: 'head-signed'; readonly head: AuditHead }
  /** The audit log has fewer entries than when this sealer signed it. */
  | { readonly kind: 'log-shortened'; readonly head: AuditHead; readonly before: AuditHead }
  /** The server did not take the answer: another process answered, or it no longer waits. */
  | { readonly kind: 'too-late'; readonly request: SealingRequest; readonly failure: Failure }
  /** Tried again after a while. */
  | { readonly kind: 'waits'; readonly failure: Failure }

const WAIT_SECONDS = 20
/** Between two signatures of the head of the audit log. */
const HEAD_MS = 10 * 60_000
const RETRY_MS = 2000
const MOST_RETRY_MS = 60_000

/** What a person decided about an order, and how often it was signed for. */
interface Order {
  readonly isConfirmed: boolean
  signatures: number
}

/**
 * Signs the digests that a team server asks for, until it is stopped. Each order is confirmed by a person once. A digest is in the record,
 * on the disk, before it is signed; an order that asks for more signatures than an export has is refused.
 */
export async function runSealer(deps: SealerDeps, options: SealerOptions): Promise<void> {
  const { signal, onEvent } = options
  const asked = askOf(deps.signer)
  const orders = new Map<string, Order>()
  const nextHead = auditHeads(deps, options)
  let retry = RETRY_MS
  while (!signal.aborted) {
    await nextHead()
    const request = await deps.server.ask(asked, signal)
    const done = !request.ok || request.value === null ? request : await answer(deps, options, orders, request.value)
    if (done.ok) {
      retry = RETRY_MS
      continue
    }
    if (signal.aborted) return
    onEvent({ kind: 'waits', failure: done.error })
    await deps.wait(retry, signal)
    retry = Math.min(retry * 2, MOST_RETRY_MS)
  }
}

/**
 * Signs the head of the audit log when its time has come. It is in the record before it is signed. A failure is reported, and exports are
 * waited for all the same.
 */
function auditHeads(deps: SealerDeps, { auditLogOf, record, onEvent }: SealerOptions): () => Promise<void> {
  const { server, signer, signing, ports } = deps
  let [due, last]: [number, AuditHead | null] = [Number.NEGATIVE_INFINITY, null]
  const next = async (origin: string): Promise<Outcome<null>> => {
    last ??= await recordedBefore(deps, record, origin)
    const answered = await server.head()
    if (!answered.ok || answered.value === null) return answered.ok ? ok(null) : answered
    const head = answered.value
    if (last !== null && (head.size < last.size || (head.size === last.size && head.digest !== last.digest))) {
      onEvent({ kind: 'log-shortened', head, before: last })
      return ok(null)
    }
    const statement = headStatement(origin, head, ports.clock.now())
    const noted = await ports.files.append(record, canonicalJson({ signer: signer.fingerprint, auditHead: statement }))
    if (!noted.ok) return noted
    last = head
    const cms = await keySigned(() => signing.signText(signer, statement))
    if (!cms.ok) return cms
    const sent = await server.signHead({ statement, cms: base64(cms.value) })
    if (sent.ok) onEvent({ kind: 'head-signed', head })
    return sent
  }
  return async () => {
    const now = Number(ports.clock.ticks() / 1_000_000n)
    if (auditLogOf === null || now < due) return
    due = now + HEAD_MS
    const done = await next(auditLogOf)
    if (!done.ok) onEvent({ kind: 'waits', failure: done.error })
  }
}

/** The last head of this server that was recorded, by this process or one before it. */
async function recordedBefore({ ports }: SealerDeps, record: string, origin: string): Promise<AuditHead | null> {
  const read = await ports.files.read(record)
  const text = read.ok ? Buffer.from(read.value).toString('utf8') : ''
  const own = headsIn(text).filter(({ statement }) => statement.server === origin)
  return own.at(-1)?.statement ?? null
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const askOf = ({ certificate, chain, crls }: Signer): SealerAsk => ({
  certificate: base64(certificate),
  chain: chain.map(base64),
  crls: crls.map(base64),
  waitSeconds: WAIT_SECONDS,
})

const NOT_CONFIRMED = 'the signer did not confirm this export'
const TOO_MANY = `the server asked for more than ${MOST_SIGNATURES} signatures for one export`

/** Answers one request. Fails as the record does, and where the server cannot be reached; such a request is handed out again. */
async function answer(
  deps: SealerDeps,
  options: SealerOptions,
  orders: Map<string, Order>,
  request: SealingRequest,
): Promise<Outcome<null>> {
  const order = orders.get(request.order) ?? { isConfirmed: await deps.confirm(request), signatures: 0 }
  orders.set(request.order, order)
  if (!order.isConfirmed) return await refuse(deps, options, request, NOT_CONFIRMED)
  if (order.signatures >= MOST_SIGNATURES) return await refuse(deps, options, request, TOO_MANY)
  order.signatures += 1
  const noted = await deps.ports.files.append(
    options.record,
    canonicalJson({ at: deps.ports.clock.now(), signer: deps.signer.fingerprint, ...request }),
  )
  if (!noted.ok) return noted
  const signature = await keySigned(() =>
    deps.signer.sign(deps.signing.attributes(deps.signer.certificate, request.digest)),
  )
  if (!signature.ok) return await refuse(deps, options, request, signature.error.detail.slice(0, 300))
  const sent = await deps.server.answer(request.id, { signature: base64(signature.value) })
  if (sent.ok) options.onEvent({ kind: 'signed', request, count: order.signatures })
  return lateOrOpen(options, request, sent)
}

/** A token may be removed, or refuse its PIN, at any time: its Error has the Failure as cause. */
async function keySigned(sign: () => Promise<Uint8Array>): Promise<Outcome<Uint8Array>> {
  try {
    return ok(await sign())
  } catch (thrown) {
    return fail('token.unavailable', thrown instanceof Error ? thrown.message : 'the key did not sign')
  }
}

async function refuse(
  { server }: SealerDeps,
  options: SealerOptions,
  request: SealingRequest,
  reason: string,
): Promise<Outcome<null>> {
  const sent = await server.refuse(request.id, { reason })
  if (sent.ok) options.onEvent({ kind: 'refused', request, reason })
  return lateOrOpen(options, request, sent)
}

/** An answer that the server does not take is done with; one that did not arrive is not. */
function lateOrOpen({ onEvent }: SealerOptions, request: SealingRequest, sent: Outcome<null>): Outcome<null> {
  if (sent.ok || sent.error.code === 'server.unreachable') return sent
  onEvent({ kind: 'too-late', request, failure: sent.error })
  return ok(null)
}

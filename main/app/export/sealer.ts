import type { SealerAsk, SealingRequest } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { type Sha256, sha256 } from '../../core/base/digest.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import type { Signer } from '../../core/ports/ports.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { type AuditHead, headStatement, headsIn } from '../../core/team/audit-head.ts'
import { readSealingContent } from '../../core/team/sealing-content.ts'
import { digestsIn, MOST_SIGNATURES, type RemoteSigning, type SealingServer } from '../../core/team/sealing-orders.ts'
import { sealingLines } from '../../present/sealing-content.ts'
import { repeat } from '../common/concurrency.ts'

interface SealerDeps {
  readonly server: SealingServer
  readonly signer: Signer
  readonly signing: Pick<RemoteSigning, 'attributes' | 'signText'>
  readonly ports: Pick<Ports, 'clock' | 'files' | 'validator'>
  /**
   * Whether a person confirms an export, or the entry that `lines` show completely. It may take any time. Once
   * `withdrawn` is aborted, which ends the question, the answer is ignored.
   */
  readonly confirm: (
    request: SealingRequest,
    lines: readonly string[] | null,
    withdrawn: AbortSignal,
  ) => Promise<boolean>
  readonly catalog: Pick<Catalog, 'checks'>
  /** Resolves after some time, or at once when `signal` is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

interface SealerOptions {
  /** The file that lists everything that was signed. */
  readonly record: string
  /** Scheme, host and port of the server whose audit log is signed; null where it is not. */
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
  /** The server no longer waits for this: its question is closed, and nothing was signed. */
  | { readonly kind: 'withdrawn'; readonly request: SealingRequest }
  /** The server did not accept the answer: another process answered, or it no longer waits. */
  | { readonly kind: 'too-late'; readonly request: SealingRequest; readonly failure: Failure }
  /** Tried again after a while. */
  | { readonly kind: 'waits'; readonly failure: Failure }

const WAIT_SECONDS = 20
/** Time between two checks whether the server still waits for a person's answer. */
const LOOK_MS = 5000
/** Between two signatures of the head of the audit log. */
const HEAD_MS = 10 * 60_000

/** A person's decision about an export or an entry, and the number of its signatures. */
interface Decided {
  readonly isConfirmed: boolean
  signatures: number
}

/** Earlier requests of this process. */
interface Memory {
  /** By order for exports, by request for entries. */
  readonly decided: Map<string, Decided>
  /** Digest by request, of everything in the record; null until the record was read. */
  recorded: Map<string, Sha256> | null
}

/**
 * Signs what a team server requests, until it is stopped. A person confirms each export, and each entry, once. The
 * text of an entry is parsed and its digest computed here; a text that cannot be parsed is refused. A digest is in
 * the record, on the disk, before it is signed. An export that requests more signatures than it has, and a request
 * that was recorded with another digest, are refused.
 */
export async function runSealer(deps: SealerDeps, options: SealerOptions): Promise<void> {
  const { signal } = options
  const asked = askOf(deps.signer)
  const memory: Memory = { decided: new Map(), recorded: null }
  const nextHead = auditHeads(deps, options)
  const step = async (): Promise<Failure | null> => {
    await nextHead()
    const request = await deps.server.ask(asked, signal)
    const done = !request.ok || request.value === null ? request : await answer(deps, options, memory, request.value)
    return done.ok ? null : done.error
  }
  await repeat(step, { signal, wait: deps.wait, onWait: (failure) => options.onEvent({ kind: 'waits', failure }) })
}

/**
 * Signs the head of the audit log when it is due. It is in the record before it is signed. A failure is reported, and
 * does not keep the sealer from waiting for exports.
 */
function auditHeads(deps: SealerDeps, { auditLogOf, record, onEvent }: SealerOptions): () => Promise<void> {
  const { server, signer, signing, ports } = deps
  let [due, last]: [number, AuditHead | null] = [Number.NEGATIVE_INFINITY, null]
  const next = async (origin: string): Promise<Outcome<null>> => {
    if (last === null) {
      const before = await recordOf(deps, record)
      if (!before.ok) return before
      const own = headsIn(before.value).filter(({ statement }) => statement.server === origin)
      last = own.at(-1)?.statement ?? null
    }
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

/**
 * The record of this process and those before it; empty without a file. Fails as the file does, so that nothing is
 * signed while the record cannot be read.
 */
async function recordOf({ ports }: SealerDeps, record: string): Promise<Outcome<string>> {
  const read = await ports.files.read(record)
  if (!read.ok) return read.error.code === 'input.not-found' ? ok('') : read
  return ok(Buffer.from(read.value).toString('utf8'))
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const askOf = ({ certificate, chain, crls }: Signer): SealerAsk => ({
  certificate: base64(certificate),
  chain: chain.map(base64),
  crls: crls.map(base64),
  waitSeconds: WAIT_SECONDS,
})

const NOT_CONFIRMED = 'the signer did not confirm this'
const TOO_MANY = `the server asked for more than ${MOST_SIGNATURES} signatures for one export`
const NOT_UNDERSTOOD = 'the text is not an entry that this version of the sealer reads, or states a time in the future'
const OTHER_DIGEST = 'the digest is not that of the text, or not the one that was recorded for this request'

/**
 * Answers one request. Fails as the record does, and where the server cannot be reached, which then sends the request
 * again.
 */
async function answer(
  deps: SealerDeps,
  options: SealerOptions,
  memory: Memory,
  request: SealingRequest,
): Promise<Outcome<null>> {
  const { ports, signer, signing } = deps
  const { content: text } = request
  const lines = text === undefined ? null : linesOf(deps, text)
  if (text !== undefined && lines === null) return await refuse(deps, options, request, NOT_UNDERSTOOD)
  if (memory.recorded === null) {
    const before = await recordOf(deps, options.record)
    if (!before.ok) return before
    memory.recorded = new Map(digestsIn(before.value))
  }
  const isOther = (memory.recorded.get(request.id) ?? request.digest) !== request.digest
  if (isOther || (text !== undefined && sha256(text) !== request.digest))
    return await refuse(deps, options, request, OTHER_DIGEST)
  const key = text === undefined ? request.order : `${request.id} ${request.digest}`
  const before = memory.decided.get(key)
  const isConfirmed = before === undefined ? await confirmed(deps, request, lines) : before.isConfirmed
  if (isConfirmed === null) {
    options.onEvent({ kind: 'withdrawn', request })
    return ok(null)
  }
  const decided = before ?? { isConfirmed, signatures: 0 }
  memory.decided.set(key, decided)
  if (!decided.isConfirmed) return await refuse(deps, options, request, NOT_CONFIRMED)
  if (decided.signatures >= MOST_SIGNATURES) return await refuse(deps, options, request, TOO_MANY)
  decided.signatures += 1
  const noted = await ports.files.append(
    options.record,
    canonicalJson({ at: ports.clock.now(), signer: signer.fingerprint, ...request }),
  )
  if (!noted.ok) return noted
  memory.recorded.set(request.id, request.digest)
  const signature = await keySigned(() => signer.sign(signing.attributes(signer.certificate, request.digest)))
  if (!signature.ok) return await refuse(deps, options, request, signature.error.detail.slice(0, 300))
  const sent = await deps.server.answer(request.id, { signature: base64(signature.value) })
  if (sent.ok) options.onEvent({ kind: 'signed', request, count: decided.signatures })
  return lateOrOpen(options, request, sent)
}

/** Whether a person confirms a request; null once the server hands out another one or none, because it waits for this one no longer. */
async function confirmed(
  { server, signer, confirm, wait }: SealerDeps,
  request: SealingRequest,
  lines: readonly string[] | null,
): Promise<boolean | null> {
  const over = new AbortController()
  const answered = confirm(request, lines, over.signal).then((isConfirmed) => {
    over.abort()
    return isConfirmed
  })
  const watched = async (): Promise<boolean | null> => {
    for (;;) {
      await wait(LOOK_MS, over.signal)
      if (over.signal.aborted) return await answered
      const next = await server.ask({ ...askOf(signer), waitSeconds: 0 }, over.signal)
      // A server that cannot be reached may still wait. An answer given in between counts.
      if (next.ok && next.value?.id !== request.id && !over.signal.aborted) return null
    }
  }
  return await Promise.race([answered, watched()]).finally(() => over.abort())
}

/** All that a text of an entry covers, for a person to read; null where it is not understood. */
function linesOf({ ports: { clock, validator }, signer, catalog }: SealerDeps, text: string): readonly string[] | null {
  const content = readSealingContent(text, {
    now: clock.now(),
    signer: signer.fingerprint,
    problems: (register) => validator.problems('register', register),
  })
  return content === null ? null : sealingLines(content, catalog)
}

/**
 * Runs a signature with a key on a token, which may be removed, or refuse its PIN, at any time; it then throws an
 * Error whose cause is the Failure.
 */
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

/** A rejected answer is final. Where an answer did not arrive, the request stays open. */
function lateOrOpen({ onEvent }: SealerOptions, request: SealingRequest, sent: Outcome<null>): Outcome<null> {
  if (sent.ok || sent.error.code === 'server.unreachable') return sent
  onEvent({ kind: 'too-late', request, failure: sent.error })
  return ok(null)
}

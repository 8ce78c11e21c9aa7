import type { SealerAnswer, SealerAsk, SealingRequest, TeamSealer } from '../../../../schemas/types.ts'
import { type Failure, fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { decodeUtf8, plain } from '../../../core/base/plain-text.ts'
import type { Signer } from '../../../core/ports/ports.ts'
import type { RemoteIdentities, RemoteSigning, SigningCertificate } from '../../../core/team/sealing-orders.ts'
import { wakeable } from './repeated.ts'

export interface SealerParts {
  readonly signing: RemoteSigning
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** 32 random hexadecimal digits, which cannot be guessed. */
  readonly newId: () => string
  /** Maximum wait for a signature: a person confirms the first one of an export, and each entry. */
  readonly patienceMs: number
  /** The person whose call is being answered, as shown to the signer. */
  readonly askedBy: () => string
  /** Aborted when the requests of this call are withdrawn; null where nothing withdraws them. */
  readonly withdrawn: () => AbortSignal | null
}

/** The connected sealers of one engagement and the requests for their signatures. */
export interface SealerDesk {
  readonly identities: RemoteIdentities
  /**
   * Waits for a request to this sealer and returns the oldest one, or null. Fails with input.refused for a certificate that the configuration
   * does not name.
   */
  readonly ask: (sealer: TeamSealer, ask: SealerAsk, signal: AbortSignal) => Promise<Outcome<SealingRequest | null>>
  /**
   * Uses a signature after `note` has resolved. Fails with input.not-found where no request waits for it, and with input.refused for a signature
   * that does not verify.
   */
  readonly answer: (sealer: TeamSealer, id: string, answer: SealerAnswer, note: Note) => Promise<Outcome<null>>
  /** Ends every request of the order after `note` has resolved. */
  readonly refuse: (sealer: TeamSealer, id: string, reason: string, note: Note) => Promise<Outcome<null>>
  readonly close: () => void
}

/** Records an action on a request before it takes effect. */
type Note = (request: SealingRequest) => Promise<void>

/** A sealer that presented its certificates. */
interface Present {
  readonly facts: SigningCertificate
  readonly certificate: Uint8Array
  readonly chain: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
  readonly at: number
}

interface Waiting {
  readonly sealer: string
  readonly request: SealingRequest
  readonly certificate: Uint8Array
  readonly attributes: Uint8Array
  readonly end: (signature: Outcome<Uint8Array>) => void
}

/** A sealer is present for this time after its last request. It asks again within it, also while it shows a question, except in earlier versions. */
const PRESENT_MS = 60_000

export function sealerDesk(
  { signing, now, newId, patienceMs, askedBy, withdrawn }: SealerParts,
  engagement: string,
): SealerDesk {
  const present = new Map<string, Present>()
  const waiting = new Map<string, Waiting>()
  const waits = wakeable()
  const isPresent = (name: string): boolean =>
    now() - (present.get(name)?.at ?? 0) < PRESENT_MS || [...waiting.values()].some(({ sealer }) => sealer === name)
  const endAll = (which: (one: Waiting) => boolean, failure: Failure): void => {
    for (const one of waiting.values()) if (which(one)) one.end({ ok: false, error: failure })
  }

  const requested = (order: Order, { digest, attributes, content }: ToSign): Promise<Outcome<Uint8Array>> =>
    new Promise((resolve) => {
      const { sealer, certificate, purpose, requestedBy, withdrawn: signal } = order
      if (signal?.aborted === true) return resolve(WITHDRAWN)
      const id = newId()
      const request = {
        id,
        order: order.id,
        digest,
        engagement,
        purpose: purpose ?? ENTRY,
        ...(content === null ? {} : { content }),
        requestedBy,
        requestedAt: new Date(now()).toISOString(),
      }
      const end = (signature: Outcome<Uint8Array>): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', withdraw)
        waiting.delete(id)
        resolve(signature)
      }
      const withdraw = (): void => end(WITHDRAWN)
      signal?.addEventListener('abort', withdraw)
      const timer = setTimeout(() => end(unanswered(sealer)), patienceMs)
      waiting.set(id, { sealer, request, certificate, attributes, end })
      waits.wake()
    })

  const next = (name: string): SealingRequest | null =>
    [...waiting.values()].find(({ sealer }) => sealer === name)?.request ?? null

  const own = (sealer: TeamSealer, id: string): Outcome<Waiting> => {
    const found = waiting.get(id)
    return found?.sealer === sealer.name ? ok(found) : NOTHING_WAITS
  }

  return {
    identities: {
      list: async () =>
        ok(
          [...present].flatMap(([name, { facts }]) => {
            const { subject, fingerprint, notAfter } = facts
            return isPresent(name) ? [{ name, kind: 'sealer', subject, fingerprint, notAfter, retired: [] }] : []
          }),
        ),
      open: async (_folder, name, _passphrase, purpose) => {
        const found = present.get(name)
        if (found === undefined || !isPresent(name)) return unanswered(name)
        const { certificate, facts } = found
        const order = {
          ...{ id: newId(), sealer: name, certificate, requestedBy: askedBy() },
          purpose: purpose === undefined ? null : plain(purpose, 480),
          withdrawn: withdrawn(),
        }
        return ok(
          signerOf(found, facts, async (attributes, shown) => {
            const digest = signing.digestIn(certificate, attributes)
            if (digest === null) throw new Error('bytes that are no signed attributes of this certificate')
            const content = order.purpose === null ? decodeUtf8(shown ?? NOT_TEXT) : null
            if (order.purpose === null && (content === null || content.length > LONGEST_CONTENT)) throw unshown()
            const signature = await requested(order, { digest, attributes, content })
            if (signature.ok) return signature.value
            throw new Error(`${signature.error.code}: ${signature.error.detail}`, { cause: signature.error })
          }),
        )
      },
    },
    ask: async (sealer, { certificate, chain, crls, waitSeconds }, signal) => {
      const der = fromBase64(certificate)
      const facts = signing.read(der)
      if (facts === null || facts.fingerprint !== sealer.certificate)
        return fail('input.refused', 'the configuration of the server names another certificate for this sealer')
      const presented = { facts, certificate: der, chain: chain.map(fromBase64), crls: crls.map(fromBase64) }
      const until = now() + waitSeconds * 1000
      for (;;) {
        present.set(sealer.name, { ...presented, at: now() })
        const request = next(sealer.name)
        const left = until - now()
        if (request !== null || left <= 0 || signal.aborted) return ok(request)
        await waits.wait(left, signal)
      }
    },
    answer: async (sealer, id, answer, note) => {
      const found = own(sealer, id)
      if (!found.ok) return found
      const { request, certificate, attributes, end } = found.value
      const signature = fromBase64(answer.signature)
      if (!signing.verifies(certificate, attributes, signature))
        return fail('input.refused', 'the signature does not verify with the certificate of the sealer')
      await note(request)
      if (!waiting.has(id)) return NOTHING_WAITS
      end(ok(signature))
      return ok(null)
    },
    refuse: async (sealer, id, reason, note) => {
      const found = own(sealer, id)
      if (!found.ok) return found
      const { request } = found.value
      await note(request)
      endAll((one) => one.request.order === request.order, {
        code: 'sealing.refused',
        detail: `${sealer.name}: ${plain(reason, 300)}`,
      })
      return ok(null)
    },
    close: () => {
      waits.wake()
      endAll(() => true, { code: 'sealing.unanswered', detail: 'the server is ending' })
    },
  }
}

/** The common part of the signatures of one export, or of entries that are recorded together. */
interface Order {
  readonly id: string
  readonly sealer: string
  readonly certificate: Uint8Array
  /** Description of an export; null for entries, whose text the signer reads. */
  readonly purpose: string | null
  readonly requestedBy: string
  readonly withdrawn: AbortSignal | null
}

interface ToSign {
  readonly digest: string
  readonly attributes: Uint8Array
  /** The signed text of an entry; null for a document of an export. */
  readonly content: string | null
}

const ENTRY = 'Signature of an entry'
/** As in schemas/sealer.schema.json. */
const LONGEST_CONTENT = 700_000
const NOT_TEXT = new Uint8Array([0xff])
const unshown = (): Error =>
  new Error('an entry that its signer cannot read', {
    cause: { code: 'input.refused', detail: 'the entry is too long to be read by its signer' } satisfies Failure,
  })

const signerOf = (
  { certificate, chain, crls }: Present,
  { keyType, fingerprint, subject }: SigningCertificate,
  sign: Signer['sign'],
): Signer => ({ certificate, chain, crls, keyType, fingerprint, subject, sign, mayTakeLong: true })

const NOTHING_WAITS = fail('input.not-found', 'nothing waits for this answer')
const WITHDRAWN = fail('access.ended', 'the session that requested this signature was ended')
const unanswered = (name: string) => fail('sealing.unanswered', `sealer ${plain(name, 60)}`)

const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

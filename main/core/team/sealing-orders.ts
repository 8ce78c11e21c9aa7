import type {
  SealerAnswer,
  SealerAsk,
  SealerHeadAnswer,
  SealerRefusal,
  SealingRequest,
} from '../../../schemas/types.ts'
import { isSha256, type Sha256 } from '../base/digest.ts'
import type { Outcome } from '../base/failure.ts'
import type { Identities } from '../ports/identities.ts'
import type { Signer } from '../ports/ports.ts'
import type { AuditHead } from './audit-head.ts'

/** The identities of signers at other computers, in place of those in a folder. */
export type RemoteIdentities = Pick<Identities, 'list' | 'open'>

/**
 * The requests of a sealer to a team server. Each fails with server.unreachable, or with the refusal of the server.
 */
export interface SealingServer {
  /** The next digest to sign, or null after the wait. */
  readonly ask: (input: SealerAsk, signal: AbortSignal) => Promise<Outcome<SealingRequest | null>>
  readonly answer: (id: string, input: SealerAnswer) => Promise<Outcome<null>>
  /** Refuses the whole order of a request. */
  readonly refuse: (id: string, input: SealerRefusal) => Promise<Outcome<null>>
  /** The head of the audit log; null where it has no entry after the last signed one. */
  readonly head: () => Promise<Outcome<AuditHead | null>>
  readonly signHead: (input: SealerHeadAnswer) => Promise<Outcome<null>>
}

/** Facts of a certificate that can sign. */
export interface SigningCertificate {
  readonly subject: string
  readonly fingerprint: Sha256
  readonly notAfter: string
  readonly keyType: Signer['keyType']
}

/**
 * Detached signatures by keys on other computers (CAdES baseline, ETSI EN 319 122-1): the digest of the content is
 * sent, with the content where it is an entry. The signer’s computer composes the signed attributes itself, so that a
 * server cannot obtain a signature over anything else.
 */
export interface RemoteSigning {
  /** Null for bytes that are not a certificate with a supported key. */
  readonly read: (certificate: Uint8Array) => SigningCertificate | null
  /** The signed attributes of a signature by this certificate over content with this digest. */
  readonly attributes: (certificate: Uint8Array, digest: Sha256) => Uint8Array
  /** The digest that signed attributes of this certificate contain; null for any other bytes. */
  readonly digestIn: (certificate: Uint8Array, attributes: Uint8Array) => Sha256 | null
  readonly verifies: (certificate: Uint8Array, data: Uint8Array, signature: Uint8Array) => boolean
  /** Signs a text that the signer’s computer wrote itself. */
  readonly signText: (signer: Signer, text: string) => Promise<Uint8Array>
  /** The fingerprint of the certificate that signed a text; null where the signature does not verify. Whether its holder is trusted is not decided. */
  readonly textSigner: (text: string, cms: Uint8Array) => Sha256 | null
}

/** Signatures of one export in every format, with a margin. */
export const MOST_SIGNATURES = 12

/**
 * Request and digest of each signature in the record of a sealer. Statements about audit logs, and truncated lines,
 * are skipped.
 */
export const digestsIn = (record: string): readonly (readonly [string, Sha256])[] =>
  record.split('\n').flatMap((line) => {
    try {
      const { id, digest } = JSON.parse(line) as { readonly id?: unknown; readonly digest?: unknown }
      return typeof id === 'string' && typeof digest === 'string' && isSha256(digest) ? [[id, digest] as const] : []
    } catch {
      return []
    }
  })

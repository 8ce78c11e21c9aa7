import type { EntrySignature } from '../../../schemas/types.ts'
import type { SignerTrust } from '../../../schemas/verification.ts'
import type { SealReader } from '../../core/ports.ts'
import { statusOfSigner } from './signature.ts'
import { certificatesOf, NO_TRUST, type Trust } from './trust.ts'

/** A detached CMS signature as stored in Barewitness documents. */
export type KeptSignature = Pick<EntrySignature, 'fingerprint' | 'at' | 'cms' | 'chain'>

/** Result of reading one such signature. */
export interface DetachedReading {
  /** As stated in the document. */
  readonly fingerprint: string
  /** Null where the signature cannot be read. */
  readonly subject: string | null
  /** SHA-256 of the public key, independent of its certificate; null as above. */
  readonly key: string | null
  /** Revocation time of the certificate, according to the available lists. */
  readonly revokedAt: string | null
  /** Signer trust; a demo key, or a key whose signature is invalid, is never trusted. */
  readonly trust: SignerTrust
  /** Signed with a demo key. */
  readonly demo: boolean
  /** Empty: the content is unchanged since it was signed with the stated key. The holder of the key is not confirmed. */
  readonly problems: readonly string[]
}

/** Reads a signature over content and evaluates it against the reader’s trust. Never throws, whatever it contains. */
export async function readDetached(
  seal: SealReader,
  content: Uint8Array,
  { fingerprint, at, cms, chain }: KeptSignature,
  { what, trust = NO_TRUST }: { readonly what: string; readonly trust?: Trust },
): Promise<DetachedReading> {
  const reading = await seal.read({
    content,
    signature: bytesIn(cms),
    chain: [...chain.map(bytesIn), ...certificatesOf(trust.signers)],
    crls: [],
    timestamps: [],
    tsaChain: [],
    tsaCrls: [],
    freshCrls: trust.lists,
  })
  const { signer, demo } = reading
  const revokedAt = reading.revoked?.at ?? null
  // The validity of a demo key is irrelevant, because it is never trusted.
  const term =
    demo ||
    signer === null ||
    (Date.parse(signer.notBefore) <= Date.parse(at) && Date.parse(at) <= Date.parse(signer.notAfter))
  return {
    fingerprint,
    subject: signer?.subject ?? null,
    key: signer?.key ?? null,
    revokedAt,
    trust: statusOfSigner(reading, trust),
    demo,
    problems: [
      ...reading.problems,
      ...(signer === null || signer.fingerprint === fingerprint
        ? []
        : [`It was made with key ${signer.fingerprint}, but the ${what} names ${fingerprint}.`]),
      ...(term ? [] : [`Its certificate was not valid at ${at}.`]),
      ...(revokedAt !== null && !(Date.parse(at) < Date.parse(revokedAt))
        ? [`Its certificate was revoked at ${revokedAt}.`]
        : []),
    ],
  }
}

const bytesIn = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

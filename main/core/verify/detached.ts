import type { EntrySignature } from '../../../schemas/types.ts'
import type { SignerStanding } from '../../../schemas/verification.ts'
import type { SealReader } from '../ports.ts'
import { standing } from './signature.ts'
import { certificatesOf, NOBODY, type Trust } from './trust.ts'

/** A detached CMS signature as documents of ours keep it. */
export type KeptSignature = Pick<EntrySignature, 'fingerprint' | 'at' | 'cms' | 'chain'>

/** What one such signature shows. */
export interface DetachedReading {
  /** As the document names it. */
  readonly fingerprint: string
  /** Null where the signature cannot be read. */
  readonly subject: string | null
  /** SHA-256 of the public key, whatever certificate it is in; null as above. */
  readonly key: string | null
  /** Since when the certificate is revoked, by a list at hand. */
  readonly revokedAt: string | null
  /** How the key stands with the reader; one of a demonstration, and one whose signature does not stand, with nobody. */
  readonly standing: SignerStanding
  /** By a key made for demonstrations. */
  readonly demo: boolean
  /** Empty: the content is as it was signed, by the key that is named. Whose key that is, is not shown. */
  readonly problems: readonly string[]
}

/** Reads a signature over content, against what the reader decided beforehand. Nothing is thrown, whatever it holds. */
export async function readDetached(
  seal: SealReader,
  content: Uint8Array,
  { fingerprint, at, cms, chain }: KeptSignature,
  { what, trust = NOBODY }: { readonly what: string; readonly trust?: Trust },
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
  // A key made for a demonstration vouches for nothing, at no time.
  const term =
    demo ||
    signer === null ||
    (Date.parse(signer.notBefore) <= Date.parse(at) && Date.parse(at) <= Date.parse(signer.notAfter))
  return {
    fingerprint,
    subject: signer?.subject ?? null,
    key: signer?.key ?? null,
    revokedAt,
    standing: standing(reading, trust),
    demo,
    problems: [
      ...reading.problems,
      ...(signer === null || signer.fingerprint === fingerprint
        ? []
        : [`It is of the key ${signer.fingerprint}, and the ${what} names ${fingerprint}.`]),
      ...(term ? [] : [`Its certificate was not valid at ${at}.`]),
      ...(revokedAt !== null && !(Date.parse(at) < Date.parse(revokedAt))
        ? [`Its certificate was revoked at ${revokedAt}.`]
        : []),
    ],
  }
}

const bytesIn = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

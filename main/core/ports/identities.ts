import type { Outcome } from '../base/failure.ts'
import type { Signer } from './ports.ts'

/**
 * Where signing identities are: on this computer; for a team server, at connected sealers, or nowhere where no sealer
 * is configured.
 */
export type SigningPlace = 'here' | 'sealers' | 'no-sealer'

/** Signing keys in the place where their owner keeps them: encrypted on this computer, or on a token. */
export interface Identities {
  readonly defaultFolder: string
  readonly list: (folder: string) => Promise<Outcome<readonly IdentityInfo[]>>
  readonly create: (input: {
    readonly folder: string
    readonly name: string
    readonly subject: string
    readonly passphrase: string
  }) => Promise<Outcome<IdentityInfo & { readonly rootPath: string }>>
  /**
   * For a key on a token, the passphrase is its PIN, which is tried once. A signer at another computer confirms there
   * what is signed and needs no passphrase here: with `purpose`, the documents of one export by their digests;
   * without it, each content by itself, which the signer can then read.
   */
  readonly open: (folder: string, name: string, passphrase: string, purpose?: string) => Promise<Outcome<Signer>>
  readonly trust: (folder: string, name: string) => Promise<Outcome<IdentityTrust>>
  /**
   * Writes one file with everything stored here; keys stay encrypted as they are, or are encrypted anew with `rekey`.
   * Never overwrites a file.
   */
  readonly backup: (folder: string, name: string, to: string, rekey?: Rekey) => Promise<Outcome<IdentityInfo>>
  /** Never overwrites an identity. */
  readonly restore: (folder: string, backup: Uint8Array) => Promise<Outcome<IdentityInfo>>
  readonly rotate: (input: RotateInput) => Promise<Outcome<IdentityInfo>>
  readonly revoke: (input: RevokeInput) => Promise<Outcome<IdentityInfo>>
  readonly takeRootOffline: (folder: string, name: string, to: string) => Promise<Outcome<IdentityInfo>>
  readonly importPkcs12: (input: ImportInput) => Promise<Outcome<IdentityInfo>>
  readonly addToken: (input: AddTokenInput) => Promise<Outcome<IdentityInfo>>
}

export interface IdentityInfo {
  readonly name: string
  /**
   * Created here under its own root, imported from a PKCS #12 file, on a token, or at the computer of its signer
   * (team server).
   */
  readonly kind: 'local' | 'imported' | 'token' | 'sealer'
  readonly subject: string
  /** SHA-256 of the leaf certificate, 64 lower-case hex characters. */
  readonly fingerprint: string
  readonly notAfter: string
  /** Certificates that sealed before this one. */
  readonly retired: readonly { readonly fingerprint: string; readonly notAfter: string }[]
}

/**
 * The backup gets another passphrase than the identity, because the present one is stored by the system and known to
 * no person.
 */
export interface Rekey {
  readonly passphrase: string
  readonly next: string
}

/** What an auditor needs by a route other than the pack. */
export interface IdentityTrust {
  readonly rootPem: string
  readonly rootFingerprint: string
  readonly leafFingerprint: string
}

interface OfLocalIdentity {
  readonly folder: string
  readonly name: string
  readonly passphrase: string
  /** The file with the root’s key, where it was taken offline. */
  readonly rootKey?: Uint8Array
}

export interface RotateInput extends OfLocalIdentity {
  readonly why: string
}

export interface RevokeInput extends OfLocalIdentity {
  /** Fingerprint of the signing certificate. */
  readonly leaf: string
  readonly reason: 'superseded' | 'key-compromise' | 'cessation'
  /** UTC, ISO 8601; now by default. */
  readonly from?: string
}

interface CertifiedByOthers {
  readonly folder: string
  readonly name: string
  /** Certificate files, PEM or DER, that may complete the chain. */
  readonly certificates: readonly Uint8Array[]
  /** Revocation list files, PEM or DER. */
  readonly crls: readonly Uint8Array[]
}

export interface ImportInput extends CertifiedByOthers {
  readonly p12: Uint8Array
  readonly p12Passphrase: string
  /** For the key as it is stored from now on. */
  readonly passphrase: string
}

export interface AddTokenInput extends CertifiedByOthers {
  /** Path of the PKCS #11 module. */
  readonly module: string
  /** Label of the token and of the key on it. */
  readonly token: string
  readonly key: string
  readonly pin: string
}

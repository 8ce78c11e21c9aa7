import { sha256 } from '../digest.ts'
import { certificatesIn } from '../pem.ts'
import type { CertificateName } from '../ports.ts'

/**
 * What the reader decided beforehand, each a file's bytes, PEM or DER. Signers and time-stamp authorities are kept apart: whoever may
 * sign under a root of their own could otherwise make an authority under it, and date back.
 */
export interface Trust {
  readonly signers: readonly Uint8Array[]
  readonly authorities: readonly Uint8Array[]
  /** Revocation lists, DER, newer than what the file carries: of signers or authorities alike. */
  readonly lists: readonly Uint8Array[]
}

export const NOBODY: Trust = { signers: [], authorities: [], lists: [] }

/** The certificates in files that a person named, in DER. */
export const certificatesOf = (files: readonly Uint8Array[]): readonly Uint8Array[] => files.flatMap(certificatesIn)

/** How a certificate stands with the reader: named itself, issued under a named root, or neither. */
export function standingOf(
  files: readonly Uint8Array[],
  leaf: CertificateName | null,
  root: CertificateName | null,
): 'pinned' | 'known' | 'unknown' {
  const named = new Set(certificatesOf(files).map(sha256))
  if (leaf !== null && named.has(leaf.fingerprint)) return 'pinned'
  return root !== null && named.has(root.fingerprint) ? 'known' : 'unknown'
}

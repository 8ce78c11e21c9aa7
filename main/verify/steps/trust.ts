import { sha256 } from '../../core/base/digest.ts'
import { certificatesIn } from '../../core/base/pem.ts'
import type { CertificateName } from '../../core/ports/ports.ts'

/**
 * The reader’s trust anchors, each the bytes of a file, PEM or DER. Signers and time-stamp authorities are separate: a signer
 * with their own root could otherwise create an authority under it and backdate.
 */
export interface Trust {
  readonly signers: readonly Uint8Array[]
  readonly authorities: readonly Uint8Array[]
  /** Revocation lists, DER, newer than those in the file, for signers and authorities. */
  readonly lists: readonly Uint8Array[]
}

export const NO_TRUST: Trust = { signers: [], authorities: [], lists: [] }

/** The certificates in the given files, in DER. */
export const certificatesOf = (files: readonly Uint8Array[]): readonly Uint8Array[] => files.flatMap(certificatesIn)

/** Trust of a certificate: trusted itself, issued under a trusted root, or neither. */
export function trustOf(
  files: readonly Uint8Array[],
  leaf: CertificateName | null,
  root: CertificateName | null,
): 'pinned' | 'known' | 'unknown' {
  const named = new Set(certificatesOf(files).map(sha256))
  if (leaf !== null && named.has(leaf.fingerprint)) return 'pinned'
  return root !== null && named.has(root.fingerprint) ? 'known' : 'unknown'
}

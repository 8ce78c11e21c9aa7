import { createPublicKey, verify } from 'node:crypto'
import type { CatalogReference } from '../../../schemas/types.ts'
import list from './list.json' with { type: 'json' }

/** The list of kept rules modules: `list.json`, written with the modules by `npm run rules:keep`, and compiled into the program. */
export interface KeptList {
  /** The public key of releases as PEM (Ed25519); null before the first release, when nothing can be signed. */
  readonly releaseKey: string | null
  readonly rules: readonly KeptEntry[]
}

export interface KeptEntry {
  readonly version: string
  /** SHA-256 of the module. */
  readonly module: string
  /** SHA-256 of the catalog without a customer's own frameworks. */
  readonly catalog: string
  /** Over signedText(), in base64; null for a version that was kept before the first release. */
  readonly signature: string | null
}

export const KEPT: KeptList = list

/** The text that the signature of a release covers. */
export const signedText = ({ version, module, catalog }: Omit<KeptEntry, 'signature'>): string =>
  `barewitness.rules/1\n${version}\n${module}\n${catalog}\n`

/** Whether the release key signed the entry. False for a signature or key that cannot be read. */
export function isSigned(entry: KeptEntry, releaseKey: string): boolean {
  if (entry.signature === null) return false
  try {
    const key = createPublicKey(releaseKey)
    return (
      key.asymmetricKeyType === 'ed25519' &&
      verify(null, Buffer.from(signedText(entry)), key, Buffer.from(entry.signature, 'base64'))
    )
  } catch {
    return false
  }
}

/**
 * What people read of the rules of a program, in a few words: released, where the release key signed this version with this module, and
 * otherwise unsigned development rules.
 */
export const rulesState = (
  { version, module }: Pick<CatalogReference, 'module' | 'version'>,
  { releaseKey, rules }: KeptList = KEPT,
): string =>
  releaseKey !== null &&
  rules.some((one) => one.version === version && one.module === module && isSigned(one, releaseKey))
    ? 'rules signed for release'
    : 'unsigned development rules'

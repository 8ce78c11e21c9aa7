import { fail, type Outcome } from '../../core/failure.ts'
import type { AddTokenInput, IdentityInfo } from '../../core/identities.ts'
import { certificatesIn } from '../../core/pem.ts'
import { plain } from '../../core/plain-text.ts'
import type { Signer } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { verifies } from '../seal/x509.ts'
import { certificateFiles, listsIn, placeChecked, readable } from './import.ts'
import { certified, type KeptIdentity, signerParts } from './kept.ts'
import { refusal } from './local.ts'
import { signOnToken, TOKEN_FORMAT, type TokenReference } from './token.ts'

// Signed to check that key, PIN and certificate belong together; it has no other meaning.
const TRIAL = new TextEncoder().encode('Barewitness: test of a key. This signature seals nothing.')

/**
 * Stores the location of a key on a token, with its certificates: from the token, otherwise from files. The key signs
 * once, and the leaf is the certificate that verifies its signature. Fails with input.refused, token.unavailable,
 * identity.passphrase-wrong (a wrong PIN), key.refused, identity.exists or store.failed.
 */
export async function addToken(input: AddTokenInput): Promise<Outcome<IdentityInfo>> {
  const { folder, name, module, token, key, pin } = input
  const refused = refusal(name, pin)
  if (refused !== null) return refused
  const tried = signOnToken({ module, token, key }, pin, TRIAL)
  if (!tried.ok) return tried
  const { signature, certificates, serial } = tried.value
  const offered = [...readable(certificates), ...readable(input.certificates.flatMap(certificatesIn))]
  const leaf = offered.find((certificate) => verifies(TRIAL, certificate, signature))
  if (leaf === undefined)
    return fail(
      'key.refused',
      `no certificate for key ${plain(key)} on the token or in a file; name one with --certificate`,
    )
  const crls = input.crls.flatMap(listsIn)
  const found = certified(leaf, offered, crls)
  if (!found.ok) return found
  const { chain, root } = found.value
  const reference: TokenReference = {
    format: TOKEN_FORMAT,
    module,
    token,
    key,
    serial,
    leaf: leaf.fingerprint,
    root: root.fingerprint,
  }
  const files = { ...certificateFiles(leaf, chain, crls), 'token.json': `${JSON.stringify(reference, null, 2)}\n` }
  return await placeChecked(folder, name, files)
}

/**
 * A signer whose key stays on its token. The PIN is tried here once; when it is wrong, or the token is missing, this
 * fails as signOnToken does. Later, `sign` rejects with an Error whose cause is the Failure; after a refused PIN it
 * does not try again.
 */
export async function openTokenKey(
  identity: KeptIdentity,
  reference: TokenReference,
  pin: string,
): Promise<Outcome<Signer>> {
  let refused: Error | null = null
  const signChecked = (data: Uint8Array): Outcome<Uint8Array> => {
    const made = signOnToken(reference, pin, data)
    if (!made.ok) return made
    const { signature, serial } = made.value
    if (serial !== reference.serial)
      return fail('token.unavailable', `another token with that label is connected: ${plain(serial)}`)
    return verifies(data, identity.leaf, signature)
      ? ok(signature)
      : fail('token.unavailable', 'the token’s signature does not verify with the certificate')
  }
  const sign: Signer['sign'] = async (data) => {
    if (refused !== null) throw refused
    const made = signChecked(data)
    if (made.ok) return made.value
    const problem = new Error(`${made.error.code}: ${made.error.detail}`, { cause: made.error })
    if (made.error.code === 'identity.passphrase-wrong') refused = problem
    throw problem
  }
  const tried = signChecked(TRIAL)
  return tried.ok ? ok({ ...signerParts(identity), sign }) : tried
}

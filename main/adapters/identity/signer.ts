import { createHash, type KeyObject, sign } from 'node:crypto'
import type { Clock, Entropy, Signer } from '../../core/ports.ts'
import { DEMO_NAME } from '../seal/x509.ts'
import { makeIdentity } from './certificates.ts'

export interface SignerParts {
  readonly leaf: Uint8Array
  readonly root: Uint8Array
  readonly crl: Uint8Array
  readonly subject: string
  readonly key: KeyObject
}

/** Signs with a private key in memory: ECDSA in DER, or PKCS #1 v1.5, over SHA-256. */
export const signWith =
  (key: KeyObject): Signer['sign'] =>
  async (data) =>
    new Uint8Array(sign('sha256', data, key))

/** A P-256 private key in memory as a Signer, directly under its root. */
export const signerOf = ({ leaf, root, crl, subject, key }: SignerParts): Signer => ({
  certificate: leaf,
  chain: [root],
  crls: [crl],
  keyType: 'EC',
  fingerprint: createHash('sha256').update(leaf).digest('hex'),
  subject,
  sign: signWith(key),
})

/**
 * A key for one demo, created in memory and never stored. Its certificates state so in their names and by a private
 * mark; readers report it as a demo and never trust it, whatever they are configured to trust.
 */
export async function createDemoSigner(clock: Clock, entropy: Entropy): Promise<Signer> {
  const commonName = `${DEMO_NAME} — do not trust`
  const made = makeIdentity({
    commonName,
    rootCommonName: `${commonName} (root)`,
    demo: true,
    now: clock.now(),
    entropy,
  })
  return signerOf({ ...made, subject: commonName, key: made.leafKey })
}

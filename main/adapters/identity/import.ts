import { X509Certificate } from 'node:crypto'
import { fail, type Outcome } from '../../core/failure.ts'
import type { IdentityInfo, ImportInput } from '../../core/identities.ts'
import { certificatesIn, fromPem, pem } from '../../core/pem.ts'
import type { Entropy } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { type CertificateFacts, readCertificate } from '../seal/x509.ts'
import { type IdentityFiles, placeNew } from './folder.ts'
import { certified, keptIdentity } from './kept.ts'
import { keyFile, refusal } from './local.ts'
import { readPkcs12 } from './pkcs12.ts'

/**
 * Imports a key with its certificates from a PKCS #12 file into an envelope. Certificates missing in the file may come
 * from others. Fails with input.refused, key.refused, identity.passphrase-wrong, identity.exists or store.failed.
 */
export async function importPkcs12(input: ImportInput & { readonly entropy: Entropy }): Promise<Outcome<IdentityInfo>> {
  const { folder, name, passphrase, entropy } = input
  const refused = refusal(name, passphrase)
  if (refused !== null) return refused
  const read = await readPkcs12(input.p12, input.p12Passphrase)
  if (!read.ok) return read
  const { key, certificates } = read.value
  const own = certificates.find((certificate) => fits(certificate, key))
  if (own === undefined) return fail('key.refused', 'none of its certificates belongs to its private key')
  const leaf = readCertificate(own)
  if (leaf === null) return fail('key.refused', 'its key is neither P-256 nor RSA of at least 2048 bits, or not in DER')
  const offered = [...readable(certificates), ...readable(input.certificates.flatMap(certificatesIn))]
  const crls = input.crls.flatMap(listsIn)
  const found = certified(leaf, offered, crls)
  if (!found.ok) return found
  const { chain, root } = found.value
  const about = { name, kind: 'imported', leaf: leaf.fingerprint, root: root.fingerprint, use: 'leaf' }
  const files = {
    ...certificateFiles(leaf, chain, crls),
    'key.json': await keyFile(key, passphrase, about, entropy),
  }
  return await placeChecked(folder, name, files)
}

function fits(certificate: Uint8Array, key: Parameters<X509Certificate['checkPrivateKey']>[0]): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(key)
  } catch {
    return false
  }
}

export const readable = (certificates: readonly Uint8Array[]): readonly CertificateFacts[] =>
  certificates.flatMap((bytes) => readCertificate(bytes) ?? [])

/** Revocation lists in a named file: PEM, one or several, or one in DER. */
export function listsIn(file: Uint8Array): readonly Uint8Array[] {
  const found = fromPem('X509 CRL', Buffer.from(file).toString('latin1'))
  return found.length > 0 ? found : [file]
}

/** The public files of a key that others certified. */
export function certificateFiles(
  leaf: CertificateFacts,
  chain: readonly CertificateFacts[],
  crls: readonly Uint8Array[],
): IdentityFiles {
  const certificates = chain.map(({ der }) => pem('CERTIFICATE', der))
  return {
    'leaf.pem': pem('CERTIFICATE', leaf.der),
    'chain.pem': certificates.slice(0, -1).join(''),
    'root.pem': certificates.at(-1) ?? '',
    'crl.pem': crls.map((list) => pem('X509 CRL', list)).join(''),
  }
}

/** Stores files that were checked to form an identity. */
export async function placeChecked(folder: string, name: string, files: IdentityFiles): Promise<Outcome<IdentityInfo>> {
  const read = keptIdentity(name, files)
  if (!read.ok) return read
  const placed = await placeNew(folder, name, files)
  return placed.ok ? ok(read.value.info) : placed
}

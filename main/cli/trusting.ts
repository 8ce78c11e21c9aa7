import { X509Certificate } from 'node:crypto'
import type { Command } from 'commander'
import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { certificatesIn, fromPem } from '../core/pem.ts'
import { ok } from '../core/result.ts'

/** The objects of one kind in the given files, in order. Fails with the first file that cannot be read or contains none. */
async function readHolding(
  { files }: Pick<Ports, 'files'>,
  paths: readonly string[],
  { held, what }: { readonly held: (file: Uint8Array) => readonly Uint8Array[]; readonly what: string },
): Promise<Outcome<readonly Uint8Array[]>> {
  const read: Uint8Array[] = []
  for (const path of paths) {
    const one = await files.read(path)
    if (!one.ok) return one
    const found = held(one.value)
    if (found.length === 0) return fail('input.refused', `${path} contains no ${what}`)
    read.push(...found)
  }
  return ok(read)
}

/** The certificates in the given files, DER. */
export const readCertificates = (
  ports: Pick<Ports, 'files'>,
  paths: readonly string[],
): Promise<Outcome<readonly Uint8Array[]>> =>
  readHolding(ports, paths, {
    held: (file) => certificatesIn(file).filter(isCertificate),
    what: 'readable certificate',
  })

/** The revocation lists in the given files, DER. */
export const readLists = async (
  ports: Pick<Ports, 'files'>,
  paths: readonly string[],
): Promise<Outcome<readonly Uint8Array[]>> => {
  if (paths.length === 0) return ok([])
  // Loaded when first needed: most commands use no list.
  const { readRevocationList } = await import('../adapters/seal/x509.ts')
  return await readHolding(ports, paths, {
    held: (file) => revocationListsIn(file).filter((list) => readRevocationList(list) !== null),
    what: 'readable revocation list',
  })
}

/** A certificate with any key: whether the key may seal or time-stamp is checked where it is used. */
function isCertificate(der: Uint8Array): boolean {
  try {
    return new X509Certificate(der).raw.length === der.length
  } catch {
    return false
  }
}

export interface AuthorityOptions {
  readonly certificate?: readonly string[]
  readonly crl?: readonly string[]
}

/** Options that complete certificate chains. */
export const authorityOptions = (command: Command): Command =>
  command
    .option(
      '--certificate <certificate...>',
      'PEM certificates that complete the chains of signer and time-stamp authority',
    )
    .option(
      '--crl <list...>',
      'Revocation lists, PEM or DER; others are fetched from the addresses in the certificates',
    )

/** The certificates and revocation lists of the options, DER. Fails with the first file that cannot be read or contains none. */
export async function readAuthority(
  ports: Pick<Ports, 'files'>,
  { certificate, crl }: AuthorityOptions,
): Promise<Outcome<{ readonly certificates: readonly Uint8Array[]; readonly crls: readonly Uint8Array[] }>> {
  const certificates = await readCertificates(ports, certificate ?? [])
  if (!certificates.ok) return certificates
  const crls = await readLists(ports, crl ?? [])
  return crls.ok ? ok({ certificates: certificates.value, crls: crls.value }) : crls
}

/** Revocation lists in a file: PEM, one or several, or one in DER. */
function revocationListsIn(file: Uint8Array): readonly Uint8Array[] {
  const found = fromPem('X509 CRL', Buffer.from(file).toString('latin1'))
  return found.length > 0 || file[0] !== 0x30 ? found : [file]
}

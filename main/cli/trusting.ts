import { X509Certificate } from 'node:crypto'
import type { Command } from 'commander'
import { fail, type Outcome } from '../core/failure.ts'
import { certificatesIn, fromPem } from '../core/pem.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'

/** Files that a person named, in order, as what they hold of a kind. Fails with the first that cannot be read or holds none. */
async function readHolding(
  { files }: Pick<World, 'files'>,
  paths: readonly string[],
  { held, what }: { readonly held: (file: Uint8Array) => readonly Uint8Array[]; readonly what: string },
): Promise<Outcome<readonly Uint8Array[]>> {
  const read: Uint8Array[] = []
  for (const path of paths) {
    const one = await files.read(path)
    if (!one.ok) return one
    const found = held(one.value)
    if (found.length === 0) return fail('input.refused', `${path} holds no ${what}`)
    read.push(...found)
  }
  return ok(read)
}

/** The certificates in files that a person named, DER. */
export const readCertificates = (
  world: Pick<World, 'files'>,
  paths: readonly string[],
): Promise<Outcome<readonly Uint8Array[]>> =>
  readHolding(world, paths, {
    held: (file) => certificatesIn(file).filter(isCertificate),
    what: 'certificate that can be read',
  })

/** The revocation lists in files that a person named, DER. */
export const readLists = async (
  world: Pick<World, 'files'>,
  paths: readonly string[],
): Promise<Outcome<readonly Uint8Array[]>> => {
  if (paths.length === 0) return ok([])
  // Loaded when first needed: most commands are given no list.
  const { readRevocationList } = await import('../adapters/seal/x509.ts')
  return await readHolding(world, paths, {
    held: (file) => revocationListsIn(file).filter((list) => readRevocationList(list) !== null),
    what: 'revocation list that can be read',
  })
}

/** A certificate with any key: whether the key may seal or stamp is judged where it does. */
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

/** Options for what completes an authority's chain. */
export const authorityOptions = (command: Command): Command =>
  command
    .option(
      '--certificate <certificate...>',
      'PEM certificates that complete the chains of signer and time-stamp authority',
    )
    .option('--crl <list...>', 'revocation lists, PEM or DER; others are fetched from where the certificates say')

/** Certificates and revocation lists that a person named, DER. */
export async function readAuthority(
  world: Pick<World, 'files'>,
  { certificate, crl }: AuthorityOptions,
): Promise<Outcome<{ readonly certificates: readonly Uint8Array[]; readonly crls: readonly Uint8Array[] }>> {
  const certificates = await readCertificates(world, certificate ?? [])
  if (!certificates.ok) return certificates
  const crls = await readLists(world, crl ?? [])
  return crls.ok ? ok({ certificates: certificates.value, crls: crls.value }) : crls
}

/** Revocation lists in a file: PEM, one or several, or one in DER. */
function revocationListsIn(file: Uint8Array): readonly Uint8Array[] {
  const found = fromPem('X509 CRL', Buffer.from(file).toString('latin1'))
  return found.length > 0 || file[0] !== 0x30 ? found : [file]
}

import type { Command } from 'commander'
import type { Outcome } from '../core/failure.ts'
import { fromPem } from '../core/pem.ts'
import { ok } from '../core/result.ts'
import { certificatesOf } from '../core/verify/trust.ts'
import type { World } from '../core/world.ts'

/** Files that a person named, in order. Fails with the first that cannot be read. */
export async function readFiles(
  { files }: Pick<World, 'files'>,
  paths: readonly string[],
): Promise<Outcome<readonly Uint8Array[]>> {
  const read: Uint8Array[] = []
  for (const path of paths) {
    const one = await files.read(path)
    if (!one.ok) return one
    read.push(one.value)
  }
  return ok(read)
}

export interface AuthorityOptions {
  readonly certificate?: string[]
  readonly crl?: string[]
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
  const certificates = await readFiles(world, certificate ?? [])
  if (!certificates.ok) return certificates
  const crls = await readFiles(world, crl ?? [])
  return crls.ok
    ? ok({ certificates: certificatesOf(certificates.value), crls: crls.value.flatMap(revocationListsIn) })
    : crls
}

/** Revocation lists in a file: PEM, one or several, or one in DER. */
export function revocationListsIn(file: Uint8Array): readonly Uint8Array[] {
  const found = fromPem('X509 CRL', Buffer.from(file).toString('latin1'))
  return found.length > 0 || file[0] !== 0x30 ? found : [file]
}

import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'
import { certificatesIn, isCertificate } from '../core/pem.ts'

/** The objects of one kind in the given files, in order. Fails with the first file that cannot be read or contains none. */
export async function readHolding(
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

/** The certificates in the given files, in DER. */
export const readCertificates = (
  ports: Pick<Ports, 'files'>,
  paths: readonly string[],
): Promise<Outcome<readonly Uint8Array[]>> =>
  readHolding(ports, paths, {
    held: (file) => certificatesIn(file).filter(isCertificate),
    what: 'readable certificate',
  })

import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { certificatesIn, isCertificate } from '../../core/base/pem.ts'

/** A person names few certificates: the root certificates that a system trusts are some hundred. Each is compared with every chain. */
const LARGEST_FILE = 16 * 1024 * 1024
const MOST_HELD = 1000

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
    if (one.value.length > LARGEST_FILE) return fail('input.refused', `${path} is larger than ${LARGEST_FILE} bytes`)
    const found = held(one.value)
    if (found.length === 0) return fail('input.refused', `${path} contains no ${what}`)
    if (read.length + found.length > MOST_HELD)
      return fail('input.refused', `${path}: more than ${MOST_HELD} are named; name those that you need`)
    for (const value of found) read.push(value)
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

import type { EvidenceDocument, Register, Scope } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { quote } from '../../core/base/plain-text.ts'
import type { PackContent } from '../../core/pack/pack-files.ts'
import { documentPaths, LARGEST_DOCUMENT } from '../../core/register/attachments.ts'
import { EMPTY_REGISTER, registerFor } from '../../core/register/register.ts'
import type { Catalog } from '../../core/rules/catalog.ts'

/** Returns the bytes of a document. */
export type DocumentBytes = (attachment: EvidenceDocument) => Promise<Outcome<PackContent>>

/**
 * Documents in a folder, each named by its SHA-256. One is in memory at a time. Fails with attachment.altered where a
 * file is missing or differs from its digest.
 */
export const documentsIn =
  ({ files }: Pick<Ports, 'files'>, folder: string): DocumentBytes =>
  async (attachment) => {
    const { name, sha256, size } = attachment
    const path = `${folder}/${sha256}`
    const there = await files.digest(path)
    if (!there.ok || there.value.sha256 !== sha256 || there.value.size !== size)
      return fail('attachment.altered', `${quote(name)}, SHA-256 ${sha256}`)
    const read = async (): Promise<Uint8Array> => {
      const bytes = await files.read(path, LARGEST_DOCUMENT)
      if (!bytes.ok) throw new Error(bytes.error.detail)
      return bytes.value
    }
    return ok({
      size,
      sha256,
      read,
      open: async function* () {
        yield await read()
      },
    })
  }

/** Documents in memory, by SHA-256. Fails with attachment.altered where one is missing. */
export const documentsOf =
  (bytes: ReadonlyMap<string, Uint8Array>): DocumentBytes =>
  async ({ name, sha256 }) => {
    const found = bytes.get(sha256)
    return found === undefined ? fail('attachment.altered', `${quote(name)}, SHA-256 ${sha256}`) : ok(found)
  }

export interface RegisterWithDocuments {
  readonly register: Register
  readonly attachmentBytes: DocumentBytes
}

/** The part of a register that concerns the nodes and frameworks of a scope. */
export const registerInScope = ({ checks }: Pick<Catalog, 'checks'>, register: Register, scope: Scope): Register =>
  registerFor(register, {
    nodes: scope.population,
    checks: checks.map(({ id }) => id),
    frameworks: scope.frameworks,
  })

/**
 * Register content for a pack: the part that concerns its nodes and frameworks, and the bytes of its documents by path.
 * Fails with the first document that is not available.
 */
export async function registerForPack(
  catalog: Catalog,
  { register, attachmentBytes, scope }: RegisterWithDocuments & { readonly scope: Scope },
): Promise<Outcome<{ readonly register: Register; readonly attachments: ReadonlyMap<string, PackContent> }>> {
  const part = registerInScope(catalog, register, scope)
  const attachments = new Map<string, PackContent>()
  for (const [path, attachment] of documentPaths(part)) {
    const bytes = await attachmentBytes(attachment)
    if (!bytes.ok) return bytes
    attachments.set(path, bytes.value)
  }
  return ok({ register: part, attachments })
}

/** For the command line without a register, and for the demo. */
export const NO_REGISTER: RegisterWithDocuments = {
  register: EMPTY_REGISTER,
  attachmentBytes: async ({ name }) => fail('attachment.altered', quote(name)),
}

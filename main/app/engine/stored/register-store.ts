import type { RegisterView } from '../../../../schemas/ipc-register.ts'
import type { Source } from '../../../../schemas/ipc-views.ts'
import type { Assessment, EvidenceDocument, Register } from '../../../../schemas/types.ts'
import type { Verdict } from '../../../../schemas/words.ts'
import type { DemoDeclared } from '../../../core/all-ports.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { documentPath, fileIn, folderIn, shelfPath } from '../../../core/base/layout.ts'
import { quote } from '../../../core/base/plain-text.ts'
import { attachmentPath, LARGEST_DOCUMENT } from '../../../core/register/attachments.ts'
import { EMPTY_REGISTER } from '../../../core/register/register.ts'
import { registerView } from '../../../core/register/view.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { documentsIn, type RegisterWithDocuments } from '../../common/attachments.ts'
import { withPack } from '../../common/pack-shelf.ts'
import { storeBytes, writeRegister } from '../../register/store.ts'
import type { EngineContext } from '../context/context.ts'
import { declaredOrNone, shelfShown } from './engagement-store.ts'

export type Kept = Pick<EngineContext, 'ports' | 'folder' | 'session'>

/** The fleet that is shown now: a change applies to it, even where another one is shown when the change is stored. */
export const asShown = ({ ports, folder, session }: Kept): Kept => ({ ports, folder, session: { ...session } })

const shelf = ({ folder, session }: Kept): string => shelfPath(folder, session.demo)
export const registerPath = (shelfFolder: string): string => fileIn(shelfFolder, 'register')
const bytesPath = (kept: Kept, digest: string): string => documentPath(shelf(kept), digest)

/**
 * The register of the current fleet; empty where none exists. Fails with register.unreadable; nothing may be written
 * then.
 */
export async function ownRegister(kept: Kept): Promise<Outcome<Register>> {
  const read = await kept.ports.readRegister(registerPath(shelf(kept)))
  if (!read.ok) return fail('register.unreadable', read.error.detail)
  return ok(read.value ?? EMPTY_REGISTER)
}

/** The register of the current fleet as of now, or of the open pack as of its evaluation date. */
export async function registerOf(context: Kept, of: Source): Promise<Outcome<RegisterView>> {
  const { ports, session } = context
  if (of === 'run') {
    const register = await ownRegister(context)
    return register.ok ? ok(await ownView(context, register.value)) : register
  }
  if (session.pack === null) return fail('input.refused', 'no pack is open')
  const { register, assessment } = session.pack
  if (register === null) return fail('register.unreadable', 'the pack contains no readable register')
  const basis = assessment?.scope.engagement?.reportingBasis ?? null
  return ok(registerView(register, assessment?.asOf ?? ports.clock.now(), basis))
}

/** A register of the current fleet as of now, with its documents compared with the period of the engagement. */
export async function ownView(kept: Kept, register: Register): Promise<RegisterView> {
  const { engagement } = await declaredOrNone(shelfShown(kept))
  return registerView(register, kept.ports.clock.now(), engagement?.reportingBasis ?? null)
}

/**
 * Stores the register of the demo fleet with its documents, unless a register exists: a person may have changed it.
 * The documents come first, so that no register names a missing one.
 */
export async function registerAtFirst(
  { ports, folder }: Pick<Kept, 'ports' | 'folder'>,
  { register, documents }: Pick<DemoDeclared, 'register' | 'documents'>,
): Promise<Outcome<null>> {
  const place = shelfPath(folder, true)
  const path = registerPath(place)
  if (await ports.files.isThere(path)) return ok(null)
  for (const bytes of documents.values()) {
    const stored = await storeBytes(ports, place, bytes)
    if (!stored.ok) return stored
  }
  return await writeRegister(ports, { path, folder: place }, register)
}

export const keepRegister = (kept: Kept, register: Register): Promise<Outcome<null>> =>
  writeRegister(kept.ports, { path: registerPath(shelf(kept)), folder: shelf(kept) }, register)

export const keepBytes = (kept: Kept, bytes: Uint8Array): Promise<Outcome<null>> =>
  storeBytes(kept.ports, shelf(kept), bytes)

/** The stored bytes of a document, as attached. Fails with attachment.altered. */
export async function ownBytes(kept: Kept, attachment: EvidenceDocument): Promise<Outcome<Uint8Array>> {
  const read = await kept.ports.files.read(bytesPath(kept, attachment.sha256), LARGEST_DOCUMENT)
  return read.ok && sha256(read.value) === attachment.sha256 ? read : altered(attachment)
}

/** The bytes of a document in the open pack, as the pack names it. Fails with attachment.altered. */
export async function bytesInPack(
  { ports, session }: Kept,
  attachment: EvidenceDocument,
): Promise<Outcome<Uint8Array>> {
  if (session.pack === null) return fail('input.refused', 'no pack is open')
  return await withPack(ports, session.pack.path, async (pack) => {
    const path = attachmentPath(attachment)
    const bytes = pack.paths.includes(path) ? await pack.read(path).catch(() => null) : null
    return bytes !== null && sha256(bytes) === attachment.sha256 ? ok(bytes) : altered(attachment)
  })
}

/** The verdict of a check on a node; null for a node that the assessment does not have, and for an unknown check. */
export const verdictIn =
  ({ checks }: Pick<Catalog, 'checks'>, { nodes }: Pick<Assessment, 'nodes'>) =>
  (name: string, check: string): Verdict | null => {
    const assessed = nodes.find(({ node }) => node === name)
    if (assessed === undefined || !checks.some(({ id }) => id === check)) return null
    return assessed.results.find((one) => one.check === check)?.verdict ?? 'not-tested'
  }

/**
 * Register content for an export of the current fleet, and the bytes of its documents, read again when they are packed.
 */
export async function registerForExport(kept: Kept): Promise<Outcome<RegisterWithDocuments>> {
  const register = await ownRegister(kept)
  if (!register.ok) return register
  return ok({ register: register.value, attachmentBytes: documentsIn(kept.ports, folderIn(shelf(kept), 'documents')) })
}

const altered = ({ name, sha256: digest }: EvidenceDocument): Outcome<never> =>
  fail('attachment.altered', `${quote(name)}, SHA-256 ${digest}`)

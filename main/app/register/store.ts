import type { Register } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { sha256 } from '../../core/digest.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { documentPath, folderIn } from '../../core/layout.ts'
import { plain } from '../../core/plain-text.ts'
import { LARGEST_DOCUMENT } from '../../core/register/attachments.ts'
import { EMPTY_REGISTER } from '../../core/register.ts'
import { ok } from '../../core/result.ts'
import { keepEarlier } from '../engine/kept-json.ts'

/** A register's file, and the folder of its documents and earlier copies. */
export interface RegisterPlace {
  readonly path: string
  readonly folder: string
}

/** Replaces a register and keeps a copy of the previous one: no entry can be lost. */
export async function writeRegister(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'validator'>,
  { path, folder }: RegisterPlace,
  register: Register,
): Promise<Outcome<null>> {
  const [problem] = ports.validator.problems('register', register)
  if (problem !== undefined) return fail('input.refused', plain(problem))
  const copied = await keepEarlier(ports, path, folderIn(folder, 'registerEarlier'))
  if (!copied.ok) return copied
  return await ports.files.write(path, `${JSON.stringify(register, null, 2)}\n`)
}

/** Stores the bytes of a document under their digest. */
export async function storeBytes(
  { files }: Pick<Ports, 'files'>,
  folder: string,
  bytes: Uint8Array,
): Promise<Outcome<null>> {
  const digest = sha256(bytes)
  const path = documentPath(folder, digest)
  // A link is not a copy of its target: with a limit, only a regular file is read.
  const there = await files.read(path, LARGEST_DOCUMENT)
  return there.ok && sha256(there.value) === digest ? ok(null) : await files.write(path, bytes)
}

export interface Change {
  /** Creates the register where there is none. */
  readonly begin: boolean
  readonly next: (register: Register) => Outcome<Register> | Promise<Outcome<Register>>
  /** The documents that the change adds. */
  readonly bytes?: Uint8Array
}

/**
 * Changes a register file completely or not at all, and returns its new content. Fails with input.not-found where there
 * is none to change, and with input.refused where another process changed it meanwhile, for example while a passphrase
 * was entered.
 */
export async function changeRegister(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'readRegister' | 'validator'>,
  place: RegisterPlace,
  { begin, next, bytes }: Change,
): Promise<Outcome<Register>> {
  const before = await ports.readRegister(place.path)
  if (!before.ok) return before
  if (before.value === null && !begin) return fail('input.not-found', `there is no register ${place.path}`)
  const after = await next(before.value ?? EMPTY_REGISTER)
  if (!after.ok) return after
  // Locked only now: signing may take any time.
  const held = await ports.files.hold(place.folder)
  if (!held.ok) return held
  try {
    const still = await ports.readRegister(place.path)
    if (!still.ok) return still
    if (canonicalJson(still.value) !== canonicalJson(before.value))
      return fail('input.refused', `another process changed ${place.path} meanwhile; try again`)
    // The bytes first: a register never names a file that is not there.
    const stored = bytes === undefined ? ok(null) : await storeBytes(ports, place.folder, bytes)
    if (!stored.ok) return stored
    const written = await writeRegister(ports, place, after.value)
    return written.ok ? after : written
  } finally {
    await held.value.release()
  }
}

import type { Register } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { sha256 } from '../../core/digest.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { LARGEST_ATTACHMENT } from '../../core/register/attachments.ts'
import { EMPTY_REGISTER } from '../../core/register.ts'
import { ok } from '../../core/result.ts'
import type { World } from '../../core/world.ts'
import { keepEarlier } from '../engine/kept-json.ts'

/** A register's file, and the folder that its records and earlier copies lie in. */
export interface RegisterPlace {
  readonly path: string
  readonly folder: string
}

/** Puts a register in the place of the one before, of which a copy is kept: no entry can be lost. */
export async function writeRegister(
  world: World,
  { path, folder }: RegisterPlace,
  register: Register,
): Promise<Outcome<null>> {
  const [problem] = world.validator.problems('register', register)
  if (problem !== undefined) return fail('input.refused', plain(problem))
  const copied = await keepEarlier(world, path, `${folder}/register-earlier`)
  if (!copied.ok) return copied
  return await world.files.write(path, `${JSON.stringify(register, null, 2)}\n`)
}

/** Stores the bytes of a record under their digest. */
export async function storeBytes(
  { files }: Pick<World, 'files'>,
  folder: string,
  bytes: Uint8Array,
): Promise<Outcome<null>> {
  const digest = sha256(bytes)
  const path = `${folder}/attachments/${digest}`
  // A link to the same bytes is no copy of them: with a limit, only an ordinary file is read.
  const there = await files.read(path, LARGEST_ATTACHMENT)
  return there.ok && sha256(there.value) === digest ? ok(null) : await files.write(path, bytes)
}

export interface Change {
  /** Whether the register is begun where there is none. */
  readonly begin: boolean
  readonly next: (register: Register) => Outcome<Register> | Promise<Outcome<Register>>
  /** What the change attaches. */
  readonly bytes?: Uint8Array
}

/**
 * Changes a register file as a whole or not at all, and gives what it is now. Fails with input.not-found where there is none to change,
 * and with input.refused where somebody else changed it meanwhile, while a passphrase was typed for example.
 */
export async function changeRegister(
  world: World,
  place: RegisterPlace,
  { begin, next, bytes }: Change,
): Promise<Outcome<Register>> {
  const before = await world.readRegister(place.path)
  if (!before.ok) return before
  if (before.value === null && !begin) return fail('input.not-found', `there is no register ${place.path}`)
  const after = await next(before.value ?? EMPTY_REGISTER)
  if (!after.ok) return after
  // Held only now: whoever signs may take as long as they like.
  const held = await world.files.hold(place.folder)
  if (!held.ok) return held
  try {
    const still = await world.readRegister(place.path)
    if (!still.ok) return still
    if (canonicalJson(still.value) !== canonicalJson(before.value))
      return fail('input.refused', `${place.path} was changed by somebody else meanwhile; run the command again`)
    // The bytes first: a register never names what is not there.
    const stored = bytes === undefined ? ok(null) : await storeBytes(world, place.folder, bytes)
    if (!stored.ok) return stored
    const written = await writeRegister(world, place, after.value)
    return written.ok ? after : written
  } finally {
    await held.value.release()
  }
}

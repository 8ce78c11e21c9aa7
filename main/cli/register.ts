import { dirname } from 'node:path'
import { attachmentsIn, NOTHING_SAID, type Said } from '../app/attachments.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'

/** What people said, in a register file and the folder “attachments” beside it; nothing where no file is named. */
export async function readSaid(world: World, file: string | undefined): Promise<Outcome<Said>> {
  if (file === undefined) return ok(NOTHING_SAID)
  const register = await world.readRegister(file)
  if (!register.ok) return register
  if (register.value === null) return fail('input.not-found', `${file} could not be read`)
  const attachmentBytes = attachmentsIn(world, `${dirname(file)}/attachments`)
  return ok({ register: register.value, attachmentBytes })
}

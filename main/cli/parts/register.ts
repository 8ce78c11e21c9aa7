import { dirname } from 'node:path'
import { documentsIn, NO_REGISTER, type RegisterWithDocuments } from '../../app/common/attachments.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { folderIn } from '../../core/base/layout.ts'
import { registerProblems } from '../../core/register/problems.ts'
import { readEntries } from '../../verify/steps/entries.ts'

const MOST_PROBLEMS = 5

/**
 * The register file and the folder “documents” next to it; an empty register without a file. Fails with input.refused for an inconsistent
 * register or an invalid signature, because a pack with either would not verify.
 */
export async function readRegister(ports: Ports, file: string | undefined): Promise<Outcome<RegisterWithDocuments>> {
  if (file === undefined) return ok(NO_REGISTER)
  const register = await ports.readRegister(file)
  if (!register.ok) return register
  if (register.value === null) return fail('input.not-found', `${file} could not be read`)
  const signed = await readEntries(ports.sealing.reader, register.value)
  const problems = [...registerProblems(register.value), ...signed.problems]
  if (problems.length > 0) return fail('input.refused', `${file}: ${problems.slice(0, MOST_PROBLEMS).join(' ')}`)
  const attachmentBytes = documentsIn(ports, folderIn(dirname(file), 'documents'))
  return ok({ register: register.value, attachmentBytes })
}

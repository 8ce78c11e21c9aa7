import { isMethod } from '../../schemas/ipc-inputs.ts'
import { callValidatorOf } from './call-compiler.ts'

/**
 * The problems of the input of a call from the window, as sentences; none where it is valid. The schema of a method is compiled by the
 * build, or from source at its first call.
 */
export function ipcProblems(method: string, input: unknown): readonly string[] {
  if (!isMethod(method)) return ['there is no such method']
  const validate = callValidatorOf(method)
  if (validate(input)) return []
  return (validate.errors ?? []).map((error) => `${error.instancePath || 'input'} ${error.message ?? 'does not fit'}`)
}

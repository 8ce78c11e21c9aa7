import { isMethod } from '../../schemas/ipc-inputs.ts'
import { callValidatorOf } from './call-compiler.ts'

/**
 * Checks the input of a call from the window against its method's schema: compiled by the build in the built program, else when the method is
 * first called. Returns the problems as sentences; none means it fits.
 */
export function ipcProblems(method: string, input: unknown): readonly string[] {
  if (!isMethod(method)) return ['there is no such method']
  const validate = callValidatorOf(method)
  if (validate(input)) return []
  return (validate.errors ?? []).map((error) => `${error.instancePath || 'input'} ${error.message ?? 'does not fit'}`)
}

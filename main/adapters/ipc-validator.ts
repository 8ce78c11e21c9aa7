import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { INPUT_SCHEMAS, isMethod } from '../../schemas/ipc-inputs.ts'

/**
 * Checks the input of a call from the window against its method's schema. Returns the problems as sentences; none means
 * it fits. A schema is compiled at its first call: all of them take longer than the rest of the start.
 */
export function ipcValidator(): (method: string, input: unknown) => readonly string[] {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: false,
    // Both take most of the compile time and change no result: a test checks these schemas against their own schema.
    validateSchema: false,
    code: { optimize: false },
  })
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (method: keyof typeof INPUT_SCHEMAS): ValidateFunction => {
    const validate = compiled.get(method) ?? ajv.compile(INPUT_SCHEMAS[method])
    compiled.set(method, validate)
    return validate
  }
  return (method, input) => {
    if (!isMethod(method)) return ['there is no such method']
    const validate = validatorOf(method)
    if (validate(input)) return []
    return (validate.errors ?? []).map((error) => `${error.instancePath || 'input'} ${error.message ?? 'does not fit'}`)
  }
}

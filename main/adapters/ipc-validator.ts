import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { INPUT_SCHEMAS, isMethod } from '../../schemas/ipc-inputs.ts'

/**
 * Checks the input of a call from the window against its method's schema. Returns the problems as sentences; none means
 * it fits.
 */
export function ipcValidator(): (method: string, input: unknown) => readonly string[] {
  const ajv = new Ajv2020({ strict: true, allErrors: false })
  const compiled = new Map<string, ValidateFunction>(
    Object.entries(INPUT_SCHEMAS).map(([method, schema]) => [method, ajv.compile(schema)]),
  )
  return (method, input) => {
    const validate = isMethod(method) ? compiled.get(method) : undefined
    if (validate === undefined) return ['there is no such method']
    if (validate(input)) return []
    return (validate.errors ?? []).map((error) => `${error.instancePath || 'input'} ${error.message ?? 'does not fit'}`)
  }
}

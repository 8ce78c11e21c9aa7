import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Method } from '../../schemas/ipc.ts'
import { INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'

export const METHODS = Object.keys(INPUT_SCHEMAS) as readonly Method[]

/** A compiler with the input schema of every method; none is compiled yet. `source`: see schemaCompiler() in schema-compiler.ts. */
export function callCompiler(source = false): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: false,
    // Both take most of the compile time and change no result: a test checks these schemas against their own schema.
    validateSchema: false,
    code: { optimize: false, source },
  })
  for (const method of METHODS) ajv.addSchema(INPUT_SCHEMAS[method], method)
  return ajv
}

let ready: Ajv2020 | null = null

/** The validator of a method’s input, compiled at its first use. */
export function callValidatorOf(method: Method): ValidateFunction {
  ready ??= callCompiler()
  const found = ready.getSchema(method)
  if (found === undefined) throw new Error(`no schema for the input of ${method}`)
  return found as ValidateFunction
}

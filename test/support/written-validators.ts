import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import standalone from 'ajv/dist/standalone/index.js'
import { callCompiler, METHODS } from '../../main/adapters/call-compiler.ts'
import {
  addSchema,
  type Extent,
  SCHEMA_NAMES,
  type SchemaName,
  schemaCompiler,
} from '../../main/adapters/schema-compiler.ts'
import type { Method } from '../../schemas/ipc.ts'
import { inOneByte } from './one-byte.ts'

const require = createRequire(import.meta.url)

/** What that which ajv compiles asks for, and what that asks for. */
const ASKED: ReadonlySet<string> = new Set(['ajv/dist/runtime/ucs2length', 'ajv/dist/runtime/equal', 'fast-deep-equal'])

/** Code that asks for no module: each that it would ask for stands in it. Throws where that would be another one. */
const withParts = (code: string): string =>
  code.replaceAll(/\brequire\("([^"]+)"\)/g, (_, name: string) => {
    if (!ASKED.has(name)) throw new Error(`validators ask for ${name}`)
    // A function of ajv's has the text that asks for it as its `code`, for compiling with it.
    const part = readFileSync(require.resolve(name), 'utf8').replaceAll(/^\w+\.code = .*$|^\/\/#.*$/gm, '')
    return `(() => { const module = { exports: {} }; const exports = module.exports;\n${withParts(part)}\nreturn module.exports })()`
  })

/** The member of the module for a schema, or for the input of a method. */
export const memberOf = (name: SchemaName | Method): string => name.replaceAll(/[-.]/g, '_')

/** What ajv compiles from the schemas, as one CommonJS module with a function for each: the same as validatorOf() compiles when it runs. */
export function writtenValidators(extent: Extent): string {
  const ajv = schemaCompiler(extent, true)
  const members = Object.fromEntries(SCHEMA_NAMES.map((name) => [memberOf(name), addSchema(ajv, name)]))
  return inOneByte(withParts(standalone(ajv, members)), writtenFile(extent))
}

/** The same of the input of each method. */
export function writtenCallValidators(): string {
  const members = Object.fromEntries(METHODS.map((name) => [memberOf(name), name]))
  return inOneByte(withParts(standalone(callCompiler(true), members)), writtenFile('calls'))
}

/** The file of the built program with those validators, below its folder. */
export const writtenFile = (what: Extent | 'calls'): string => `validators/${what}.cjs`

/**
 * A module that reads files of validators, each when the first of its validators is needed. It is in the folder that they are below, or in one
 * of a folder in it. It declares no `require`: the build adds one of its own.
 */
const readingModule = (validatorOf: string): string => `
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
const load = createRequire(import.meta.url)
const read = {}
const pathOf = (file) => ['./', '../'].map((up) => fileURLToPath(new URL(up + file, import.meta.url))).find((path) => existsSync(path))
function found(file, name) {
  read[file] ??= load(pathOf(file) ?? file)
  const validate = read[file][name.replaceAll(/[-.]/g, '_')]
  if (validate === undefined) throw new Error(\`no schema \${name}\`)
  return validate
}
${validatorOf}
`

/** The text of the module that takes the place of `main/adapters/schema-compiler.ts` in the built program. */
export const writtenModule = (): string =>
  readingModule(`const files = ${JSON.stringify({ first: writtenFile('first'), all: writtenFile('all') })}
export const validatorOf = (name, extent) => found(files[extent], name)`)

/** The same of `main/adapters/call-compiler.ts`. */
export const writtenCallModule = (): string =>
  readingModule(`export const callValidatorOf = (method) => found(${JSON.stringify(writtenFile('calls'))}, method)`)

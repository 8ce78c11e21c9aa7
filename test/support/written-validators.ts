import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import standalone from 'ajv/dist/standalone/index.js'
import {
  addSchema,
  type Extent,
  SCHEMA_NAMES,
  type SchemaName,
  schemaCompiler,
} from '../../main/adapters/schema-compiler.ts'

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

/** The member of the module for a schema. */
export const memberOf = (name: SchemaName): string => name.replaceAll('-', '_')

/** What ajv compiles from the schemas, as one CommonJS module with a function for each: the same as validatorOf() compiles when it runs. */
export function writtenValidators(extent: Extent): string {
  const ajv = schemaCompiler(extent, true)
  const members = Object.fromEntries(SCHEMA_NAMES.map((name) => [memberOf(name), addSchema(ajv, name)]))
  return withParts(standalone(ajv, members))
}

/** The file of the built program with those validators, below its folder. */
export const writtenFile = (extent: Extent): string => `validators/${extent}.cjs`

/**
 * The text of the module that takes the place of `main/adapters/schema-compiler.ts` in the built program. A file is read when the first of its
 * validators is needed. The module is in a file of the folder that the files are below, or in one of a folder in it.
 */
export const writtenModule = (): string => `
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
const require = createRequire(import.meta.url)
const files = ${JSON.stringify({ first: writtenFile('first'), all: writtenFile('all') })}
const read = { first: null, all: null }
const pathOf = (file) => ['./', '../'].map((up) => fileURLToPath(new URL(up + file, import.meta.url))).find((path) => existsSync(path))
export function validatorOf(name, extent) {
  read[extent] ??= require(pathOf(files[extent]) ?? files[extent])
  const found = read[extent][name.replaceAll('-', '_')]
  if (found === undefined) throw new Error(\`no schema \${name}\`)
  return found
}
`

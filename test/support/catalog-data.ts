import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** The data that the catalog is built with, read from its files: what the build and its test validate. */
const at = (path: string): unknown => JSON.parse(readFileSync(resolve(path), 'utf8'))

export const catalogData = () => ({
  frameworks: ['hipaa', 'soc2', 'nprm'].map((id) => at(`main/catalog/frameworks/${id}.json`)),
  requests: at('main/catalog/frameworks/requests.json'),
  severity: at('main/catalog/severity.json'),
  remediation: at('main/catalog/remediation.json'),
})

/** What is wrong with it, by place; empty where it is what schemas/catalog-data.schema.json and remediation.schema.json describe. */
export function catalogDataProblems(data: unknown): readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: true })
  ajv.addSchema(at('schemas/remediation.schema.json') as object)
  const validate = ajv.compile(at('schemas/catalog-data.schema.json') as object)
  return validate(data) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath}: ${one.message}`)
}

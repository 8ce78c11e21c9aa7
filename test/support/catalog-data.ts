import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { SubjectData } from '../../main/catalog/subject.ts'

/** The data that the catalog is built with, read from its files: what the build and its test validate. */
const at = (path: string): unknown => JSON.parse(readFileSync(resolve(path), 'utf8'))

export const catalogData = () => ({
  frameworks: ['hipaa', 'soc2', 'nprm'].map((id) => at(`main/catalog/frameworks/${id}.json`)),
  requests: at('main/catalog/frameworks/requests.json'),
  subjects: Object.fromEntries(
    readdirSync(resolve('main/catalog'))
      .map((subject) => [subject, `main/catalog/${subject}/checks.json`] as const)
      .filter(([, path]) => existsSync(resolve(path)))
      .map(([subject, path]) => [subject, at(path) as SubjectData]),
  ),
})

/** What is wrong with it, by place; empty where it is what schemas/catalog-data.schema.json and remediation.schema.json describe. */
export function catalogDataProblems(data: unknown): readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: true })
  ajv.addSchema(at('schemas/remediation.schema.json') as object)
  const validate = ajv.compile(at('schemas/catalog-data.schema.json') as object)
  return validate(data)
    ? []
    : (validate.errors ?? []).map((one) => `${placeIn(data, one.instancePath)}: ${one.message}`)
}

/** The place of a problem, with the id of the check in place of its number. */
function placeIn(data: unknown, path: string): string {
  const [, subject = '', index = '', rest = ''] = /^\/subjects\/([^/]+)\/checks\/(\d+)(.*)$/.exec(path) ?? []
  const subjects = (data as Partial<ReturnType<typeof catalogData>>).subjects ?? {}
  const check = subjects[subject]?.checks[Number(index)]?.check
  return check === undefined ? path : `main/catalog/${subject}/checks.json, ${check}${rest}`
}

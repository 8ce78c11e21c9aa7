import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { SubjectData } from '../../main/catalog/base/subject.ts'

/** The folder of each subject, by its id, which is the folder's name. Subjects are in areas; location is one of its own. */
export const subjectFolders = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(resolve('main/catalog'), { withFileTypes: true })
      .filter((area) => area.isDirectory() && area.name !== 'definition')
      .flatMap(({ name }) => [name, ...readdirSync(resolve('main/catalog', name)).map((folder) => `${name}/${folder}`)])
      .filter((folder) => existsSync(resolve('main/catalog', folder, 'index.ts')))
      .map((folder) => [basename(folder), `main/catalog/${folder}`]),
  )

/** The data that the catalog is built with, read from its files: what the build and its test validate. */
const at = (path: string): unknown => JSON.parse(readFileSync(resolve(path), 'utf8'))

export const catalogData = () => ({
  frameworks: ['hipaa', 'soc2', 'nprm'].map((id) => at(`main/catalog/definition/frameworks/${id}.json`)),
  requests: at('main/catalog/definition/frameworks/requests.json'),
  subjects: Object.fromEntries(
    [...subjectFolders()]
      .map(([subject, folder]) => [subject, `${folder}/checks.json`] as const)
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
  return check === undefined ? path : `${subjectFolders().get(subject)}/checks.json, ${check}${rest}`
}

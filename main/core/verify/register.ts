import type { Attachment, Register } from '../../../schemas/types.ts'
import { sha256 } from '../digest.ts'
import { PATHS } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { PackSource, SchemaValidator } from '../ports.ts'
import { compare } from '../recording.ts'
import { attachmentPaths } from '../register/attachments.ts'
import { dayProblem } from '../register/days.ts'
import { EMPTY_REGISTER, LONGEST_DAYS } from '../register.ts'
import { bytesOf, canonical, type PackReading, textOf } from './read.ts'

/** What people say in a pack, and where that does not fit the rest of it. */
export interface RegisterReading {
  /** Null when it cannot be read. */
  readonly register: Register | null
  readonly problems: readonly string[]
  /** What a reader should know of it. */
  readonly notes: readonly string[]
}

const FOLDER = 'data/attachments/'

/**
 * The register of a pack: it must fit its schema, name checks and nodes of the pack, and attach exactly the files that lie there. Packs
 * of earlier versions hold an empty list in its place.
 */
export async function registerOfPack(
  source: PackSource,
  validator: SchemaValidator,
  { scope }: Pick<PackReading, 'scope'>,
): Promise<RegisterReading> {
  const register = await readRegister(source, validator)
  if ('problem' in register) return { register: null, problems: [register.problem], notes: [] }
  return {
    register,
    problems: [
      ...exceptionProblems(register, new Set(scope?.population ?? []), await checksIn(source)),
      ...(await attachmentProblems(source, register)),
    ],
    notes: notes(register),
  }
}

async function readRegister(
  source: PackSource,
  validator: SchemaValidator,
): Promise<Register | { readonly problem: string }> {
  const found = canonical(await textOf(source, PATHS.exceptions))
  if (found === null) return { problem: `${PATHS.exceptions}: it is missing, or not JSON in canonical form.` }
  if (Array.isArray(found.value) && found.value.length === 0) return EMPTY_REGISTER
  const [problem] = validator.problems('register', found.value)
  return problem === undefined ? (found.value as Register) : { problem: `${PATHS.exceptions}: ${problem}.` }
}

/** Checks that the pack's own catalog has. */
async function checksIn(source: PackSource): Promise<ReadonlySet<unknown>> {
  try {
    const catalog = JSON.parse((await textOf(source, PATHS.catalog)) ?? '') as { checks: { id: unknown }[] }
    return new Set(catalog.checks.map(({ id }) => id))
  } catch {
    return new Set()
  }
}

function exceptionProblems(
  { exceptions }: Register,
  nodes: ReadonlySet<string>,
  checks: ReadonlySet<unknown>,
): readonly string[] {
  return exceptions.flatMap(({ id, check, nodes: named, acceptedAt, expiresAt }) => {
    const where = `${PATHS.exceptions}: exception ${id} names`
    const end = dayProblem(expiresAt.slice(0, 10), { now: acceptedAt, longest: LONGEST_DAYS })
    return [
      ...(checks.has(check) ? [] : [`${where} check ${quote(check)}, which the pack’s catalog does not have.`]),
      ...(named.length === 0 ? [`${where} no node.`] : []),
      ...named
        .filter((node) => !nodes.has(node))
        .map((node) => `${where} node ${quote(node)}, which the pack does not declare.`),
      ...(end === null ? [] : [`${where} an end that nobody can accept until: as of its acceptance, it ${end}.`]),
    ]
  })
}

async function attachmentProblems(source: PackSource, register: Register): Promise<readonly string[]> {
  const named = attachmentPaths(register)
  const problems: string[] = []
  for (const [path, attachment] of named) {
    const problem = await attachmentProblem(source, path, attachment)
    if (problem !== null) problems.push(problem)
  }
  const strange = source.paths.filter((path) => path.startsWith(FOLDER) && !named.has(path)).sort(compare)
  return [...problems, ...strange.map((path) => `${quote(path, 400)} is attached to nothing.`)]
}

async function attachmentProblem(
  source: PackSource,
  path: string,
  { name, sha256: digest, size }: Attachment,
): Promise<string | null> {
  const called = `The attached record ${quote(name)}`
  if (!source.paths.includes(path)) return `${called} is missing: there is no ${quote(path, 400)}.`
  const bytes = await bytesOf(source, path)
  return bytes !== null && bytes.length === size && sha256(bytes) === digest
    ? null
    : `${called} is not what was attached: ${quote(path, 400)} has another digest or size.`
}

function notes({ exceptions, attachments }: Register): readonly string[] {
  const count = (some: number, one: string): string => `${some} ${one}${some === 1 ? '' : 's'}`
  if (exceptions.length + attachments.length === 0) return []
  return [
    `The pack lists ${count(exceptions.length, 'accepted exception')} and ${count(attachments.length, 'attached record')}; none of them changes a verdict.`,
  ]
}

import type { Attachment, Exception, Mapping, PendingException, Register, Scope } from '../../../schemas/types.ts'
import { parseBounded } from '../bounded-json.ts'
import { sha256 } from '../digest.ts'
import { PATHS } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { PackSource, SchemaValidator, SealReader } from '../ports.ts'
import { compare } from '../recording.ts'
import { attachmentPaths } from '../register/attachments.ts'
import { decisionProblem, decisionsOf, type LevelOf, levelsIn } from '../register/decisions.ts'
import { explanationsOf } from '../register/explanations.ts'
import { pendingOf } from '../register/pending.ts'
import { registerProblems } from '../register/problems.ts'
import { EMPTY_REGISTER, standingOf } from '../register.ts'
import { readEntries } from './entries.ts'
import { bytesOf, canonical, type PackReading, textOf } from './read.ts'
import type { Trust } from './trust.ts'

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
  { source, validator, seal, trust }: PackParts,
  { scope, assessment }: Pick<PackReading, 'scope'> & Partial<Pick<PackReading, 'assessment'>>,
): Promise<RegisterReading> {
  const register = await readRegister(source, validator)
  if ('problem' in register) return { register: null, problems: [register.problem], notes: [] }
  const catalog = await catalogIn(source, scope ?? {})
  const signed = await readEntries(seal, register, trust?.lists)
  const where = (problem: string): string => `${PATHS.exceptions}: ${problem}`
  return {
    register,
    problems: atMost([
      ...registerProblems(register).map(where),
      ...exceptionProblems(register, new Set(scope?.population ?? []), catalog.checks).map(where),
      ...decisionProblems(register, catalog.levelOf).map(where),
      ...explanationProblems(register, new Set(scope?.population ?? []), catalog.signals).map(where),
      ...signed.problems.map(where),
      ...(await attachmentProblems(source, register)),
    ]),
    notes: [...notes(register, assessment?.asOf ?? null), ...signed.notes],
  }
}

/** A pack, and what reads it. */
export interface PackParts {
  readonly source: PackSource
  readonly validator: SchemaValidator
  readonly seal: SealReader
  /** Without it, no revocation list is known. */
  readonly trust?: Pick<Trust, 'lists'>
}

/** A register can be wrong in more places than anybody reads. */
const MOST_PROBLEMS = 200
const atMost = (problems: readonly string[]): readonly string[] =>
  problems.length <= MOST_PROBLEMS
    ? problems
    : [
        ...problems.slice(0, MOST_PROBLEMS),
        `${PATHS.exceptions}: ${problems.length - MOST_PROBLEMS} more such problems.`,
      ]

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

/** As much of a pack's own catalog as a register names. One of another form has nothing that can be found. */
interface PackCatalog {
  readonly checks: ReadonlySet<unknown>
  readonly signals: ReadonlySet<unknown>
  readonly levelOf: LevelOf
}

async function catalogIn(source: PackSource, { mappings = [] }: Pick<Scope, 'mappings'>): Promise<PackCatalog> {
  try {
    const {
      checks,
      signals = [],
      frameworks,
    } = parseBounded((await textOf(source, PATHS.catalog)) ?? '') as {
      readonly checks: readonly { readonly id: unknown }[]
      readonly signals?: readonly { readonly id: unknown }[]
      readonly frameworks: readonly Pick<Mapping, 'id' | 'controls'>[]
    }
    return {
      checks: new Set(checks.map(({ id }) => id)),
      signals: new Set(signals.map(({ id }) => id)),
      levelOf: levelsIn([...frameworks, ...mappings]),
    }
  } catch {
    return { checks: new Set(), signals: new Set(), levelOf: () => null }
  }
}

function exceptionProblems(
  register: Register,
  nodes: ReadonlySet<string>,
  checks: ReadonlySet<unknown>,
): readonly string[] {
  const accepted = new Set(register.exceptions.map(({ id }) => id))
  const named = (where: string, { check, nodes: on }: Exception | PendingException) => [
    ...(checks.has(check) ? [] : [`${where} check ${quote(check)}, which the pack’s catalog does not have.`]),
    ...(on.length === 0 ? [`${where} no node.`] : []),
    ...strangers(on.filter((node) => !nodes.has(node))).map(
      (node) => `${where} node ${node}, which the pack does not declare.`,
    ),
  ]
  return [
    ...register.exceptions.flatMap((entry) => named(`exception ${entry.id} names`, entry)),
    ...pendingOf(register).flatMap((entry) => [
      ...named(`request ${entry.id} names`, entry),
      ...(entry.settled?.as === 'approved' && !accepted.has(entry.id)
        ? [`request ${entry.id} is said to be approved, and there is no such exception.`]
        : []),
    ]),
  ]
}

const MOST_STRANGERS = 3

/** Some of the names, the last with how many more there are. */
const strangers = (names: readonly string[]): readonly string[] =>
  names
    .slice(0, MOST_STRANGERS)
    .map((name, at) =>
      at === MOST_STRANGERS - 1 && names.length > MOST_STRANGERS
        ? `${quote(name)} and ${names.length - MOST_STRANGERS} more`
        : quote(name),
    )

const decisionProblems = (register: Register, levelOf: LevelOf): readonly string[] =>
  decisionsOf(register).flatMap((entry) => {
    const { id, framework, control } = entry
    const problem = decisionProblem(entry, levelOf(framework, control))
    const row = quote(`${framework} ${control}`, 200)
    return problem === null ? [] : [`decision ${id} about ${row}: ${problem}.`]
  })

const explanationProblems = (
  register: Register,
  nodes: ReadonlySet<string>,
  signals: ReadonlySet<unknown>,
): readonly string[] =>
  explanationsOf(register).flatMap(({ id, signal, nodes: on }) => [
    ...(signals.has(signal)
      ? []
      : [`explanation ${id} names signal ${quote(signal)}, which the pack’s catalog does not have.`]),
    ...(on.length === 0 ? [`explanation ${id} names no node.`] : []),
    ...strangers(on.filter((node) => !nodes.has(node))).map(
      (node) => `explanation ${id} names node ${node}, which the pack does not declare.`,
    ),
  ])

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

function notes(register: Register, asOf: string | null): readonly string[] {
  const { exceptions, attachments } = register
  const count = (some: number, one: string): string => `${some} ${one}${some === 1 ? '' : 's'}`
  const decided = decisionsOf(register).length
  const explained = explanationsOf(register).length
  const open = pendingOf(register).filter(({ settled }) => settled === undefined).length
  const entries = [...exceptions, ...attachments, ...decisionsOf(register), ...explanationsOf(register)]
  const later = asOf === null ? 0 : entries.filter((one) => standingOf(one, asOf) === 'not-begun').length
  const rows = rowsDecidedTwice(register, asOf)
  return [
    ...(exceptions.length + attachments.length === 0
      ? []
      : [
          `The pack lists ${count(exceptions.length, 'accepted exception')} and ${count(attachments.length, 'attached record')}; none of them changes a verdict.`,
        ]),
    ...(decided === 0
      ? []
      : [`The pack lists ${count(decided, 'decision')} about rows; none of them changes a verdict.`]),
    ...(explained === 0
      ? []
      : [
          `The pack lists ${count(explained, 'explanation')} of single readings, on the word of the people named; none of them changes a verdict.`,
        ]),
    ...(later === 0
      ? []
      : [
          `Of these, ${later} ${later === 1 ? 'was made' : 'were made'} after ${asOf}, and ${later === 1 ? 'counts' : 'count'} for nothing as of then.`,
        ]),
    ...(rows === 0
      ? []
      : [
          `About ${count(rows, 'row')} there is more than one decision in force. The latest takes the place of the others.`,
        ]),
    ...(open === 0 ? [] : [`The pack lists ${count(open, 'request')} that nobody settled; a request accepts nothing.`]),
  ]
}

/** Rows about which several decisions are in force at once. */
function rowsDecidedTwice(register: Register, asOf: string | null): number {
  if (asOf === null) return 0
  const counts = new Map<string, number>()
  for (const entry of decisionsOf(register)) {
    const row = `${entry.framework}\n${entry.control}`
    if (standingOf(entry, asOf) === 'in-force') counts.set(row, (counts.get(row) ?? 0) + 1)
  }
  return [...counts.values()].filter((count) => count > 1).length
}

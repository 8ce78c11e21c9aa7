import type {
  AcceptanceRequest,
  EvidenceDocument,
  Mapping,
  Register,
  RiskAcceptance,
  Scope,
} from '../../../schemas/types.ts'
import { millisOf } from '../../core/base/days.ts'
import { sha256 } from '../../core/base/digest.ts'
import { plural, quote } from '../../core/base/plain-text.ts'
import { POPULATION } from '../../core/engagement/coverage.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { PackSource, SchemaValidator, SealReader } from '../../core/ports/ports.ts'
import { compare } from '../../core/recording/recording.ts'
import { documentPaths } from '../../core/register/attachments.ts'
import {
  acceptanceRequestsOf,
  decisionProblem,
  decisionsOf,
  type LevelOf,
  levelsIn,
} from '../../core/register/decisions.ts'
import { explanationsOf } from '../../core/register/explanations.ts'
import { registerProblems } from '../../core/register/problems.ts'
import { EMPTY_REGISTER, statusOf } from '../../core/register/register.ts'
import { auditorRequestsOf } from '../../core/register/requests.ts'
import { responsesOf } from '../../core/register/responses.ts'
import { readEntries } from './entries.ts'
import { type PackedCatalog, readPackedCatalog } from './pack-catalog.ts'
import { bytesOf, canonical, type PackReading, textOf } from './read.ts'
import type { Trust } from './trust.ts'

/** The register of a pack, and its inconsistencies with the rest of the pack. */
interface RegisterReading {
  /** Null when it cannot be read. */
  readonly register: Register | null
  readonly problems: readonly string[]
  /** Notes for the reader. */
  readonly notes: readonly string[]
}

const FOLDER = 'data/documents/'

/**
 * Reads the register of a pack: it must match its schema, refer to checks and nodes of the pack, and list exactly the files stored. Packs
 * of earlier versions contain an empty list instead.
 */
export async function registerOfPack(
  { source, validator, seal, trust, packed }: PackParts,
  { scope, assessment }: Pick<PackReading, 'scope'> & Partial<Pick<PackReading, 'assessment'>>,
): Promise<RegisterReading> {
  const register = await readRegister(source, validator)
  if ('problem' in register) return { register: null, problems: [register.problem], notes: [] }
  const catalog = catalogIn(packed ?? (await readPackedCatalog(source, { scope })), scope ?? {})
  const signed = await readEntries(seal, register, trust?.lists)
  return {
    register,
    problems: atMost([
      ...registerProblems(register).map(where),
      ...namedProblems(register, scope, catalog).map(where),
      ...signed.problems.map(where),
      ...(await attachmentProblems(source, register)),
    ]),
    notes: [...notes(register, assessment?.asOf ?? null), ...signed.notes],
  }
}

const where = (problem: string): string => `${PATHS.register}: ${problem}`

/** The same of a register alone, without its documents. Without the catalog of its pack, names are not compared with it. */
export async function enclosedRegisterProblems(
  register: Register,
  {
    seal,
    lists,
    scope,
    packed,
  }: Pick<PackParts, 'seal'> & Pick<Trust, 'lists'> & { readonly scope: Scope; readonly packed: PackedCatalog | null },
): Promise<readonly string[]> {
  const { problems: signed } = await readEntries(seal, register, lists)
  const named = packed === null ? [] : namedProblems(register, scope, catalogIn(packed, scope))
  return atMost([...registerProblems(register), ...named, ...signed].map(where))
}

/** A pack and its readers. */
interface PackParts {
  readonly source: PackSource
  readonly validator: SchemaValidator
  readonly seal: SealReader
  /** Without it, no revocation lists are available. */
  readonly trust?: Pick<Trust, 'lists'>
  /** The catalog of the pack, where it was read before. */
  readonly packed?: PackedCatalog
}

/** Problems of the register that are listed; further ones are counted. */
const MOST_PROBLEMS = 200
const atMost = (problems: readonly string[]): readonly string[] =>
  problems.length <= MOST_PROBLEMS
    ? problems
    : [
        ...problems.slice(0, MOST_PROBLEMS),
        `${PATHS.register}: ${problems.length - MOST_PROBLEMS} more problems of this kind.`,
      ]

/** The register in a pack by its form alone, or why it cannot be read. */
export async function readRegister(
  source: PackSource,
  validator: SchemaValidator,
): Promise<Register | { readonly problem: string }> {
  const found = canonical(await textOf(source, PATHS.register))
  if (found === null) return { problem: `${PATHS.register}: missing or not canonical JSON.` }
  if (Array.isArray(found.value) && found.value.length === 0) return EMPTY_REGISTER
  const [problem] = validator.problems('register', found.value)
  return problem === undefined ? (found.value as Register) : { problem: `${PATHS.register}: ${problem}.` }
}

/** The parts of a pack’s catalog that a register refers to. Empty for a catalog of another form. */
interface PackCatalog {
  readonly checks: ReadonlySet<unknown>
  readonly signals: ReadonlySet<unknown>
  readonly levelOf: LevelOf
}

function catalogIn({ value }: PackedCatalog, { mappings = [] }: Pick<Scope, 'mappings'>): PackCatalog {
  try {
    const {
      checks,
      signals = [],
      frameworks,
    } = value as {
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

/** What the entries name must be in the pack’s scope and catalog. */
function namedProblems(
  register: Register,
  scope: Pick<Scope, 'population'> | null,
  { checks, signals, levelOf }: PackCatalog,
): readonly string[] {
  const nodes = new Set(scope?.population ?? [])
  return [
    ...exceptionProblems(register, nodes, checks),
    ...decisionProblems(register, levelOf),
    ...explanationProblems(register, nodes, signals),
    ...responseProblems(register, checks),
  ]
}

function exceptionProblems(
  register: Register,
  nodes: ReadonlySet<string>,
  checks: ReadonlySet<unknown>,
): readonly string[] {
  const accepted = new Set(register.riskAcceptances.map(({ id }) => id))
  const named = (where: string, { check, nodes: on }: RiskAcceptance | AcceptanceRequest) => [
    ...(checks.has(check) ? [] : [`${where} check ${quote(check)}, which is not in the pack’s catalog.`]),
    ...undeclared(where, on, nodes),
  ]
  return [
    ...register.riskAcceptances.flatMap((entry) => named(`risk acceptance ${entry.id} names`, entry)),
    ...acceptanceRequestsOf(register).flatMap((entry) => [
      ...named(`request ${entry.id} names`, entry),
      ...(entry.resolved?.as === 'approved' && !accepted.has(entry.id)
        ? [`request ${entry.id} is marked approved, but there is no such risk acceptance.`]
        : []),
    ]),
  ]
}

const MOST_STRANGERS = 3

/** Problems of the nodes that an entry names: none, or the first ones that the pack does not declare, the last with the count of the others. */
function undeclared(where: string, named: readonly string[], declared: ReadonlySet<string>): readonly string[] {
  const strange = named.filter((node) => !declared.has(node))
  const more = strange.length - MOST_STRANGERS
  return [
    ...(named.length === 0 ? [`${where} no node.`] : []),
    ...strange.slice(0, MOST_STRANGERS).map((node, at) => {
      const others = more > 0 && at === MOST_STRANGERS - 1 ? ` and ${more} more` : ''
      return `${where} node ${quote(node)}${others}, which is not declared in the pack.`
    }),
  ]
}

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
      : [`explanation ${id} names signal ${quote(signal)}, which is not in the pack’s catalog.`]),
    ...undeclared(`explanation ${id} names`, on, nodes),
  ])

const responseProblems = (register: Register, checks: ReadonlySet<unknown>): readonly string[] =>
  responsesOf(register).flatMap(({ id, check }) =>
    checks.has(check) || check === POPULATION
      ? []
      : [`response ${id} names check ${quote(check)}, which is not in the pack’s catalog.`],
  )

async function attachmentProblems(source: PackSource, register: Register): Promise<readonly string[]> {
  const named = documentPaths(register)
  const problems: string[] = []
  for (const [path, attachment] of named) {
    const problem = await attachmentProblem(source, path, attachment)
    if (problem !== null) problems.push(problem)
  }
  const strange = source.paths.filter((path) => path.startsWith(FOLDER) && !named.has(path)).sort(compare)
  return [...problems, ...strange.map((path) => `${quote(path, 400)} is not listed in the register.`)]
}

async function attachmentProblem(
  source: PackSource,
  path: string,
  { name, sha256: digest, size }: EvidenceDocument,
): Promise<string | null> {
  const called = `The document ${quote(name)}`
  if (!source.paths.includes(path)) return `${called} is missing: there is no ${quote(path, 400)}.`
  const bytes = await bytesOf(source, path)
  return bytes !== null && bytes.length === size && sha256(bytes) === digest
    ? null
    : `${called} was changed: ${quote(path, 400)} has a different digest or size.`
}

function notes(register: Register, asOf: string | null): readonly string[] {
  const { riskAcceptances, documents } = register
  const decisions = decisionsOf(register)
  const explanations = explanationsOf(register)
  const responses = responsesOf(register)
  const audited = auditorRequestsOf(register)
  const open = acceptanceRequestsOf(register).filter(({ resolved }) => resolved === undefined).length
  const later =
    asOf === null
      ? 0
      : [...riskAcceptances, ...documents, ...decisions, ...explanations].filter(
          (one) => statusOf(one, asOf) === 'not-begun',
        ).length +
        [...responses, ...audited].filter(
          (one) => one.withdrawn === null && !(millisOf(one.statedAt) <= millisOf(asOf)),
        ).length
  const rows = rowsDecidedTwice(register, asOf)
  const listed = (entries: readonly unknown[], one: string, rest: string): readonly string[] =>
    entries.length === 0 ? [] : [`The pack lists ${plural(entries.length, one)}${rest}`]
  return [
    ...(riskAcceptances.length + documents.length === 0
      ? []
      : [
          `The pack lists ${plural(riskAcceptances.length, 'risk acceptance')} and ${plural(documents.length, 'document')}; none changes a verdict.`,
        ]),
    ...listed(decisions, 'control decision', '; none changes a verdict.'),
    ...listed(
      explanations,
      'explanation',
      ' of isolation signals, as stated by the people named; none changes a verdict.',
    ),
    ...listed(
      responses,
      'management response',
      ', as stated by the people named; none changes a verdict or closes a finding.',
    ),
    ...listed(audited, 'auditor request', ', as stated by the people named; none changes a verdict or a document.'),
    ...(later === 0
      ? []
      : [
          `Of these, ${later} ${later === 1 ? 'was' : 'were'} made after ${asOf} and ${later === 1 ? 'is' : 'are'} not yet effective at that date.`,
        ]),
    ...(rows === 0
      ? []
      : [
          `${plural(rows, 'control')} ${rows === 1 ? 'has' : 'have'} more than one decision in effect. The latest applies.`,
        ]),
    ...(open === 0
      ? []
      : [`The pack lists ${plural(open, 'request')} pending approval; requests have no effect until approved.`]),
  ]
}

/** Controls with several decisions in effect at once. */
function rowsDecidedTwice(register: Register, asOf: string | null): number {
  if (asOf === null) return 0
  const counts = new Map<string, number>()
  for (const entry of decisionsOf(register)) {
    const row = `${entry.framework}\n${entry.control}`
    if (statusOf(entry, asOf) === 'in-force') counts.set(row, (counts.get(row) ?? 0) + 1)
  }
  return [...counts.values()].filter((count) => count > 1).length
}

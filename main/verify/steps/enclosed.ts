import type { RunTrace, Scope, Statement } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { quote } from '../../core/base/plain-text.ts'
import { rulesDigest, scopeDigests } from '../../core/history/trace.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { RunEvidence } from '../../core/period/conclusions.ts'
import type { PackSource, SealReader } from '../../core/ports/ports.ts'
import { type Catalog, catalogFor, catalogSnapshot } from '../../core/rules/catalog.ts'
import type { BagReading } from './bag.ts'
import { declaredProblems } from './engagement.ts'
import { vantagesOfScope } from './location.ts'
import { type PackedCatalog, readPackedCatalog } from './pack-catalog.ts'
import { enclosedRegisterProblems } from './register.ts'
import type { Trust } from './trust.ts'

interface EnclosedAsked {
  readonly seal: SealReader
  readonly trust: Pick<Trust, 'lists'>
  /** The rules of this program. */
  readonly catalog: Catalog
}

/**
 * Inconsistencies between the statement, run trace, declarations and register of a part of a run’s pack, as far as they can be found without the other
 * files of that pack: conclusions over a period rest on these four. Documents, lists and sites are not enclosed. Never throws, whatever it contains.
 */
export async function enclosedProblems(
  source: PackSource,
  { statement, evidence }: Pick<BagReading, 'statement' | 'evidence'>,
  { seal, trust, catalog }: EnclosedAsked,
): Promise<readonly string[]> {
  if (statement === null || evidence === null) return []
  const { scope, register } = evidence
  const packed = await catalogOfPart(source, evidence, catalog)
  return [
    ...traceProblems(statement, evidence),
    ...declaredProblems(scope, packed, catalog),
    ...(await vantagesOfScope(scope, seal, { signers: [], authorities: [], lists: trust.lists })).problems,
    ...(await enclosedRegisterProblems(register, { seal, lists: trust.lists, scope, packed })),
  ]
}

/** The catalog of the run: that of this program under the same rules, otherwise the enclosed one; null without one. */
async function catalogOfPart(
  source: PackSource,
  { trace, scope }: RunEvidence,
  ours: Catalog,
): Promise<PackedCatalog | null> {
  const { version, module } = trace.catalog
  if (version === ours.version && module === ours.module)
    return { value: catalogSnapshot(catalogFor(ours, scope)), isCanonical: true, isOurs: true }
  return source.paths.includes(PATHS.catalog) ? await readPackedCatalog(source, { scope }) : null
}

/** The trace names the nodes, recordings, rules and declarations of its run. */
function traceProblems(
  { predicate }: Statement,
  { trace, scope: { asOf: _, ...scope } }: RunEvidence,
): readonly string[] {
  const { catalog, planned = null, nodes } = predicate
  const isOne = <T>(one: T, other: T): boolean => canonicalJson(one) === canonicalJson(other)
  return [
    ...nodeProblems(trace, scope, nodes),
    ...(scope.fleet === trace.fleet ? [] : [`${PATHS.scope} and ${PATHS.trace} name different fleets.`]),
    ...(isOne(catalog, trace.catalog) ? [] : [`${PATHS.statement} and ${PATHS.trace} state different rules.`]),
    ...(isOne(planned, trace.planned) ? [] : [`${PATHS.statement} and ${PATHS.trace} state different due times.`]),
    ...(isOne(scopeDigests(scope), trace.scope) && rulesDigest(trace, scope) === trace.rules
      ? []
      : [`${PATHS.trace} does not state the digests of the declarations in ${PATHS.scope}.`]),
  ]
}

function nodeProblems(
  { nodes: traced }: RunTrace,
  { population }: Pick<Scope, 'population'>,
  stated: Statement['predicate']['nodes'],
): readonly string[] {
  const declared = [...population].sort()
  if (new Set(declared).size < declared.length) return [`${PATHS.scope} declares a node twice.`]
  const names = (all: readonly string[]): boolean => canonicalJson([...all].sort()) === canonicalJson(declared)
  if (!names(traced.map(({ node }) => node)))
    return [`${PATHS.trace} has other nodes than those declared in ${PATHS.scope}.`]
  if (!names(stated.map(({ name }) => name)))
    return [`${PATHS.statement} has other nodes than those declared in ${PATHS.scope}.`]
  const claims = new Map(stated.map((one) => [one.name, one]))
  return traced
    .filter(({ node, recording, hostKey }) => {
      const claim = claims.get(node)
      return claim?.recording !== recording || claim.hostKey !== hostKey
    })
    .map(
      ({ node }) =>
        `Node ${quote(node)}: ${PATHS.statement} and ${PATHS.trace} name different recordings or host keys.`,
    )
}

import type { Engagement, Scope } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { imitated } from '../../core/base/look-alike.ts'
import { quote } from '../../core/base/plain-text.ts'
import { engagementProblems, type KnownNames, namesOf } from '../../core/engagement/form.ts'
import { listProblems } from '../../core/engagement/list-text.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { PackSource } from '../../core/ports/ports.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { problemsIn } from '../../core/rules/provider.ts'
import { type PackedCatalog, readPackedCatalog } from './pack-catalog.ts'
import { bytesOf, type PackReading } from './read.ts'

const MOST_PROBLEMS = 100

/** The parts of the pack and the available rules that are compared. */
interface Declared extends Pick<PackReading, 'scope'> {
  readonly catalogDigest?: PackReading['catalogDigest']
  /** The catalog of the pack, where it was read before. */
  readonly packed?: PackedCatalog
}

/**
 * Inconsistencies between the declarations of a pack and its other parts: engagement and fleet nodes must form the population, names
 * must be in the pack’s catalog, dates must exist, the provider inventory must be stored unchanged with the stated rows, the
 * customer’s frameworks must be distinguishable from the built-in ones, and the provider claims must be consistent. Packs without an
 * engagement contain no inventory. An unreadable scope is reported elsewhere; hostile input never throws.
 */
export async function engagementOfPack(
  source: PackSource,
  { scope, catalogDigest: digest = null, packed: read }: Declared,
  catalog: Catalog | null = null,
): Promise<readonly string[]> {
  if (scope === null) return []
  const packed = read ?? (await readPackedCatalog(source, { scope, catalogDigest: digest, catalog }))
  const problems = [
    ...declaredProblems(scope, packed, catalog),
    ...(await inventoryProblems(source, scope.engagement?.inventory ?? null)),
  ]
  const more = problems.length - MOST_PROBLEMS
  return more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `${more} more of this kind.`] : problems
}

/** The same of the scope alone. Without the catalog of its pack, names are not compared with it. */
export function declaredProblems(
  scope: Scope,
  whole: PackedCatalog | null,
  catalog: Catalog | null,
): readonly string[] {
  const packed = whole === null ? null : namedIn(whole)
  const known = packed === null ? null : namesOf(packed.checks, [...(scope.mappings ?? []), ...packed.frameworks])
  return [
    ...populationProblems(scope),
    ...(scope.engagement === undefined || known === null
      ? []
      : engagementProblems(scope.engagement, known).map(
          ({ path, text }) => `${PATHS.scope}: engagement.${path.join('.')} ${text}.`,
        )),
    ...mappingProblems(scope, packed, known?.checks ?? null, catalog),
    ...(packed === null ? [] : providerProblems(scope, packed, whole?.isOurs === true ? catalog : null)),
  ]
}

function populationProblems({ population, inFleet, engagement }: Scope): readonly string[] {
  if (engagement === undefined)
    return inFleet === undefined
      ? []
      : [`${PATHS.scope}: nodes are listed as in the fleet file, but there is no engagement.`]
  const there = new Set(population)
  const declared = new Set([...engagement.population.nodes, ...(inFleet ?? population)])
  const lacking = (nodes: readonly string[], place: string): readonly string[] =>
    nodes
      .filter((node) => !there.has(node))
      .map((node) => `${PATHS.scope}: node ${quote(node)} is ${place} but not in the population.`)
  return [
    ...lacking(engagement.population.nodes, 'declared'),
    ...lacking(inFleet ?? [], 'in the fleet file'),
    ...population
      .filter((node) => !declared.has(node))
      .map(
        (node) =>
          `${PATHS.scope}: node ${quote(node)} is in the population but neither declared nor in the fleet file.`,
      ),
  ]
}

async function inventoryProblems(source: PackSource, inventory: Engagement['inventory']): Promise<readonly string[]> {
  const isThere = source.paths.includes(PATHS.inventory)
  if (inventory === null) return isThere ? [`${PATHS.inventory} is present without an engagement.`] : []
  const called = `The provider inventory ${quote(inventory.file.name)} of the engagement`
  if (!isThere) return [`${called} is missing: there is no ${PATHS.inventory}.`]
  const bytes = await bytesOf(source, PATHS.inventory)
  return bytes !== null && bytes.length === inventory.file.size && sha256(bytes) === inventory.file.sha256
    ? [
        ...(new Set(inventory.rows.map(({ id }) => id)).size === inventory.rows.length
          ? []
          : [`${called} contains duplicate row IDs, so an exclusion would apply to several rows.`]),
        ...listProblems(bytes, inventory.rows).map((text) => `${called} ${text}.`),
      ]
    : [`${called} was changed: ${PATHS.inventory} has a different digest or size.`]
}

/** Customer frameworks: each must be in the pack’s catalog as in the scope, and must not imitate a built-in framework. */
function mappingProblems(
  { mappings = [] }: Scope,
  /** Null where the catalog of the pack is not at hand. */
  named: NamedParts | null,
  checks: KnownNames['checks'] | null,
  catalog: Catalog | null,
): readonly string[] {
  const elsewhere = new Set(named?.offNodeChecks.map(({ id }) => id))
  return mappings.flatMap((mapping, at) => {
    const { id, controls } = mapping
    const called = `${PATHS.scope}: mapping ${quote(id)}`
    const like = imitated(mapping, catalog?.frameworks ?? [])
    const packed = named?.frameworks.filter((one) => one.id === id)
    const keys = new Set(controls.map(({ key }) => key))
    const unknown = new Set(
      controls.flatMap(({ mappings: supports }) =>
        supports.flatMap(({ check }) => (checks === null || checks.has(check) || elsewhere.has(check) ? [] : [check])),
      ),
    )
    return [
      ...(like === null
        ? []
        : [`${called} has ${like === 'id' ? 'an ID' : 'a title'} that imitates a built-in framework.`]),
      ...(mappings.findIndex((other) => other.id === id) < at ? [`${called} occurs twice.`] : []),
      ...(packed === undefined || (packed.length === 1 && canonicalJson(packed[0]) === canonicalJson(mapping))
        ? []
        : [`${called} differs from the framework of that name in ${PATHS.catalog}.`]),
      ...(keys.size === controls.length && controls.every((one) => one.key === `${id}:${one.id}`)
        ? []
        : [`${called} contains controls with duplicate or invalid keys.`]),
      ...[...unknown].map((check) => `${called} names ${quote(check, 100)}, a check that is not in the catalog.`),
      ...controls
        .filter(({ mappings: supports }) => new Set(supports.map(({ check }) => check)).size < supports.length)
        .map((row) => `${called} names a check twice for control ${quote(row.id, 60)}.`),
    ]
  })
}

/** A profile with the ID of a built-in one must equal it; names must exist where the available rules are those of the pack. */
function providerProblems({ provider }: Scope, { providers }: NamedParts, ours: Catalog | null): readonly string[] {
  if (provider === undefined) return []
  const called = `${PATHS.scope}: provider ${quote(provider.id)}`
  const shipped = providers.find(({ id }) => id === provider.id)
  return [
    ...(shipped === undefined || canonicalJson(shipped) === canonicalJson(provider)
      ? []
      : [`${called} differs from the built-in profile with that ID.`]),
    ...(ours === null
      ? []
      : problemsIn(provider, ours).map(({ path, text }) => `${called}: ${path.join('.')} ${text}.`)),
  ]
}

interface NamedParts {
  readonly checks: readonly { readonly id: unknown }[]
  readonly frameworks: readonly { readonly id: unknown; readonly controls: readonly { readonly key: unknown }[] }[]
  readonly offNodeChecks: readonly { readonly id: unknown }[]
  readonly providers: readonly { readonly id: unknown }[]
}

/** The parts of the pack’s catalog that declarations can refer to. Empty where it cannot be read. */
function namedIn({ value: read, isCanonical }: PackedCatalog): NamedParts {
  const value = isCanonical ? (read as Partial<NamedParts> | null) : null
  const list = <T>(all: readonly T[] | undefined, fits: (one: Partial<T>) => boolean): readonly T[] =>
    Array.isArray(all)
      ? (all as readonly T[]).filter((one) => typeof one === 'object' && one !== null && fits(one))
      : []
  return {
    checks: list(value?.checks, () => true),
    frameworks: list(
      value?.frameworks,
      ({ controls }) => Array.isArray(controls) && controls.every((one) => typeof one === 'object' && one !== null),
    ),
    offNodeChecks: list(value?.offNodeChecks, () => true),
    providers: list(value?.providers, () => true),
  }
}

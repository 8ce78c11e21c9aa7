import type { Engagement, Scope } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type Catalog, catalogDigest, catalogFor } from '../catalog.ts'
import { sha256 } from '../digest.ts'
import { listProblems } from '../engagement/list-text.ts'
import { engagementProblems, type KnownNames, namesOf } from '../engagement/problems.ts'
import { imitated } from '../look-alike.ts'
import { PATHS } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { PackSource } from '../ports.ts'
import { problemsIn } from '../provider.ts'
import { bytesOf, canonical, type PackReading, textOf } from './read.ts'

const MOST_PROBLEMS = 100

/** What a reader knows of the pack, and of the rules at hand. */
interface Declared extends Pick<PackReading, 'scope'> {
  readonly catalogDigest?: PackReading['catalogDigest']
}

/**
 * What is wrong with how the declarations of a pack fit the rest of it: the engagement's nodes and the fleet's are the population, what
 * it names is in the pack's catalog, its days exist, and the provider's list lies there exactly as it was read, with these rows; the
 * customer's own frameworks are told apart from those at hand; and the provider's promises fit. Packs without an engagement hold no
 * such list. A scope that cannot be read is told elsewhere; hostile ones throw nothing.
 */
export async function engagementOfPack(
  source: PackSource,
  { scope, catalogDigest: digest = null }: Declared,
  catalog: Catalog | null = null,
): Promise<readonly string[]> {
  if (scope === null) return []
  const { engagement } = scope
  const packed = await packedCatalog(source)
  const known = namesOf(packed.checks, [...(scope.mappings ?? []), ...packed.frameworks])
  const problems = [
    ...populationProblems(scope),
    ...(engagement === undefined
      ? []
      : engagementProblems(engagement, known).map(
          ({ path, text }) => `${PATHS.scope}: engagement.${path.join('.')} ${text}.`,
        )),
    ...(await inventoryProblems(source, engagement?.inventory ?? null)),
    ...mappingProblems(scope, packed, known.checks, catalog),
    ...providerProblems(scope, packed, digest, catalog),
  ]
  const more = problems.length - MOST_PROBLEMS
  return more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `${more} more of this kind.`] : problems
}

function populationProblems({ population, enrolled, engagement }: Scope): readonly string[] {
  if (engagement === undefined)
    return enrolled === undefined ? [] : [`${PATHS.scope}: nodes are said to be enrolled, and there is no engagement.`]
  const there = new Set(population)
  const told = new Set([...engagement.population.nodes, ...(enrolled ?? population)])
  const lacking = (nodes: readonly string[], said: string): readonly string[] =>
    nodes
      .filter((node) => !there.has(node))
      .map((node) => `${PATHS.scope}: node ${quote(node)} is ${said}, and the population does not have it.`)
  return [
    ...lacking(engagement.population.nodes, 'declared'),
    ...lacking(enrolled ?? [], 'enrolled'),
    ...population
      .filter((node) => !told.has(node))
      .map((node) => `${PATHS.scope}: node ${quote(node)} is in the population, and neither declared nor enrolled.`),
  ]
}

async function inventoryProblems(source: PackSource, inventory: Engagement['inventory']): Promise<readonly string[]> {
  const isThere = source.paths.includes(PATHS.inventory)
  if (inventory === null) return isThere ? [`${PATHS.inventory} belongs to no engagement.`] : []
  const called = `The list ${quote(inventory.file.name)} that the engagement names`
  if (!isThere) return [`${called} is missing: there is no ${PATHS.inventory}.`]
  const bytes = await bytesOf(source, PATHS.inventory)
  return bytes !== null && bytes.length === inventory.file.size && sha256(bytes) === inventory.file.sha256
    ? [
        ...(new Set(inventory.rows.map(({ id }) => id)).size === inventory.rows.length
          ? []
          : [`${called} has rows with one id, so that a reason to leave one out would be for all of them.`]),
        ...listProblems(bytes, inventory.rows).map((text) => `${called} ${text}.`),
      ]
    : [`${called} is not what was read: ${PATHS.inventory} has another digest or size.`]
}

/** Frameworks of the customer's own: each is in the pack's catalog as the scope has it, and reads like none of those at hand. */
function mappingProblems(
  { mappings = [] }: Scope,
  { frameworks, notFromNodes }: PackedCatalog,
  checks: KnownNames['checks'],
  catalog: Catalog | null,
): readonly string[] {
  const elsewhere = new Set(notFromNodes.map(({ id }) => id))
  return mappings.flatMap((mapping, at) => {
    const { id, controls } = mapping
    const called = `${PATHS.scope}: mapping ${quote(id)}`
    const like = imitated(mapping, catalog?.frameworks ?? [])
    const packed = frameworks.filter((one) => one.id === id)
    const keys = new Set(controls.map(({ key }) => key))
    const unknown = new Set(
      controls.flatMap(({ supports }) =>
        supports.flatMap(({ check }) => (checks.has(check) || elsewhere.has(check) ? [] : [check])),
      ),
    )
    return [
      ...(like === null
        ? []
        : [`${called} has ${like === 'id' ? 'an id' : 'a title'} like that of a framework of ours.`]),
      ...(mappings.findIndex((other) => other.id === id) < at ? [`${called} stands there twice.`] : []),
      ...(packed.length === 1 && canonicalJson(packed[0]) === canonicalJson(mapping)
        ? []
        : [`${called} is not what ${PATHS.catalog} has under that name.`]),
      ...(keys.size === controls.length && controls.every((one) => one.key === `${id}:${one.id}`)
        ? []
        : [`${called} has rows under keys that are not theirs alone.`]),
      ...[...unknown].map((check) => `${called} names ${quote(check, 100)}, a check that the catalog does not have.`),
      ...controls
        .filter(({ supports }) => new Set(supports.map(({ check }) => check)).size < supports.length)
        .map((row) => `${called} names a check twice in row ${quote(row.id, 60)}.`),
    ]
  })
}

/** A profile under the id of one that ships is that one; what it names is there, where the rules at hand are those of the pack. */
function providerProblems(
  { provider, mappings = [] }: Scope,
  { providers }: PackedCatalog,
  digest: string | null,
  catalog: Catalog | null,
): readonly string[] {
  if (provider === undefined) return []
  const called = `${PATHS.scope}: provider ${quote(provider.id)}`
  const shipped = providers.find(({ id }) => id === provider.id)
  const isOurs = catalog !== null && digest === catalogDigest(catalogFor(catalog, { mappings }))
  return [
    ...(shipped === undefined || canonicalJson(shipped) === canonicalJson(provider)
      ? []
      : [`${called} is not the profile that ships under that id.`]),
    ...(isOurs ? problemsIn(provider, catalog).map(({ path, text }) => `${called}: ${path.join('.')} ${text}.`) : []),
  ]
}

interface PackedCatalog {
  readonly checks: readonly { readonly id: unknown }[]
  readonly frameworks: readonly { readonly id: unknown; readonly controls: readonly { readonly key: unknown }[] }[]
  readonly notFromNodes: readonly { readonly id: unknown }[]
  readonly providers: readonly { readonly id: unknown }[]
}

/** As much of the pack's own catalog as declarations may name. Nothing where it cannot be read. */
async function packedCatalog(source: PackSource): Promise<PackedCatalog> {
  // As catalogBytes() writes it.
  const text = await textOf(source, PATHS.catalog)
  const value = canonical(text === null ? null : `${text}\n`)?.value as Partial<PackedCatalog> | null | undefined
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
    notFromNodes: list(value?.notFromNodes, () => true),
    providers: list(value?.providers, () => true),
  }
}

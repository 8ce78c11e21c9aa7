import type { Fleet, Mapping, Scope } from '../../schemas/types.ts'
import type { OpenAddressDatabase, Ports } from '../core/all-ports.ts'
import type { Catalog } from '../core/catalog.ts'
import { populationWith } from '../core/engagement/coverage.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { profileOf } from '../core/fleet.ts'
import { tooLarge } from '../core/mapping.ts'
import { quote } from '../core/plain-text.ts'
import { ok } from '../core/result.ts'
import { declaredLocation } from './location/declared.ts'

/** Evaluated by default. The proposed rule and related frameworks are included only on request. */
const USUAL_FRAMEWORKS: readonly string[] = ['hipaa', 'soc2']

/** The declarations of a fleet file, and its location. */
export interface DeclaredFleet {
  readonly fleet: Fleet
  /** Base folder of its paths; null where they are relative to the working folder. */
  readonly path: string | null
  /** Names of the nodes that are collected. */
  readonly nodes: readonly string[]
  /** Requested frameworks; undefined: those of the fleet file, otherwise the defaults and the fleet's own mappings. */
  readonly frameworks: readonly string[] | undefined
}

export interface Declared {
  readonly scope: Scope
  /** The bytes of the provider inventory; null where the engagement names none. */
  readonly inventory: Uint8Array | null
  /** The bytes of the provider's record of machine locations; null where the fleet names none. */
  readonly sites: Uint8Array | null
  /** Address databases; `askDatabases` adds their entries to the scope. */
  readonly databases: readonly OpenAddressDatabase[]
}

/**
 * The scope that a fleet file declares, with the engagement, provider profile and mappings that it names. Fails as
 * their readers do.
 */
export async function declaredScope(
  { declarations }: Pick<Ports, 'declarations'>,
  catalog: Pick<Catalog, 'frameworks'>,
  { fleet, path, nodes, frameworks: asked }: DeclaredFleet,
): Promise<Outcome<Declared>> {
  const mappings: Mapping[] = []
  for (const file of fleet.mappings ?? []) {
    const mapping = await declarations.mapping(file, path)
    if (!mapping.ok) return mapping
    if (mappings.some(({ id }) => id === mapping.value.id))
      return fail('input.refused', `two mappings have the id ${quote(mapping.value.id)}`)
    mappings.push(mapping.value)
  }
  const large = tooLarge(mappings)
  if (large !== null) return fail('input.refused', `the mappings ${large}`)
  const engaged =
    fleet.engagement === undefined ? null : await declarations.engagement(fleet.engagement, path, mappings)
  if (engaged?.ok === false) return engaged
  const provider = fleet.provider === undefined ? null : await declarations.provider(fleet.provider, path)
  if (provider?.ok === false) return provider
  const located = await declaredLocation({ declarations }, fleet, path)
  if (!located.ok) return located
  const own = mappings.map(({ id }) => id)
  const frameworks = chosenFrameworks(catalog, own, asked ?? fleet.frameworks)
  if (!frameworks.ok) return frameworks
  const engagement = engaged?.value.engagement
  return ok({
    scope: {
      fleet: fleet.name,
      population: populationWith(nodes, engagement),
      frameworks: frameworks.value,
      ...profileOf(fleet),
      ...(engagement === undefined ? {} : { engagement, inFleet: [...nodes] }),
      ...(provider === null ? {} : { provider: provider.value }),
      ...(mappings.length === 0 ? {} : { mappings }),
      ...(located.value.location === undefined ? {} : { location: located.value.location }),
    },
    inventory: engaged?.value.inventory ?? null,
    sites: located.value.sites,
    databases: located.value.databases,
  })
}

/**
 * The frameworks in scope, each once. Fails with input.refused for one that is in neither the catalog nor a mapping.
 */
export function chosenFrameworks(
  { frameworks }: Pick<Catalog, 'frameworks'>,
  own: readonly string[],
  asked: readonly string[] | undefined,
): Outcome<Scope['frameworks']> {
  const known = [...frameworks.map(({ id }) => id), ...own]
  const wanted = asked ?? [...USUAL_FRAMEWORKS, ...own]
  const unknown = wanted.find((name) => !known.includes(name))
  return unknown === undefined
    ? ok(known.filter((name) => wanted.includes(name)))
    : fail('input.refused', `frameworks: ${quote(unknown)} is not one of ${known.join(', ')}`)
}

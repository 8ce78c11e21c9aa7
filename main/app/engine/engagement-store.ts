import type { EngagementForm } from '../../../schemas/ipc-engagement.ts'
import type { Engagement, Mapping, ProviderProfile, Scope } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { sha256 } from '../../core/digest.ts'
import { populationWith } from '../../core/engagement/coverage.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { DeclaredEngagement, World } from '../../core/world.ts'
import { isObject, keepEarlier, readKept, writeKept } from './kept-json.ts'
import { shelfPath } from './places.ts'

/** Where declarations about a fleet are kept: a folder of ours, and whether that fleet is the demo fleet, whose words lie apart. */
export interface DeclaredShelf {
  readonly world: World
  readonly folder: string
  readonly demo: boolean
}

/** What a person declared beside the nodes of a fleet. */
export interface OwnDeclared {
  readonly engagement: Engagement | null
  readonly provider: ProviderProfile | null
  /** Frameworks of the customer's own. */
  readonly mappings: readonly Mapping[]
}

const NOTHING: OwnDeclared = { engagement: null, provider: null, mappings: [] }
/** No list of as many rows as an engagement can hold is larger. */
const LARGEST_INVENTORY = 64 * 1024 * 1024

const pathOf = ({ folder, demo }: DeclaredShelf, name: string): string => `${shelfPath(folder, demo)}/${name}`

/** What is declared now. Fails with engagement.unreadable, and then nothing may be written over it. */
export async function declaredOf(shelf: DeclaredShelf): Promise<Outcome<OwnDeclared>> {
  const engagement = await read<Engagement>(shelf, 'engagement')
  if (!engagement.ok) return engagement
  const provider = await read<ProviderProfile>(shelf, 'provider')
  if (!provider.ok) return provider
  const mappings = await readMappings(shelf)
  if (!mappings.ok) return mappings
  return ok({ engagement: engagement.value, provider: provider.value, mappings: mappings.value })
}

/** The same for showing a run: what cannot be read counts as not declared. An export is refused then, see declaredForExport. */
export async function declaredOrNone(shelf: DeclaredShelf): Promise<OwnDeclared> {
  const declared = await declaredOf(shelf)
  return declared.ok ? declared.value : NOTHING
}

/** What is declared of the demo fleet: what comes with it, unless a person changed that before. */
export async function declaredAtFirst(
  shelf: DeclaredShelf,
  made: DeclaredEngagement & { readonly provider: ProviderProfile },
): Promise<OwnDeclared> {
  if (!(await shelf.world.files.isThere(pathOf(shelf, 'engagement.json')))) {
    await keepEngagement(shelf, made)
    await keepProvider(shelf, made.provider)
  }
  return await declaredOrNone(shelf)
}

/** What an export takes: what is declared, and the bytes of the provider's list as they were read. Fails with engagement.unreadable. */
export async function declaredForExport(
  shelf: DeclaredShelf,
): Promise<Outcome<OwnDeclared & Pick<DeclaredEngagement, 'inventory'>>> {
  const declared = await declaredOf(shelf)
  if (!declared.ok) return declared
  const file = declared.value.engagement?.inventory?.file
  if (file === undefined) return ok({ ...declared.value, inventory: null })
  const path = inventoryPath(shelf, file.sha256)
  const bytes = await shelf.world.files.read(path, LARGEST_INVENTORY)
  return bytes.ok && sha256(bytes.value) === file.sha256
    ? ok({ ...declared.value, inventory: bytes.value })
    : fail('engagement.unreadable', `${path} is missing or is not what was imported`)
}

/**
 * A run's scope with what is declared now in the place of what was: the nodes that it was begun with stay, and declared ones join the
 * population. Applied twice it is as applied once.
 */
export function withDeclared(scope: Scope, { engagement, provider, mappings }: OwnDeclared): Scope {
  const { population, enrolled = population, engagement: _, provider: __, mappings: ___, ...rest } = scope
  return {
    ...rest,
    frameworks: [...ownFrameworks(scope), ...mappings.map(({ id }) => id)],
    population: engagement === null ? enrolled : populationWith(enrolled, engagement),
    ...(engagement === null ? {} : { enrolled: [...enrolled], engagement }),
    ...(provider === null ? {} : { provider }),
    ...(mappings.length === 0 ? {} : { mappings: [...mappings] }),
  }
}

/** The frameworks that a run was begun with, without those that its mappings brought. */
export function ownFrameworks({
  frameworks,
  mappings = [],
}: Pick<Scope, 'frameworks' | 'mappings'>): Scope['frameworks'] {
  const brought = new Set(mappings.map(({ id }) => id))
  return frameworks.filter((id) => !brought.has(id))
}

/** Puts an engagement in the place of the one before, of which a copy is kept. What was being filled in is taken away. */
export async function keepEngagement(shelf: DeclaredShelf, declared: DeclaredEngagement): Promise<Outcome<null>> {
  const written = await keepInventory(shelf, declared)
  return written.ok ? await shelf.world.files.remove(pathOf(shelf, DRAFT)) : written
}

/** The same where only the provider's list differs: what is being filled in stays. */
export async function keepInventory(
  shelf: DeclaredShelf,
  { engagement, inventory }: DeclaredEngagement,
): Promise<Outcome<null>> {
  // The bytes first: an engagement never names what is not there.
  const stored =
    engagement.inventory === null || inventory === null
      ? ok(null)
      : await shelf.world.files.write(inventoryPath(shelf, engagement.inventory.file.sha256), inventory)
  return stored.ok ? await replace(shelf, 'engagement', engagement) : stored
}

/** What is being filled in and does not count yet; null where nothing is. */
export async function readDraft(shelf: DeclaredShelf): Promise<Outcome<EngagementForm | null>> {
  return unreadable(await readKept(shelf.world, pathOf(shelf, DRAFT), isForm))
}
export const keepDraft = (shelf: DeclaredShelf, form: EngagementForm): Promise<Outcome<null>> =>
  writeKept(shelf.world, pathOf(shelf, DRAFT), form)

/** The profile whose promises are answered from now on; null for none. A copy of the one before is kept. */
export async function keepProvider(shelf: DeclaredShelf, profile: ProviderProfile | null): Promise<Outcome<null>> {
  if (profile !== null) return await replace(shelf, 'provider', profile)
  const path = pathOf(shelf, 'provider.json')
  const copied = await keepEarlier(shelf.world, path, pathOf(shelf, 'provider-earlier'))
  return copied.ok ? await shelf.world.files.remove(path) : copied
}

/** Keeps the frameworks of the customer's own; a copy of the list before is kept. */
export async function keepMappings(shelf: DeclaredShelf, mappings: readonly Mapping[]): Promise<Outcome<null>> {
  const [problem] = mappings.flatMap((one) => shelf.world.validator.problems('mapping', one))
  if (problem !== undefined) return fail('input.refused', problem)
  const path = pathOf(shelf, MAPPINGS)
  const copied = await keepEarlier(shelf.world, path, pathOf(shelf, 'mappings-earlier'))
  return copied.ok ? await writeKept(shelf.world, path, { mappings }) : copied
}

async function readMappings(shelf: DeclaredShelf): Promise<Outcome<readonly Mapping[]>> {
  const { problems } = shelf.world.validator
  const fits = (value: unknown): value is { readonly mappings: readonly Mapping[] } =>
    isObject(value) &&
    Array.isArray(value.mappings) &&
    value.mappings.every((one: unknown) => problems('mapping', one).length === 0)
  const kept = await readKept(shelf.world, pathOf(shelf, MAPPINGS), fits)
  return unreadable(kept.ok ? ok(kept.value?.mappings ?? []) : kept)
}

const DRAFT = 'engagement-draft.json'
const MAPPINGS = 'mappings.json'
const inventoryPath = (shelf: DeclaredShelf, digest: string): string => pathOf(shelf, `inventories/${digest}`)

async function read<T>(shelf: DeclaredShelf, what: 'engagement' | 'provider'): Promise<Outcome<T | null>> {
  const fits = (value: unknown): value is T => shelf.world.validator.problems(what, value).length === 0
  return unreadable(await readKept(shelf.world, pathOf(shelf, `${what}.json`), fits))
}

async function replace(
  shelf: DeclaredShelf,
  what: 'engagement' | 'provider',
  value: Engagement | ProviderProfile,
): Promise<Outcome<null>> {
  const [problem] = shelf.world.validator.problems(what, value)
  if (problem !== undefined) return fail('input.refused', problem)
  const before = await read(shelf, what)
  if (before.ok && canonicalJson(before.value) === canonicalJson(value)) return ok(null)
  const path = pathOf(shelf, `${what}.json`)
  const copied = await keepEarlier(shelf.world, path, pathOf(shelf, `${what}-earlier`))
  return copied.ok ? await writeKept(shelf.world, path, value) : copied
}

const unreadable = <T>(outcome: Outcome<T>): Outcome<T> =>
  outcome.ok ? outcome : fail('engagement.unreadable', outcome.error.detail)

/** A draft is ours alone: written by us from an input that was checked. Parts that would stop a screen from being drawn are looked at again. */
function isForm(value: unknown): value is EngagementForm {
  if (!isObject(value)) return false
  const {
    framing,
    boundary,
    ephi,
    population,
    responsibilities,
    subserviceOrganizations,
    userEntityControls,
    signOff,
  } = value
  return (
    [framing, boundary, ephi, population].every(isObject) &&
    [responsibilities, subserviceOrganizations, userEntityControls, signOff].every(Array.isArray)
  )
}

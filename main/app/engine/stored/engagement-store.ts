import type { EngagementForm } from '../../../../schemas/ipc-engagement.ts'
import type { Engagement, Mapping, ProviderProfile, Scope } from '../../../../schemas/types.ts'
import type { DeclaredEngagement, Ports } from '../../../core/all-ports.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { type FILES, fileIn, folderIn, inventoryPath, shelfPath } from '../../../core/base/layout.ts'
import { populationWith } from '../../../core/engagement/coverage.ts'
import type { EngineContext } from '../context/context.ts'
import { inTurn, isObject, keepEarlier, readKept, writeKept } from '../context/kept-json.ts'

/** Where declarations about a fleet are stored. Those of the demo fleet are stored separately. */
export interface DeclaredShelf {
  readonly ports: Ports
  readonly folder: string
  readonly demo: boolean
}

/** The declarations of the fleet that is shown now. */
export const shelfShown = ({
  ports,
  folder,
  session: { demo },
}: Pick<EngineContext, 'ports' | 'folder' | 'session'>): DeclaredShelf => ({ ports, folder, demo })

/** Runs changes sequentially, each on the declarations of the fleet that was shown when it was requested. */
export function changesInTurn(context: EngineContext): <T>(change: (shelf: DeclaredShelf) => Promise<T>) => Promise<T> {
  const turn = inTurn()
  return (change) => {
    const shelf = shelfShown(context)
    return turn(() => change(shelf))
  }
}

/** Declarations of a fleet other than its nodes. */
export interface OwnDeclared {
  readonly engagement: Engagement | null
  readonly provider: ProviderProfile | null
  /** Customer-defined frameworks. */
  readonly mappings: readonly Mapping[]
}

const NOTHING: OwnDeclared = { engagement: null, provider: null, mappings: [] }
/** Larger than any list with the maximum number of lines in an engagement. */
const LARGEST_INVENTORY = 64 * 1024 * 1024

const placeOf = ({ folder, demo }: DeclaredShelf): string => shelfPath(folder, demo)
const pathOf = (shelf: DeclaredShelf, file: keyof typeof FILES): string => fileIn(placeOf(shelf), file)

/** The current declarations. Fails with engagement.unreadable; nothing may be written over them then. */
export async function declaredOf(shelf: DeclaredShelf): Promise<Outcome<OwnDeclared>> {
  const engagement = await read<Engagement>(shelf, 'engagement')
  if (!engagement.ok) return engagement
  const provider = await read<ProviderProfile>(shelf, 'provider')
  if (!provider.ok) return provider
  const mappings = await readMappings(shelf)
  if (!mappings.ok) return mappings
  return ok({ engagement: engagement.value, provider: provider.value, mappings: mappings.value })
}

/**
 * The current declarations for showing a run: unreadable ones count as not declared. An export is then refused, see
 * declaredForExport().
 */
export async function declaredOrNone(shelf: DeclaredShelf): Promise<OwnDeclared> {
  const declared = await declaredOf(shelf)
  return declared.ok ? declared.value : NOTHING
}

/** Declarations of the demo fleet: its defaults, unless a person changed them before. */
export async function declaredAtFirst(
  shelf: DeclaredShelf,
  made: DeclaredEngagement & { readonly provider: ProviderProfile },
): Promise<OwnDeclared> {
  if (!(await shelf.ports.files.isThere(pathOf(shelf, 'engagement')))) {
    await keepEngagement(shelf, made)
    await keepProvider(shelf, made.provider)
  }
  return await declaredOrNone(shelf)
}

/** Declarations for an export, and the bytes of the provider inventory as read. Fails with engagement.unreadable. */
export async function declaredForExport(
  shelf: DeclaredShelf,
): Promise<Outcome<OwnDeclared & Pick<DeclaredEngagement, 'inventory'>>> {
  const declared = await declaredOf(shelf)
  if (!declared.ok) return declared
  const file = declared.value.engagement?.inventory?.file
  if (file === undefined) return ok({ ...declared.value, inventory: null })
  const path = inventoryPath(placeOf(shelf), file.sha256)
  const bytes = await shelf.ports.files.read(path, LARGEST_INVENTORY)
  return bytes.ok && sha256(bytes.value) === file.sha256
    ? ok({ ...declared.value, inventory: bytes.value })
    : fail('engagement.unreadable', `${path} is missing or differs from the imported file`)
}

/**
 * Replaces the declarations in a run's scope with the current ones: the nodes that it was started with stay, and
 * declared nodes join the population. Applying it twice gives the same result.
 */
export function withDeclared(scope: Scope, { engagement, provider, mappings }: OwnDeclared): Scope {
  const { population, inFleet = population, engagement: _, provider: __, mappings: ___, ...rest } = scope
  return {
    ...rest,
    frameworks: [...ownFrameworks(scope), ...mappings.map(({ id }) => id)],
    population: engagement === null ? inFleet : populationWith(inFleet, engagement),
    ...(engagement === null ? {} : { inFleet: [...inFleet], engagement }),
    ...(provider === null ? {} : { provider }),
    ...(mappings.length === 0 ? {} : { mappings: [...mappings] }),
  }
}

/** The frameworks that a run was started with, without those from its mappings. */
export function ownFrameworks({
  frameworks,
  mappings = [],
}: Pick<Scope, 'frameworks' | 'mappings'>): Scope['frameworks'] {
  const brought = new Set(mappings.map(({ id }) => id))
  return frameworks.filter((id) => !brought.has(id))
}

/** Replaces the engagement and keeps a copy of the previous one. The draft is removed. */
export async function keepEngagement(shelf: DeclaredShelf, declared: DeclaredEngagement): Promise<Outcome<null>> {
  const written = await keepInventory(shelf, declared)
  return written.ok ? await shelf.ports.files.remove(pathOf(shelf, 'engagementDraft')) : written
}

/** Removes the engagement and keeps a copy of it. The draft is kept, because it was never in use. */
export const dropEngagement = (shelf: DeclaredShelf): Promise<Outcome<null>> => drop(shelf, 'engagement')

/** Replaces the engagement where only the provider inventory changes: the draft is kept. */
export async function keepInventory(
  shelf: DeclaredShelf,
  { engagement, inventory }: DeclaredEngagement,
): Promise<Outcome<null>> {
  // The bytes first: an engagement never names a file that is not there.
  const stored =
    engagement.inventory === null || inventory === null
      ? ok(null)
      : await shelf.ports.files.write(inventoryPath(placeOf(shelf), engagement.inventory.file.sha256), inventory)
  return stored.ok ? await replace(shelf, 'engagement', engagement) : stored
}

/** The draft of an engagement, which is not in use yet; null without one. */
export async function readDraft(shelf: DeclaredShelf): Promise<Outcome<EngagementForm | null>> {
  return unreadable(await readKept(shelf.ports, pathOf(shelf, 'engagementDraft'), isForm))
}

export const keepDraft = (shelf: DeclaredShelf, form: EngagementForm): Promise<Outcome<null>> =>
  writeKept(shelf.ports, pathOf(shelf, 'engagementDraft'), form)

/** The profile whose provider claims are tested from now on; null for none. A copy of the previous one is kept. */
export async function keepProvider(shelf: DeclaredShelf, profile: ProviderProfile | null): Promise<Outcome<null>> {
  return profile === null ? await drop(shelf, 'provider') : await replace(shelf, 'provider', profile)
}

/** Stores the customer-defined frameworks; a copy of the previous list is kept. */
export async function keepMappings(shelf: DeclaredShelf, mappings: readonly Mapping[]): Promise<Outcome<null>> {
  const [problem] = mappings.flatMap((one) => shelf.ports.validator.problems('mapping', one))
  if (problem !== undefined) return fail('input.refused', problem)
  const before = await readMappings(shelf)
  if (before.ok && canonicalJson(before.value) === canonicalJson(mappings)) return ok(null)
  const path = pathOf(shelf, 'mappings')
  const copied = await keepEarlier(shelf.ports, path, folderIn(placeOf(shelf), 'mappingsEarlier'))
  return copied.ok ? await writeKept(shelf.ports, path, { mappings }) : copied
}

async function readMappings(shelf: DeclaredShelf): Promise<Outcome<readonly Mapping[]>> {
  const { problems } = shelf.ports.validator
  const fits = (value: unknown): value is { readonly mappings: readonly Mapping[] } =>
    isObject(value) &&
    Array.isArray(value.mappings) &&
    value.mappings.every((one: unknown) => problems('mapping', one).length === 0)
  const kept = await readKept(shelf.ports, pathOf(shelf, 'mappings'), fits)
  return unreadable(kept.ok ? ok(kept.value?.mappings ?? []) : kept)
}

async function read<T>(shelf: DeclaredShelf, what: 'engagement' | 'provider'): Promise<Outcome<T | null>> {
  const fits = (value: unknown): value is T => shelf.ports.validator.problems(what, value).length === 0
  return unreadable(await readKept(shelf.ports, pathOf(shelf, what), fits))
}

async function replace(
  shelf: DeclaredShelf,
  what: 'engagement' | 'provider',
  value: Engagement | ProviderProfile,
): Promise<Outcome<null>> {
  const [problem] = shelf.ports.validator.problems(what, value)
  if (problem !== undefined) return fail('input.refused', problem)
  const before = await read(shelf, what)
  if (before.ok && canonicalJson(before.value) === canonicalJson(value)) return ok(null)
  const path = pathOf(shelf, what)
  const copied = await keepEarlier(shelf.ports, path, folderIn(placeOf(shelf), `${what}Earlier`))
  return copied.ok ? await writeKept(shelf.ports, path, value) : copied
}

async function drop(shelf: DeclaredShelf, what: 'engagement' | 'provider'): Promise<Outcome<null>> {
  const path = pathOf(shelf, what)
  const copied = await keepEarlier(shelf.ports, path, folderIn(placeOf(shelf), `${what}Earlier`))
  return copied.ok ? await shelf.ports.files.remove(path) : copied
}

const unreadable = <T>(outcome: Outcome<T>): Outcome<T> =>
  outcome.ok ? outcome : fail('engagement.unreadable', outcome.error.detail)

/** A draft comes only from checked input, but the parts that could break a screen are checked again. */
function isForm(value: unknown): value is EngagementForm {
  if (!isObject(value)) return false
  const {
    reportingBasis,
    boundary,
    ephi,
    population,
    responsibilities,
    subserviceOrganizations,
    complementaryUserEntityControls,
    signOff,
  } = value
  return (
    [reportingBasis, boundary, ephi, population].every(isObject) &&
    [responsibilities, subserviceOrganizations, complementaryUserEntityControls, signOff].every(Array.isArray)
  )
}

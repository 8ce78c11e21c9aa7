import type { DeclaredPart, FileProblem, FleetFilePreview, SavedFleet } from '../../../../schemas/ipc-declarations.ts'
import type { FleetView } from '../../../../schemas/ipc-views.ts'
import type {
  Engagement,
  EngagementInFile,
  Fleet,
  InventoryInFile,
  MappingFile,
  ProviderProfile,
} from '../../../../schemas/types.ts'
import type { DeclaredEngagement } from '../../../core/all-ports.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { DECLARED_FILES, declaredFolder, fleetPath } from '../../../core/base/layout.ts'
import { fleetChanges } from '../../../core/fleet/fleet.ts'
import { mappingFileOf } from '../../../core/rules/mapping.ts'
import { declaredScope } from '../../collect/collect-run.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { fileName, turnOf } from '../context/kept-json.ts'
import { collectedNodes } from '../runs/stored-runs.ts'
import { assessAgain } from '../runs/up-to-now.ts'
import {
  type DeclaredShelf,
  declaredForExport,
  declaredOrNone,
  dropEngagement,
  keepEngagement,
  keepMappings,
  keepProvider,
  type OwnDeclared,
  readDraft,
  shelfShown,
} from '../stored/engagement-store.ts'
import { sourceProblems } from './declaration-methods.ts'
import { storedFleet, storeFleet } from './fleet-store.ts'

/** A file that a fleet file names; its path is relative to the folder of the declarations. */
interface Named {
  readonly path: string
  readonly content: Uint8Array | EngagementInFile | ProviderProfile | MappingFile
}

/**
 * Writes a fleet as a file, and next to it the files that it names: engagement, provider inventory, provider profile
 * and custom frameworks. All files are read back as the command line reads them; the fleet file itself is written
 * only where this returns the current declarations. Fails with engagement.unreadable, with input.refused where a
 * declaration cannot be written as a file, and as the files do.
 */
async function saveFleetFile(context: EngineContext, fleet: Fleet, path: string): Promise<Outcome<SavedFleet>> {
  const { ports, catalog } = context
  const shelf = shelfShown(context)
  const declared = await declaredForExport(shelf)
  if (!declared.ok) return declared
  const draft = await readDraft(shelf)
  if (!draft.ok) return draft
  const { engagement, provider, mappings, inventory } = declared.value
  const below = `${fileName(declaredFolder(path))}/`
  const engaged = engagement === null ? ok([]) : engagementFiles(context, engagement, inventory)
  if (!engaged.ok) return engaged
  const own = provider === null || catalog.providers.some(({ id }) => id === provider.id) ? null : provider
  const mapped = mappings.map(
    (mapping): Named => ({ path: `mapping-${mapping.id}.yaml`, content: mappingFileOf(mapping) }),
  )
  const files: readonly Named[] = [
    ...engaged.value,
    ...(own === null ? [] : [{ path: DECLARED_FILES.provider, content: own }]),
    ...mapped,
  ]
  for (const { path: name, content } of files) {
    const bytes = content instanceof Uint8Array ? content : ports.fleets.textOf(content, name)
    const written = await ports.files.write(`${declaredFolder(path)}/${name}`, bytes)
    if (!written.ok) return written
  }
  const { engagement: _, provider: __, mappings: ___, ...nodes } = fleet
  const whole: Fleet = {
    ...nodes,
    ...(engagement === null ? {} : { engagement: `${below}${DECLARED_FILES.engagement}` }),
    ...(provider === null ? {} : { provider: own === null ? provider.id : `${below}${DECLARED_FILES.provider}` }),
    ...(mapped.length === 0 ? {} : { mappings: mapped.map(({ path: name }) => `${below}${name}`) }),
  }
  const problem = await differing(context, whole, path, declared.value)
  if (problem !== null) return fail('input.refused', problem)
  const written = await ports.files.write(path, ports.fleets.textOf(whole, path))
  return written.ok
    ? ok({
        file: fileName(path),
        named: files.map(({ path: name }) => `${below}${name}`),
        withoutDraft: draft.value !== null,
      })
    : written
}

/** The file of the engagement, and the provider inventory that it names. */
function engagementFiles(
  { ports }: EngineContext,
  { inventory, ...engagement }: Engagement,
  bytes: Uint8Array | null,
): Outcome<readonly Named[]> {
  if (inventory === null || bytes === null) return ok([{ path: DECLARED_FILES.engagement, content: { ...engagement } }])
  const { source, kind, file, rows, excluded, owner, on } = inventory
  const columns = ports.declarations.inventoryColumns(bytes, rows)
  if (columns === null)
    return fail(
      'input.refused',
      'the rows of the provider inventory cannot be read from its list; import the list again',
    )
  const list = `inventory/${/[/\\\0]/.test(file.name) ? 'inventory.csv' : file.name}`
  const named: InventoryInFile = { source, kind, file: list, columns, excluded, owner, on }
  return ok([
    { path: DECLARED_FILES.engagement, content: { ...engagement, inventory: named } },
    { path: list, content: bytes },
  ])
}

/** The first declaration that would be read back differently from the files, in words; null where there is none. */
async function differing(
  { ports, catalog }: EngineContext,
  { name, nodes, engagement, provider, mappings }: Fleet,
  path: string,
  own: OwnDeclared,
): Promise<string | null> {
  const part = {
    name,
    nodes,
    ...(engagement === undefined ? {} : { engagement }),
    ...(provider === undefined ? {} : { provider }),
    ...(mappings === undefined ? {} : { mappings }),
  }
  const read = await declaredScope(ports, catalog, {
    fleet: part,
    path,
    nodes: collectedNodes(part),
    frameworks: undefined,
  })
  if (!read.ok) return read.error.detail
  const { scope } = read.value
  const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one ?? null) === canonicalJson(other ?? null)
  return !isSame(scope.engagement, own.engagement)
    ? 'the engagement cannot be written as a file; save it again on its screen'
    : !isSame(scope.provider, own.provider)
      ? 'the provider profile differs from the one in this version of the rules; select it again'
      : !isSame(scope.mappings ?? [], own.mappings)
        ? 'the custom frameworks cannot be written as files; import them again'
        : null
}

/** A usable fleet file, and the declarations in the files that it names. */
interface Opened extends Pick<OwnDeclared, 'provider' | 'mappings'> {
  readonly fleet: Fleet
  readonly engagement: DeclaredEngagement | null
}

/** Previews that were shown and not yet accepted. Discarded when the program ends. */
type Offered = Map<string, Opened>
const MOST_OFFERED = 2

/** The fleet as a file: opened with a preview, and saved. The command line reads and writes the same. */
export function fleetFileMethods(context: EngineContext) {
  const { ports, folder, session } = context
  const offered: Offered = new Map()
  const turn = turnOf(context, 'fleet')
  return methods({
    'fleet.open-choose': async (_, chosen) =>
      chosen === undefined ? ok(null) : await preview(context, offered, chosen.path),
    'fleet.open-accept': ({ handle }) => turn(() => accept(context, offered, handle)),
    'fleet.save-file': async (_, chosen) => {
      if (chosen === undefined) return ok(null)
      const { fleet, demo } = session
      if (fleet === null) return fail('input.not-found', 'there is no fleet')
      if (demo) return fail('input.refused', 'the demo fleet cannot be saved as a file')
      return await saveFleetFile(context, ports.fleets.moved(fleet, fleetPath(folder)), chosen.path)
    },
  })
}

async function preview(context: EngineContext, offered: Offered, path: string): Promise<Outcome<FleetFilePreview>> {
  const { ports } = context
  const before = await storedFleet(context)
  if (!before.ok) return before
  const read = await ports.fleets.inspect(path)
  if (!read.ok) return read
  const { fleet, problems } = read.value
  const about = { file: fileName(path), name: fleet?.name ?? null, nodes: fleet?.nodes.length ?? 0 }
  const refused = (found: readonly FileProblem[]): Outcome<FleetFilePreview> =>
    ok({ ...about, handle: null, problems: found, changes: [], includes: [], removes: [] })
  if (fleet === null) return refused([...problems].sort((one, other) => (one.line ?? 0) - (other.line ?? 0)))
  const unusable = await sourceProblems(context, fleet, path)
  if (unusable.length > 0)
    return refused(unusable.map((one) => ({ line: null, column: null, field: one.path.join('.'), text: one.text })))
  const opened = await named(context, fleet, path)
  if (!opened.ok) return refused([{ line: null, column: null, field: '', text: opened.error.detail }])
  const handle = hexOf(ports.entropy.bytes(16))
  offered.set(handle, opened.value)
  for (const oldest of [...offered.keys()].slice(0, -MOST_OFFERED)) offered.delete(oldest)
  const includes = partsOf({ ...opened.value, engagement: opened.value.engagement?.engagement ?? null })
  const own = partsOf(await declaredOrNone({ ports, folder: context.folder, demo: false }))
  const removes = own.filter((part) => !includes.includes(part))
  const changes = fleetChanges(before.value, opened.value.fleet)
  return ok({ ...about, handle, problems: [], changes, includes, removes })
}

const partsOf = ({ engagement, provider, mappings }: OwnDeclared): readonly DeclaredPart[] => [
  ...(engagement === null ? [] : ['engagement' as const]),
  ...(provider === null ? [] : ['provider' as const]),
  ...(mappings.length === 0 ? [] : ['mappings' as const]),
]

/**
 * The fleet with paths that hold anywhere. Engagement, provider profile and mappings have places of their own in this
 * window, so they are read now, as the command line would read them, and are no part of the stored fleet.
 */
async function named({ ports, catalog }: EngineContext, fleet: Fleet, path: string): Promise<Outcome<Opened>> {
  const declared = await declaredScope(ports, catalog, {
    fleet,
    path,
    nodes: collectedNodes(fleet),
    frameworks: undefined,
  })
  if (!declared.ok) return declared
  const { scope, inventory } = declared.value
  const { engagement: _, provider: __, mappings: ___, ...rest } = ports.fleets.moved(fleet, path)
  const engagement: Engagement | undefined = scope.engagement
  return ok({
    fleet: rest as Fleet,
    engagement: engagement === undefined ? null : { engagement, inventory },
    provider: scope.provider ?? null,
    mappings: scope.mappings ?? [],
  })
}

async function accept(context: EngineContext, offered: Offered, handle: string): Promise<Outcome<FleetView>> {
  const { ports, folder, session } = context
  const opened = offered.get(handle)
  if (opened === undefined) return fail('input.refused', 'this preview is no longer available; open the file again')
  if (session.going !== null) return fail('input.refused', 'a run is in progress')
  const before = await storedFleet(context)
  if (!before.ok) return before
  const shelf: DeclaredShelf = { ports, folder, demo: false }
  const { fleet, engagement, provider, mappings } = opened
  for (const write of [
    () => keepMappings(shelf, mappings),
    () => (engagement === null ? dropEngagement(shelf) : keepEngagement(shelf, engagement)),
    () => keepProvider(shelf, provider),
  ]) {
    const written = await write()
    if (!written.ok) return written
  }
  const stored = await storeFleet(context, before.value, fleet)
  if (!stored.ok) return stored
  offered.delete(handle)
  await assessAgain(context)
  return stored
}

import type { SavedFleet } from '../../../schemas/ipc-declarations.ts'
import type {
  Engagement,
  EngagementInFile,
  Fleet,
  InventoryInFile,
  MappingFile,
  ProviderProfile,
} from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { declaredFolder } from '../../core/layout.ts'
import { mappingFileOf } from '../../core/mapping.ts'
import { declaredScope } from '../collect-run.ts'
import type { EngineContext } from './context.ts'
import { declaredForExport, type OwnDeclared, readDraft } from './engagement-store.ts'
import { fileName } from './kept-json.ts'
import { collectedNodes } from './stored-runs.ts'

/** A file that a fleet file names; its path is relative to the folder of the declarations. */
interface Named {
  readonly path: string
  readonly content: Uint8Array | EngagementInFile | ProviderProfile | MappingFile
}

/**
 * Writes a fleet as a file, and next to it the engagement, its provider inventory, the provider profile and the custom
 * frameworks as the files that it names. Everything is read again as the command line reads it; the fleet file itself
 * is written only where that gives the current declarations. Fails with engagement.unreadable, with input.refused where
 * a declaration cannot be written as a file, and as the files do.
 */
export async function saveFleetFile(context: EngineContext, fleet: Fleet, path: string): Promise<Outcome<SavedFleet>> {
  const { ports, catalog, folder, session } = context
  const shelf = { ports, folder, demo: session.demo }
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
    ...(own === null ? [] : [{ path: PROVIDER, content: own }]),
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
    ...(engagement === null ? {} : { engagement: `${below}${ENGAGEMENT}` }),
    ...(provider === null ? {} : { provider: own === null ? provider.id : `${below}${PROVIDER}` }),
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

const ENGAGEMENT = 'engagement.yaml'
const PROVIDER = 'provider.yaml'

/** The engagement as its file, and the provider inventory that it names. */
function engagementFiles(
  { ports }: EngineContext,
  { inventory, ...engagement }: Engagement,
  bytes: Uint8Array | null,
): Outcome<readonly Named[]> {
  if (inventory === null || bytes === null) return ok([{ path: ENGAGEMENT, content: { ...engagement } }])
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
    { path: ENGAGEMENT, content: { ...engagement, inventory: named } },
    { path: list, content: bytes },
  ])
}

/** Which declaration would not be read back from the files as it is; null where every one is. */
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

import type { DeclaredPart, FileProblem, FleetFilePreview } from '../../../schemas/ipc-declarations.ts'
import type { FleetView } from '../../../schemas/ipc-views.ts'
import type { Engagement, Fleet, Mapping, ProviderProfile } from '../../../schemas/types.ts'
import type { DeclaredEngagement } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { fleetChanges } from '../../core/fleet.ts'
import { fleetPath } from '../../core/layout.ts'
import { declaredScope } from '../collect-run.ts'
import type { EngineContext, Handlers } from './context.ts'
import { sourceProblems } from './declaration-methods.ts'
import {
  type DeclaredShelf,
  declaredOrNone,
  dropEngagement,
  keepEngagement,
  keepMappings,
  keepProvider,
  type OwnDeclared,
} from './engagement-store.ts'
import { saveFleetFile } from './fleet-file-save.ts'
import { storedFleet, storeFleet } from './fleet-store.ts'
import { fileName, hexOf, turnOf } from './kept-json.ts'
import { collectedNodes } from './stored-runs.ts'
import { assessAgain } from './up-to-now.ts'

type Methods = 'fleet.open-choose' | 'fleet.open-accept' | 'fleet.save-file'

/** A fleet file that can be used, and the declarations that it names in files of their own. */
interface Opened {
  readonly fleet: Fleet
  readonly engagement: DeclaredEngagement | null
  readonly provider: ProviderProfile | null
  readonly mappings: readonly Mapping[]
}

/** Previews that were shown and not yet accepted. Discarded when the program ends. */
type Offered = Map<string, Opened>
const MOST_OFFERED = 2

/** The fleet as a file: opened with a preview, and saved. The command line reads and writes the same. */
export function fleetFileMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { ports, folder, session } = context
  const offered: Offered = new Map()
  const turn = turnOf(context, 'fleet')
  return {
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
  }
}

async function preview(context: EngineContext, offered: Offered, path: string): Promise<Outcome<FleetFilePreview>> {
  const { ports } = context
  const before = await storedFleet(context)
  if (!before.ok) return before
  const read = await ports.fleets.inspect(path)
  if (!read.ok) return read
  const { fleet, problems } = read.value
  const refused = (found: readonly FileProblem[]): Outcome<FleetFilePreview> =>
    ok({
      handle: null,
      file: fileName(path),
      name: fleet?.name ?? null,
      nodes: fleet?.nodes.length ?? 0,
      problems: found,
      changes: [],
      includes: [],
      removes: [],
    })
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
  return ok({
    handle,
    file: fileName(path),
    name: fleet.name,
    nodes: fleet.nodes.length,
    problems: [],
    changes: fleetChanges(before.value, opened.value.fleet),
    includes,
    removes: own.filter((part) => !includes.includes(part)),
  })
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

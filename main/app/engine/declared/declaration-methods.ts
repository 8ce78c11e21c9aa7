import type {
  DeclarationsView,
  FieldProblem,
  SectionDraft,
  SectionReply,
} from '../../../../schemas/ipc-declarations.ts'
import type { Fleet } from '../../../../schemas/types.ts'
import { declaredMap } from '../../../catalog/figures/declared-map.ts'
import { placeMap, pointOnMap } from '../../../catalog/figures/fleet-map.ts'
import { regionOfPolicy } from '../../../catalog/location/discs.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fleetPath } from '../../../core/base/layout.ts'
import { type FleetProblem, pathsIn, problemsOfSection, withSection } from '../../../core/fleet/fleet.ts'
import { PROFILE_NAMES } from '../../../core/rules/profile.ts'
import { chosenFrameworks } from '../../collect/collect-run.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { turnOf } from '../context/kept-json.ts'
import { declaredOrNone, shelfShown } from '../stored/engagement-store.ts'
import { type LocationShelf, locationOf } from '../stored/location-store.ts'
import { fleetProblems, storedFleet, storeFleet } from './fleet-store.ts'

/** The declarations of the fleet file, section by section. No method contacts a node. */
export function declarationMethods(context: EngineContext) {
  const { session } = context
  const turn = turnOf(context, 'fleet')
  /** Files that a person chose since the program started: the only ones that may be added to the declarations. */
  const chosenFiles = new Set<string>()
  return methods({
    'declarations.get': async () => ok(session.fleet === null ? null : await viewOf(context, session.fleet)),
    'declarations.set': (draft) =>
      turn(async () => {
        const checked = await sectionChecked(context, draft, chosenFiles)
        if (!checked.ok) return checked
        const { before, fleet, problems } = checked.value
        if (problems.length > 0) return ok<SectionReply>({ saved: false, problems })
        const stored = await storeFleet(context, before, fleet)
        return stored.ok ? ok<SectionReply>({ saved: true, view: await viewOf(context, fleet) }) : stored
      }),
    'declarations.choose-file': async (_, chosen) => {
      if (chosen === undefined) return ok(null)
      chosenFiles.add(chosen.path)
      return ok({ file: chosen.path })
    },
    'declarations.place-map': async ({ view, place }) => ok(placeMap(view, place)),
    'declarations.place-at': async ({ view, x, y }) => ok(pointOnMap(view, x, y)),
  })
}

async function sectionChecked(
  context: EngineContext,
  draft: SectionDraft,
  chosenFiles: ReadonlySet<string>,
): Promise<Outcome<{ readonly before: Fleet; readonly fleet: Fleet; readonly problems: readonly FieldProblem[] }>> {
  const { session } = context
  if (session.demo) return fail('input.refused', 'the demo fleet cannot be changed')
  const stored = await storedFleet(context)
  if (!stored.ok) return stored
  const before = stored.value
  const edited = withSection(before, draft)
  if (!edited.ok) return edited
  const fleet = edited.value
  if (fleet.name !== before.name && session.going !== null)
    return fail('input.refused', 'a run is in progress; change the name of the fleet when it has ended')
  const structure = fleetProblems(context, fleet)
  const problems = structure.length > 0 ? structure : await contentProblems(context, draft, before, fleet, chosenFiles)
  return ok({ before, fleet, problems: problemsOfSection(draft, fleet, problems) })
}

/**
 * Problems that the schema cannot express: files that were not chosen or cannot be read, and ids that the catalog
 * does not contain.
 */
async function contentProblems(
  context: EngineContext,
  draft: SectionDraft,
  before: Fleet,
  fleet: Fleet,
  chosenFiles: ReadonlySet<string>,
): Promise<readonly FleetProblem[]> {
  const known = new Set([...pathsIn(before).map(({ file }) => file), ...chosenFiles])
  const foreign = pathsIn(fleet).filter(({ file }) => !known.has(file))
  if (foreign.length > 0)
    return foreign.map(({ path }) => ({ path, text: 'was not selected; use “Choose file…” to select it' }))
  if (draft.section === 'fleet') return await frameworkProblems(context, fleet)
  if (draft.section === 'residency')
    return (fleet.residency ?? []).flatMap((policy, at): readonly FleetProblem[] => {
      const region = regionOfPolicy(policy)
      if (region.ok) return []
      const member = policy.country !== undefined ? 'country' : policy.region !== undefined ? 'region' : 'polygon'
      return [{ path: ['residency', at, member], text: `cannot be used: ${region.error}` }]
    })
  return draft.section === 'location-sources' ? await sourceProblems(context, fleet) : []
}

async function frameworkProblems(context: EngineContext, fleet: Fleet): Promise<readonly FleetProblem[]> {
  const { mappings } = await declaredOrNone(shelfShown(context))
  const chosen = chosenFrameworks(
    context.catalog,
    mappings.map(({ id }) => id),
    fleet.frameworks,
  )
  return chosen.ok ? [] : [{ path: ['frameworks'], text: chosen.error.detail }]
}

/** Every file of the location sources is read, as a collection will read it. */
export async function sourceProblems(
  { ports: { declarations }, folder }: Pick<EngineContext, 'ports' | 'folder'>,
  { vantages = [], sites, addressDatabases = [] }: Fleet,
  path: string = fleetPath(folder),
): Promise<readonly FleetProblem[]> {
  const problems: FleetProblem[] = []
  const note = (at: FleetProblem['path'], read: Outcome<unknown>): void => {
    if (!read.ok) problems.push({ path: at, text: `cannot be used: ${read.error.detail}` })
  }
  for (const [at, file] of vantages.entries()) note(['vantages', at], await declarations.vantage(file, path))
  if (sites !== undefined) note(['sites', 'file'], await declarations.sites(sites, path))
  for (const [at, database] of addressDatabases.entries())
    note(['addressDatabases', at, 'file'], await declarations.addressDatabase(database, path))
  return problems
}

async function viewOf(context: EngineContext, fleet: Fleet): Promise<DeclarationsView> {
  const { catalog, session } = context
  const shelf = shelfShown(context)
  const { mappings } = await declaredOrNone(shelf)
  return {
    demo: session.demo,
    fleet: session.demo ? await withDemoLocation({ ...shelf, fleet }, fleet) : fleet,
    frameworks: [...catalog.frameworks, ...mappings].map(({ id, title }) => ({ id, title })),
    thresholds: catalog.thresholds.map(({ id, title, unit, values }) => ({
      id,
      title,
      unit,
      values: Object.fromEntries(
        PROFILE_NAMES.map((profile) => {
          const { value, words } = values[profile] ?? values.baseline
          return [profile, words ?? `${value} ${unit}`]
        }),
      ),
    })),
    map: declaredMap(fleet.nodes.flatMap(({ location }) => location ?? [])),
  }
}

/**
 * The location sources of the demo fleet are stored separately from its nodes. Their file has the name under which it
 * was read.
 */
async function withDemoLocation(shelf: LocationShelf, fleet: Fleet): Promise<Fleet> {
  const located = await locationOf(shelf)
  const { residency, sites } = (located.ok ? located.value.location : undefined) ?? {}
  return {
    ...fleet,
    ...(residency === undefined ? {} : { residency }),
    ...(sites === undefined
      ? {}
      : { sites: { file: sites.file.name, source: sites.source, on: sites.on, declaredBy: sites.declaredBy } }),
  }
}

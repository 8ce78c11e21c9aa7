import type { FleetView } from '../../../../schemas/ipc-views.ts'
import type { Fleet } from '../../../../schemas/types.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fleetPath, folderIn } from '../../../core/base/layout.ts'
import type { FleetProblem } from '../../../core/fleet/fleet.ts'
import { fleetView } from '../../evaluate/views.ts'
import type { EngineContext } from '../context/context.ts'
import { keepEarlier } from '../context/kept-json.ts'
import { waysIn } from '../context/shown-keys.ts'
import { latestRunOf } from '../runs/session.ts'

/**
 * The fleet in its file; a fleet without nodes where there is no file. Fails for a file that cannot be parsed, which
 * must not be overwritten.
 */
export async function storedFleet({ ports, folder }: Pick<EngineContext, 'ports' | 'folder'>): Promise<Outcome<Fleet>> {
  const read = await ports.fleets.read(fleetPath(folder))
  if (read.ok) return ok(read.value.fleet)
  return (await ports.files.isThere(fleetPath(folder)))
    ? read
    : ok({ name: 'My servers', nodes: [] as unknown as Fleet['nodes'] })
}

/** Problems that prevent a fleet from being stored here, by field. */
export const fleetProblems = (
  { ports, folder }: Pick<EngineContext, 'ports' | 'folder'>,
  fleet: Fleet,
): readonly FleetProblem[] => ports.fleets.problems(fleet, fleetPath(folder))

/**
 * Checks the fleet, then writes its file completely or not at all. It is the current fleet from then on. A copy of
 * the previous file is kept. Fails with input.refused for the first problem, and as the store does.
 */
export async function storeFleet(
  { ports, catalog, folder, session }: EngineContext,
  before: Fleet,
  fleet: Fleet,
): Promise<Outcome<FleetView>> {
  if (fleet.nodes.length === 0) return fail('input.refused', 'a fleet must have at least one node')
  const [problem] = fleetProblems({ ports, folder }, fleet)
  if (problem !== undefined) return fail('input.refused', `${problem.path.join('.')} ${problem.text}`)
  if (canonicalJson(before) !== canonicalJson(fleet)) {
    const copied = await keepEarlier(ports, fleetPath(folder), folderIn(folder, 'fleetEarlier'))
    if (!copied.ok) return copied
    const written = await ports.files.write(fleetPath(folder), `${JSON.stringify(fleet, null, 2)}\n`)
    if (!written.ok) return written
  }
  if (session.demo || (session.fleet !== null && session.fleet.name !== fleet.name)) {
    // Runs are stored under the name of their fleet.
    if (session.demo) session.keys.clear()
    Object.assign(session, { demo: false, journal: null, run: await latestRunOf(ports, catalog, folder, fleet) })
  }
  // A host key that a node showed does not apply to another machine that has its name now.
  const ways = waysIn(fleet)
  for (const [node, { way }] of session.keys) if (ways.get(node) !== way) session.keys.delete(node)
  session.fleet = fleet
  return ok(fleetView(fleet, false))
}

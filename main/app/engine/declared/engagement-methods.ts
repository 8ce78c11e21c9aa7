import type { CoverageView, EngagementForm, EngagementView } from '../../../../schemas/ipc-engagement.ts'
import type { Assessment, Engagement, Mapping } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { coverageOf, populationWith } from '../../../core/engagement/coverage.ts'
import { lacksIn, namesOf, withRowKeys } from '../../../core/engagement/form.ts'
import { leaveOut, withInventory } from '../../../core/engagement/matching.ts'
import type { Framework } from '../../../core/rules/framework.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { collectedNodes } from '../runs/stored-runs.ts'
import { assessAgain } from '../runs/up-to-now.ts'
import {
  changesInTurn,
  type DeclaredShelf,
  declaredOf,
  declaredOrNone,
  keepDraft,
  keepEngagement,
  keepInventory,
  type OwnDeclared,
  readDraft,
  shelfShown,
} from '../stored/engagement-store.ts'

/** Declarations before an audit, and the population. Every change evaluates the shown run again; no verdict changes. */
export function engagementMethods(context: EngineContext) {
  const { ports, catalog, session } = context
  const turn = changesInTurn(context)
  const frameworksWith = (mappings: readonly Mapping[]): readonly Framework[] => [...catalog.frameworks, ...mappings]
  const lacksWith = (form: EngagementForm, mappings: readonly Mapping[]): EngagementView['lacks'] =>
    lacksIn(form, namesOf(catalog.checks, frameworksWith(mappings)))
  const changed = async (at: DeclaredShelf, written: Outcome<null>): Promise<Outcome<EngagementView>> => {
    if (!written.ok) return written
    await assessAgain(context)
    return await ownView(at)
  }
  const inventoryChanged = async (
    at: DeclaredShelf,
    engagement: Outcome<Engagement>,
    inventory: Uint8Array | null,
  ): Promise<Outcome<EngagementView>> =>
    engagement.ok ? await changed(at, await keepInventory(at, { engagement: engagement.value, inventory })) : engagement
  const ownView = async (at: DeclaredShelf): Promise<Outcome<EngagementView>> => {
    const declared = await declaredOf(at)
    if (!declared.ok) return declared
    const draft = await readDraft(at)
    return draft.ok ? ok(viewOf(declared.value, draft.value)) : draft
  }
  const viewOf = (
    { engagement, mappings }: Pick<OwnDeclared, 'engagement' | 'mappings'>,
    draft: EngagementForm | null,
  ): EngagementView => {
    const form = draft ?? (engagement === null ? null : formOf(engagement))
    return {
      form,
      lacks: form === null ? [] : lacksWith(form, mappings),
      counts: engagement !== null,
      waits: draft !== null,
      inventory: inventoryOf(engagement),
    }
  }
  return methods({
    'engagement.get': async ({ of }) => {
      if (of === 'run') return await ownView(shelfShown(context))
      const stated = statedIn(context)
      if (!stated.ok) return stated
      const { engagement = null, mappings = [] } = stated.value.scope
      return ok({ ...viewOf({ engagement, mappings }, null), lacks: [] })
    },
    'engagement.set': (written) =>
      turn(async (at) => {
        // A file that cannot be read is never overwritten.
        const [before, draft] = [await declaredOf(at), await readDraft(at)]
        if (!before.ok) return before
        if (!draft.ok) return draft
        const { engagement: earlier, mappings } = before.value
        const form = withRowKeys(written, frameworksWith(mappings))
        if (lacksWith(form, mappings).length > 0) return await changed(at, await keepDraft(at, form))
        const inventory = earlier?.inventory ?? null
        const engagement: Engagement = { schema: 'barewitness.engagement/1', ...form, inventory }
        return await changed(at, await keepEngagement(at, { engagement, inventory: null }))
      }),
    'engagement.import-choose': (_, chosen) =>
      turn(async (at) => {
        if (chosen === undefined) return ok(null)
        const { mappings } = await declaredOrNone(at)
        const read = await ports.declarations.engagement(chosen.path, null, mappings)
        return read.ok ? await changed(at, await keepEngagement(at, read.value)) : read
      }),
    'inventory.import-choose': (about, chosen) =>
      turn(async (at) => {
        if (chosen === undefined) return ok(null)
        const before = await declaredOf(at)
        if (!before.ok) return before
        const read = await ports.declarations.inventory(chosen.path)
        if (!read.ok) return read
        const { bytes, ...table } = read.value
        return await inventoryChanged(at, withInventory(before.value.engagement, { ...about, ...table }), bytes)
      }),
    'inventory.leave-out': (row) =>
      turn(async (at) => {
        const before = await declaredOf(at)
        return before.ok ? await inventoryChanged(at, leaveOut(before.value.engagement, row), null) : before
      }),
    'coverage.get': async ({ of }) => {
      if (of === 'pack') {
        const stated = statedIn(context)
        return stated.ok ? ok(coverageIn(stated.value)) : stated
      }
      const declared = await declaredOf(shelfShown(context))
      if (!declared.ok) return declared
      const current = await assessAgain(context)
      if (!current.ok) return current
      return ok(
        session.run === null ? beforeAnyRun(context, declared.value.engagement) : coverageIn(session.run.assessment),
      )
    },
  })
}

const formOf = ({ schema: _, inventory: __, ...form }: Engagement): EngagementForm => form

function inventoryOf(engagement: Engagement | null): EngagementView['inventory'] {
  if (engagement === null || engagement.inventory === null) return null
  const { rows, excluded, ...about } = engagement.inventory
  return { ...about, rows: rows.length, excluded: excluded.length }
}

/** The assessment in the open pack. Fails with input.refused where no pack is open or its assessment cannot be read. */
export function statedIn({ session }: Pick<EngineContext, 'session'>): Outcome<Assessment> {
  if (session.pack === null) return fail('input.refused', 'no pack is open')
  const { assessment } = session.pack
  return assessment === null ? fail('input.refused', 'the pack contains no readable assessment') : ok(assessment)
}

const populationOf = ({ population: { source, owner, on } }: Engagement): CoverageView['population'] => ({
  source,
  owner,
  on,
})

function coverageIn({ scope, reconciliation }: Assessment): CoverageView | null {
  return scope.engagement === undefined || reconciliation === undefined
    ? null
    : { coverage: reconciliation, population: populationOf(scope.engagement), asked: true }
}

/** Before the first run no node is collected; the declared population and the fleet file can already be compared. */
function beforeAnyRun({ session }: EngineContext, engagement: Engagement | null): CoverageView | null {
  if (engagement === null) return null
  const inFleet = session.fleet === null ? [] : collectedNodes(session.fleet)
  const population = populationWith(inFleet, engagement)
  const addresses = new Map(session.fleet?.nodes.map(({ name, address }) => [name, address]))
  const nodes = population.map((node) => {
    const address = addresses.get(node)
    return { node, answered: false, machine: address === undefined ? null : { address, serials: [] } }
  })
  const coverage = coverageOf({ engagement, inFleet, population }, nodes)
  return coverage === undefined ? null : { coverage, population: populationOf(engagement), asked: false }
}

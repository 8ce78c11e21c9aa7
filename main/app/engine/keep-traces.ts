import type { Planned, TracedNode } from '../../../schemas/types.ts'
import { catalogFor } from '../../core/catalog.ts'
import type { Outcome } from '../../core/failure.ts'
import { shelfPath } from '../../core/layout.ts'
import { traceNode, traceOf } from '../../core/trace.ts'
import { keepRun } from '../rebuild-history.ts'
import type { Exported } from '../report-input.ts'
import type { EngineContext } from './context.ts'
import type { RunState } from './run-state.ts'

/** Where the window stores the history of its fleet. That of the demo fleet is stored separately. */
export const historyRoot = ({ folder }: Pick<EngineContext, 'folder'>, demo: boolean): string => shelfPath(folder, demo)

/** Stores the trace of a finished run for later comparison; other calls are answered between two nodes. Nothing is sealed by this. Fails as keepRun() does. */
export async function keepCollected(
  { ports, catalog, folder }: Pick<EngineContext, 'ports' | 'catalog' | 'folder'>,
  { run, scope, recordings, assessment }: RunState,
  { demo, planned }: { readonly demo: boolean; readonly planned: Planned | null },
): Promise<Outcome<null>> {
  const own = catalogFor(catalog, scope)
  const byNode = new Map(recordings.map((loaded) => [loaded.recording.node.name, loaded]))
  const nodes: TracedNode[] = []
  for (const assessed of assessment.nodes) {
    nodes.push(traceNode(own, byNode.get(assessed.node) ?? null, assessed))
    await ports.pause(0)
  }
  const trace = traceOf(catalog, { run, planned, assessment: { ...assessment, demo }, nodes })
  return await keepRun(ports, historyRoot({ folder }, demo), { trace, sealed: null })
}

/**
 * Stores the trace from a sealed pack; `below`: the path of its files from the application folder. Fails as keepRun()
 * does.
 */
export async function keepSealed(
  { ports, folder, session }: EngineContext,
  { trace, tagManifest, signer, files }: Pick<Exported, 'trace' | 'tagManifest' | 'signer' | 'files'>,
  below: string,
): Promise<Outcome<null>> {
  const pack = `${below}/${files[0]?.name ?? ''}`
  const sealed = { tagManifest, signer, pack, at: trace.asOf }
  return await keepRun(ports, historyRoot({ folder }, session.demo), { trace, sealed })
}

import type { NodeAssessment } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { assessNode, compareNodes, conclude, populationOf, termsOf } from '../../../core/conclusion/assess.ts'
import type { LoadedRecording } from '../../../core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../../core/register/register.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import type { Begun, RunState } from './run-state.ts'
import { sharing } from './share-equal.ts'

/** A run in progress: results so far. */
export interface SoFar {
  readonly add: (loaded: LoadedRecording) => void
  readonly recordings: () => readonly LoadedRecording[]
  /** The run as if it ended now; null before the first node. The same value until another node is done. */
  readonly state: () => RunState | null
}

/**
 * Each node is evaluated once, when it is done: with hundreds of nodes, evaluating all of them each time would be too
 * slow.
 */
export function soFarOf(
  ports: Pick<Ports, 'clock' | 'compression'>,
  catalog: Catalog,
  { run, scope, before }: Begun,
): SoFar {
  const recordings = new Map<string, LoadedRecording>()
  const nodes = new Map<string, NodeAssessment>()
  let shown: RunState | null = null
  const share = sharing(ports.compression)
  const take = (collected: LoadedRecording): void => {
    const loaded = share.recording(collected)
    const { name } = loaded.recording.node
    recordings.set(name, loaded)
    nodes.set(name, share.node(assessNode(catalog, name, loaded, termsOf({ ...scope, asOf: ports.clock.now() }))))
  }
  for (const earlier of before?.recordings ?? []) take(earlier)
  return {
    add: (loaded) => {
      take(loaded)
      shown = null
    },
    recordings: () => [...recordings.values()],
    state: () => {
      if (nodes.size === 0) return null
      if (shown !== null) return shown
      const asOf = ports.clock.now()
      const terms = termsOf({ ...scope, asOf })
      const alone = populationOf(scope).map((name) => nodes.get(name) ?? assessNode(catalog, name, null, terms))
      const judged = compareNodes(catalog, alone, asOf)
      const all = [...recordings.values()]
      const demo = all.some(({ recording }) => recording.demo)
      shown = {
        run,
        scope,
        recordings: all,
        assessment: {
          schema: 'barewitness.assessment/1',
          ...conclude(catalog, { scope, asOf, demo, register: EMPTY_REGISTER }, judged),
          nodes: judged,
        },
        unreadable: before?.unreadable.filter(({ node }) => node === undefined || !nodes.has(node)) ?? [],
      }
      return shown
    },
  }
}

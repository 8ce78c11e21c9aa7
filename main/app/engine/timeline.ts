import type { NodeMoment } from '../../../schemas/ipc-results.ts'
import type { ChosenProfile, NodeAssessment } from '../../../schemas/types.ts'
import { assessNode } from '../../core/assess.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { LoadedRecording } from '../../core/recording.ts'

/**
 * Recordings of one node, newest first, as a timeline: each evaluated as of its own end, so that the same recordings
 * always give the same timeline, and compared with the one before it. The last `most` entries. Checks that compare
 * nodes are excluded: one node cannot decide them.
 */
export function timelineOf(
  catalog: Catalog,
  recordings: readonly LoadedRecording[],
  most: number,
  profile: ChosenProfile | undefined,
): readonly NodeMoment[] {
  const comparing = new Set(catalog.checks.flatMap(({ id, amongNodes }) => (amongNodes === undefined ? [] : [id])))
  const judged = recordings.map((loaded) => {
    const { run, node, endedAt } = loaded.recording
    return { run, at: endedAt, assessment: assessNode(catalog, node.name, loaded, { asOf: endedAt, profile }) }
  })
  return judged.slice(0, most).map(({ run, at, assessment }, index) => {
    const before = judged[index + 1]?.assessment
    return {
      run,
      at,
      status: assessment.status,
      changed: before === undefined ? [] : changed(before, assessment, comparing),
    }
  })
}

function changed(before: NodeAssessment, after: NodeAssessment, comparing: ReadonlySet<string>): NodeMoment['changed'] {
  const then = new Map(before.results.map(({ check, verdict }) => [check, verdict]))
  return after.results.flatMap(({ check, verdict }) => {
    const earlier = then.get(check)
    return earlier === undefined || earlier === verdict || comparing.has(check)
      ? []
      : [{ check, before: earlier, after: verdict }]
  })
}

import { plural, quote } from '../../core/base/plain-text.ts'
import { captureKey, isAskedFor } from '../../core/recording/probe.ts'
import type { RecordingOutline } from '../../core/recording/recording.ts'
import { type Catalog, catalogDigest } from '../../core/rules/catalog.ts'
import type { NodeReading } from './entries.ts'

/** Whether a recording states that it is complete and was collected by this catalog, so that its captures can be counted. */
const isCountable = ({ recording }: RecordingOutline, catalog: Catalog): boolean =>
  recording.outcome.status === 'complete' && recording.collector.catalogDigest === catalogDigest(catalog)

/**
 * Contradictions of a recording that states a complete collection: it names no failure, and has an answer to every command of its catalog that was
 * requested. Without a capture, a check was not tested; but the node is then not collected completely.
 */
export function collectionProblems(
  { node, recording: loaded }: Pick<NodeReading, 'node' | 'recording'>,
  catalog: Catalog,
): readonly string[] {
  if (loaded === null || loaded.recording.outcome.status !== 'complete') return []
  const { outcome } = loaded.recording
  const stated = `Node ${quote(node)} is stated as collected completely`
  if (outcome.failure !== null) return [`${stated}, with the failure ${quote(outcome.failure.code)}.`]
  if (!isCountable(loaded, catalog)) return []
  const lacking = unanswered(loaded, catalog)
  const [first] = lacking
  return first === undefined
    ? []
    : [
        `${stated}, but ${plural(lacking.length, 'command')} of its catalog ${lacking.length === 1 ? 'has' : 'have'} no answer, such as ${first}.`,
      ]
}

function unanswered({ recording, captures }: RecordingOutline, { probes }: Catalog): readonly string[] {
  const answered = new Set(
    captures.flatMap(({ meta }) => (meta.status === 'lost' ? [] : [captureKey(meta.probe, meta.command)])),
  )
  return probes
    .filter((probe) => isAskedFor(probe, recording))
    .flatMap(({ id, commands }) =>
      Object.entries(commands).flatMap(([name, { kind }]) => (kind === 'run' ? [captureKey(id, name)] : [])),
    )
    .filter((key) => !answered.has(key))
}

/** A note on complete recordings of another catalog, whose captures are compared with no list of commands; none where there are none. */
export const uncountedNotes = (recordings: number): readonly string[] =>
  recordings === 0
    ? []
    : [
        `${plural(recordings, 'complete recording')} of another catalog than this one: whether every command has an answer was not compared.`,
      ]

/** Whether the note applies to a recording. */
export const isUncounted = (loaded: RecordingOutline | null, catalog: Catalog): boolean =>
  loaded !== null && loaded.recording.outcome.status === 'complete' && !isCountable(loaded, catalog)

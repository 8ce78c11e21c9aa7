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
  const beyond = beyondRights(loaded).map((which) => `Node ${quote(node)}: ${which}.`)
  if (!isCountable(loaded, catalog)) return beyond
  const lacking = unanswered(loaded, catalog)
  const [first] = lacking
  return first === undefined
    ? beyond
    : [
        ...beyond,
        `${stated}, but ${plural(lacking.length, 'command')} of its catalog ${lacking.length === 1 ? 'has' : 'have'} no answer, such as ${first}.`,
      ]
}

/**
 * Captures with rights that the session of a recording did not have. A resumed collection has captures of sessions that the recording does not
 * name, and two captures of some command, since the boot of the node is read again: its captures are not compared.
 */
function beyondRights({ recording: { session }, captures }: RecordingOutline): readonly string[] {
  const keys = new Set(captures.map(({ meta }) => captureKey(meta.probe, meta.command)))
  if (session === null || keys.size < captures.length) return []
  const beyond = captures.filter(({ meta: { privilege } }) => privilege !== 'user' && privilege !== session.privilege)
  const [first] = beyond
  if (first === undefined) return []
  const { probe, command, privilege } = first.meta
  const rights = session.privilege === 'none' ? 'none' : quote(session.privilege)
  return [
    `${plural(beyond.length, 'capture')} with rights that the session did not have (${rights}), such as ${captureKey(probe, command)} with ${quote(privilege)}`,
  ]
}

/** What a recording states that an honest one can state as well, and that a reader should know. */
export function recordingNotes(
  { node, recording: loaded }: Pick<NodeReading, 'node' | 'recording'>,
  run: string | null,
) {
  if (loaded === null) return []
  const { run: own, startedAt, endedAt } = loaded.recording
  return [
    ...(run === null || own === run ? [] : [`The recording of node ${quote(node)} is of another run, ${quote(own)}.`]),
    ...(Date.parse(endedAt) >= Date.parse(startedAt)
      ? []
      : [
          `The recording of node ${quote(node)} ends before it starts (${endedAt}, ${startedAt}): the clock was set back meanwhile, or the times are not those of the collection.`,
        ]),
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

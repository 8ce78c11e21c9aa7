import type { Capture } from '../../schemas/types.ts'
import { nodeFolder } from '../core/pack-files.ts'
import { plain } from '../core/plain-text.ts'
import {
  byProbeAndCommand,
  compare,
  type RecordingOutline,
  recordingDigest,
  replacedByClass,
} from '../core/recording.ts'
import { commandLine } from '../present/report/evidence.ts'

const HEAD = [
  'node',
  'probe',
  'command',
  'command as run',
  'source',
  'privilege',
  'status',
  'exit status',
  'timed out',
  'truncated',
  'output (bytes)',
  'error output (bytes)',
  'output SHA-256',
  'error output SHA-256',
  'started at (UTC)',
  'duration (ms)',
  'masked values',
  'masked, by class',
  'path in pack',
  'recording SHA-256',
] as const

/**
 * Every capture of every recording, one line each: the complete list behind the report's evidence index, with every
 * short code of the report in full. One recording is in memory at a time. Ordered by node, then as in captures.jsonl.
 */
export function* evidenceTable(outlines: readonly RecordingOutline[]): Generator<readonly string[]> {
  const ordered = [...outlines].sort(
    (a, b) =>
      compare(a.recording.node.name, b.recording.node.name) || compare(a.recording.startedAt, b.recording.startedAt),
  )
  yield HEAD
  for (const outline of ordered) yield* rowsOf(outline)
}

function rowsOf(outline: RecordingOutline): readonly (readonly string[])[] {
  const { name } = outline.recording.node
  const folder = nodeFolder(name)
  const digest = recordingDigest(outline)
  return outline.captures
    .map(({ meta }) => meta)
    .sort(byProbeAndCommand)
    .map((capture) => [plain(name), ...answerCells(capture), `${folder}/sha256/${capture.stdout.sha256}`, digest])
}

const answerCells = (capture: Capture): readonly string[] => {
  const { status, exitCode, stdout, stderr } = capture
  return [
    plain(capture.probe),
    plain(capture.command),
    commandLine(capture),
    capture.source,
    capture.privilege,
    status,
    exitCode === null ? '' : String(exitCode),
    status === 'timed-out' ? 'yes' : 'no',
    status === 'truncated' ? 'yes' : 'no',
    String(stdout.size),
    String(stderr.size),
    stdout.sha256,
    stderr.sha256,
    plain(capture.startedAt),
    String(capture.durationMs),
    String(capture.maskedCount ?? 0),
    plain(replacedByClass([capture])),
  ]
}

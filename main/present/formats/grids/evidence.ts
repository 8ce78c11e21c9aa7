import type { Capture } from '../../../../schemas/types.ts'
import { RECORDING } from '../../../core/layout.ts'
import { nodeFolder } from '../../../core/pack-files.ts'
import { byProbeAndCommand, compare, type RecordingOutline } from '../../../core/recording.ts'
import { answerPath } from '../input.ts'
import { columns, type Grid, MOST_LISTED } from './grid.ts'

const COLUMNS = columns({
  node: 24,
  probe: 32,
  command: 20,
  ended: 16,
  bytes: 12,
  'SHA-256': 74,
  'captured at (UTC)': 25,
  'path in the pack': 112,
  'error output bytes': 12,
  'error output SHA-256': 74,
})

const COUNT_COLUMNS = columns({ node: 24, answers: 12, bytes: 16, 'list of captures in the pack': 60 })

/** One row per capture: command, exit status, size, digest and path in the pack. For a large fleet, counts. */
export function evidenceGrid(recordings: readonly RecordingOutline[]): Grid {
  const ordered = [...recordings].sort((a, b) => compare(a.recording.node.name, b.recording.node.name))
  const answers = ordered.reduce((sum, { captures }) => sum + captures.length, 0)
  if (answers > MOST_LISTED) return { columns: COUNT_COLUMNS, rows: ordered.map(countRow) }
  return {
    columns: COLUMNS,
    keys: 2,
    rows: ordered.flatMap(({ recording, captures }) =>
      captures
        .map(({ meta }) => meta)
        .sort(byProbeAndCommand)
        .map((meta) => answerRow(recording.node.name, meta)),
    ),
  }
}

const countRow = ({ recording, captures }: RecordingOutline): readonly (string | number)[] => [
  recording.node.name,
  captures.length,
  captures.reduce((sum, { meta }) => sum + meta.stdout.size + meta.stderr.size, 0),
  `${nodeFolder(recording.node.name)}/${RECORDING.captures}`,
]

const answerRow = (node: string, meta: Capture): readonly (string | number)[] => [
  node,
  meta.probe,
  meta.command,
  meta.status === 'done' ? `exit ${meta.exitCode ?? 'unknown'}` : meta.status,
  meta.stdout.size,
  meta.stdout.sha256,
  meta.startedAt,
  answerPath(node, meta.stdout.sha256),
  meta.stderr.size,
  meta.stderr.sha256,
]

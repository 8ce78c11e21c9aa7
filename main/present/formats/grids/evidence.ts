import { RECORDING } from '../../../core/base/layout.ts'
import { nodeFolder } from '../../../core/pack/pack-files.ts'
import { byProbeAndCommand, compare, type RecordingOutline } from '../../../core/recording/recording.ts'
import { answerPath } from '../input.ts'
import { type Grid, gridOf, MOST_LISTED } from './grid.ts'

/** One row per capture: command, exit status, size, digest and path in the pack. For a large fleet, counts. */
export function evidenceGrid(recordings: readonly RecordingOutline[]): Grid {
  const ordered = [...recordings].sort((a, b) => compare(a.recording.node.name, b.recording.node.name))
  const answers = ordered.reduce((sum, { captures }) => sum + captures.length, 0)
  return answers > MOST_LISTED ? countsGrid(ordered) : capturesGrid(ordered)
}

const countsGrid = (recordings: readonly RecordingOutline[]): Grid =>
  gridOf(recordings, {
    node: [24, ({ recording }) => recording.node.name],
    answers: [12, ({ captures }) => captures.length],
    bytes: [16, ({ captures }) => captures.reduce((sum, { meta }) => sum + meta.stdout.size + meta.stderr.size, 0)],
    'list of captures in the pack': [60, ({ recording }) => `${nodeFolder(recording.node.name)}/${RECORDING.captures}`],
  })

function capturesGrid(recordings: readonly RecordingOutline[]): Grid {
  const rows = recordings.flatMap(({ recording, captures }) =>
    captures
      .map(({ meta }) => meta)
      .sort(byProbeAndCommand)
      .map((meta) => ({ ...meta, node: recording.node.name })),
  )
  return gridOf(
    rows,
    {
      node: [24, ({ node }) => node],
      probe: [32, ({ probe }) => probe],
      command: [20, ({ command }) => command],
      ended: [16, ({ status, exitCode }) => (status === 'done' ? `exit ${exitCode ?? 'unknown'}` : status)],
      bytes: [12, ({ stdout }) => stdout.size],
      'SHA-256': [74, ({ stdout }) => stdout.sha256],
      'captured at (UTC)': [25, ({ startedAt }) => startedAt],
      'path in the pack': [112, ({ node, stdout }) => answerPath(node, stdout.sha256)],
      'error output bytes': [12, ({ stderr }) => stderr.size],
      'error output SHA-256': [74, ({ stderr }) => stderr.sha256],
    },
    2,
  )
}

import type { EvidencePiece } from '../../schemas/ipc-views.ts'
import type { Capture, Recording } from '../../schemas/types.ts'
import { bytes, shellLine, visible, when } from '../text.ts'
import { Copy } from './Copy.tsx'
import { Shape } from './Mark.tsx'

const STATUS: Readonly<Record<Capture['status'], string>> = {
  done: 'answered',
  'timed-out': 'did not finish in time: supports nothing',
  truncated: 'cut at the size limit: supports nothing',
  'not-run': 'not run: needs administrator rights',
  lost: 'the session ended before the answer did',
}

/** Where one answer came from: command, rights, times, host key, digest computed again, and what was read from it. */
export function Inspector({
  piece,
  recording,
}: {
  readonly piece: EvidencePiece
  readonly recording: Recording | null
}) {
  const { capture, stream, digestNow, reading } = piece
  const stored = capture[stream].sha256
  const same = stored === digestNow
  const command = shellLine(capture.argv)
  return (
    <section className="inspector" aria-label="About this answer">
      <h2>About this answer</h2>
      <dl>
        <dt>Status</dt>
        <dd>{STATUS[capture.status]}</dd>
        <dt>Exit</dt>
        <dd>{capture.exitCode ?? 'none'}</dd>
        <dt>Started</dt>
        <dd>
          {when(capture.startedAt)}, took {capture.durationMs} ms
        </dd>
        <dt>Asked</dt>
        <dd>
          {capture.privilege === 'user' ? 'as the login account' : `with administrator rights (${capture.privilege})`}
          {recording === null ? '' : `, login ${recording.node.user}`}
        </dd>
        <dt>Node clock</dt>
        <dd>
          {recording?.clock == null
            ? 'not read'
            : `${recording.clock.offsetSeconds} s from ours, ± ${recording.clock.uncertaintySeconds} s`}
        </dd>
        <dt>Host key</dt>
        <dd className="mono fingerprint">{recording?.hostKey?.fingerprint ?? 'none'}</dd>
        <dt>Key trusted by</dt>
        <dd>{recording?.hostKey == null ? 'nobody' : visible(recording.hostKey.trust.detail)}</dd>
        <dt>Size</dt>
        <dd>{bytes(piece.size)}</dd>
        <dt>SHA-256</dt>
        <dd>
          <span className="mono fingerprint">{stored}</span>
          <span className={`status tone-${same ? 'met' : 'not-met'}`}>
            <Shape mark={same ? 'ring-tick' : 'square-cross'} tone={same ? 'met' : 'not-met'} />
            <span>{same ? 'Computed again: identical' : 'Computed again: different, altered after collection'}</span>
          </span>
          <Copy text={stored} what="the digest" />
        </dd>
        {capture.redactions !== undefined && (
          <>
            <dt>Redacted</dt>
            <dd>{capture.redactions} secrets replaced before storing</dd>
          </>
        )}
        <dt>Run it yourself</dt>
        <dd>
          <span className="mono source">{visible(command)}</span> <Copy text={command} what="the command" />
        </dd>
      </dl>
      <h3>What we read from it</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="reading" tabIndex={0} aria-label="What we read from it">
        {reading.ok ? <pre>{visible(reading.fact)}</pre> : <p>{visible(reading.reason)}</p>}
      </section>
    </section>
  )
}

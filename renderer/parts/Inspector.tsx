import { useState } from 'react'
import type { EvidencePiece } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { Capture, Recording } from '../../schemas/types.ts'
import { useAction } from '../actions.ts'
import type { Answer } from '../bridge.ts'
import { bytes, plural, shellLine, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { FailureNote } from './Ask.tsx'
import { keyOf } from './CaptureList.tsx'
import { Copy } from './Copy.tsx'
import { Shape } from './Mark.tsx'

const STATUS: Readonly<Record<Capture['status'], string>> = {
  done: 'answered',
  'timed-out': 'timed out: not usable as evidence',
  truncated: 'truncated at the size limit: not usable as evidence',
  'not-run': 'not run: requires privileged checks (sudo)',
  'not-asked': 'skipped: sudo exceeded its time limit several times in a row',
  'no-path': 'not run: the path does not exist on this node',
  lost: 'incomplete: the session ended early',
}

export interface InspectorProps {
  readonly capture: Capture
  readonly of: Source
  readonly node: string
  readonly recording: Recording | null
  /** The capture whose digest was computed when it was loaded. */
  readonly answer: Answer<EvidencePiece>
}

/** Origin of one capture: command, privilege, times, host key, and its recomputed digest. */
export function Inspector({ capture, of, node, recording, answer }: InspectorProps) {
  const command = shellLine(capture.argv)
  // The author of a pack controls the command text: no terminal control characters reach the clipboard.
  const mayCopy = visible(command) === command && !/[\n\t]/.test(command)
  return (
    <section className="evidence-inspector" aria-label="Capture details" data-pane tabIndex={-1}>
      <h2>Capture details</h2>
      <dl className="facts">
        <dt>{of === 'run' ? 'Command' : 'Command, as stated in the pack'}</dt>
        <dd>
          {capture.argv.length === 0 ? (
            'Measured from this computer; no command.'
          ) : (
            <>
              <span className="mono source">{visible(command)}</span>{' '}
              {mayCopy && <Copy text={command} what="the command" />}
            </>
          )}
        </dd>
        <dt>Status</dt>
        <dd>{STATUS[capture.status]}</dd>
        <dt>Exit status</dt>
        <dd>{capture.exitCode ?? 'none'}</dd>
        <dt>Started</dt>
        <dd>{when(capture.startedAt)}</dd>
        <dt>Duration</dt>
        <dd>
          {capture.durationMs} ms on the node’s clock
          {capture.heardMs !== undefined && `, ${capture.heardMs} ms on this computer`}
        </dd>
        <dt>Account</dt>
        <dd>
          {recording === null ? 'not recorded' : visible(recording.node.user)}
          {capture.privilege === 'user' ? ', unprivileged' : `, with ${capture.privilege}`}
        </dd>
        <dt>Node clock</dt>
        <dd>
          {recording?.clock == null
            ? 'not read'
            : `offset ${recording.clock.offsetSeconds} s, ± ${recording.clock.uncertaintySeconds} s`}
        </dd>
        <dt>Host key</dt>
        <dd>
          {recording?.hostKey == null ? (
            'none'
          ) : (
            <>
              <span className="mono source">{recording.hostKey.fingerprint}</span>{' '}
              <span className="note">{visible(recording.hostKey.trust.detail)}</span>
            </>
          )}
        </dd>
        {capture.maskedCount !== undefined && (
          <>
            <dt>Masked</dt>
            <dd>
              {plural(capture.maskedCount, 'value')} masked before hashing and storage
              {capture.masked !== undefined &&
                `: ${Object.entries(capture.masked)
                  .map(([kind, count]) => `${visible(kind)} ${count}`)
                  .join(', ')}`}
            </dd>
          </>
        )}
        <dt>Size</dt>
        <dd>
          {bytes(capture.stdout.size)}, standard error {bytes(capture.stderr.size)}
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <span className="mono source">{capture.stdout.sha256}</span>{' '}
          <Copy text={capture.stdout.sha256} what="the digest" />
          {answer.state === 'here' && (
            <Digest key={keyOf(capture)} of={of} node={node} capture={capture} first={answer.value.digestNow} />
          )}
        </dd>
      </dl>
    </section>
  )
}

function Digest({
  of,
  node,
  capture,
  first,
}: Omit<InspectorProps, 'recording' | 'answer'> & { readonly first: string }) {
  const get = useAction('evidence.get')
  const [now, setNow] = useState({ digest: first, times: 1 })
  const again = async (): Promise<void> => {
    const piece = await get.run({ of, node, capture: keyOf(capture), stream: 'stdout', offset: 0 })
    if (piece !== null) setNow({ digest: piece.digestNow, times: now.times + 1 })
  }
  const same = now.digest === capture.stdout.sha256
  const tone = same ? 'satisfied' : 'not-satisfied'
  return (
    <div className="digest-now">
      <p role="status" className={`status tone-${tone}`}>
        <Shape mark={same ? 'ring-tick' : 'square-cross'} tone={tone} />
        <span>
          {same
            ? `Recomputed ${now.times === 1 ? '' : `${now.times} times `}from the stored bytes: identical`
            : 'Recomputed: different. Altered after collection; not usable as evidence.'}
        </span>
      </p>
      <Button small busy={get.busy} onPress={() => void again()}>
        Recompute digest
      </Button>
      {get.error !== null && <FailureNote error={get.error} />}
    </div>
  )
}

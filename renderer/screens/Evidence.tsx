import { useState } from 'react'
import type { EvidenceList, EvidencePiece } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { Capture, Recording } from '../../schemas/types.ts'
import { linesOf } from '../models/output-lines.ts'
import { bytes, clockText, plural, shellLine, visible, when } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { CaptureList, keyOf } from '../parts/CaptureList.tsx'
import { Copy } from '../parts/Copy.tsx'
import { Shape } from '../parts/Mark.tsx'
import { Output } from '../parts/Output.tsx'
import { Page } from '../parts/Page.tsx'
import { PlainRows } from '../parts/TextRows.tsx'
import { useAction } from '../state/actions.ts'
import { type Answer, useAnswer } from '../state/bridge.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Fact } from '../ui/Fact.tsx'
import { EmptyState } from '../ui/Notice.tsx'

interface EvidenceProps {
  readonly of: Source
  readonly node: string
  readonly capture: string | null
}

/** Raw evidence of a node in three panes: the captures, one capture as text, and its origin. */
export function Evidence({ of, node, capture }: EvidenceProps) {
  const list = useAnswer('evidence.list', { of, node })
  return (
    <Ask answer={list}>
      {(evidence) => (
        <Page
          title={`Raw evidence of ${node}`}
          over="Captures, exactly as stored"
          under={
            evidence.recording === null
              ? 'No recording of this node.'
              : `${plural(evidence.captures.length, 'capture')}, collected ${when(evidence.recording.startedAt)}. Control characters are shown by name.`
          }
          actions={<Button onPress={() => go({ screen: 'node', of, node })}>Open node</Button>}
        >
          <Panes of={of} node={node} capture={capture} evidence={evidence} />
        </Page>
      )}
    </Ask>
  )
}

function Panes({ of, node, capture, evidence }: EvidenceProps & { readonly evidence: EvidenceList }) {
  const { captures, recording } = evidence
  const first = captures[0]
  const [chosen, setChosen] = useState(capture ?? (first === undefined ? null : keyOf(first)))
  const current = captures.find((one) => keyOf(one) === chosen)
  if (first === undefined)
    return (
      <EmptyState title="No captures from this node">
        Captures appear here exactly as stored.{' '}
        {recording?.outcome.failure == null
          ? 'Nothing was collected from this node.'
          : `Nothing was collected: ${visible(recording.outcome.failure.detail)}.`}
      </EmptyState>
    )
  return (
    <div className="evidence-panes">
      <CaptureList captures={captures} chosen={chosen} onChoose={setChosen} />
      {current === undefined ? (
        <p className="empty">
          This recording has no capture named <span className="mono">{visible(chosen ?? '')}</span>.
        </p>
      ) : (
        <OneCapture key={keyOf(current)} of={of} node={node} capture={current} evidence={evidence} />
      )}
    </div>
  )
}

function OneCapture({
  of,
  node,
  capture,
  evidence,
}: {
  readonly of: Source
  readonly node: string
  readonly capture: Capture
  readonly evidence: EvidenceList
}) {
  const question = { of, node, capture: keyOf(capture), stream: 'stdout', offset: 0 } as const
  const answer = useAnswer('evidence.get', question)
  return (
    <>
      <section className="evidence-answer" aria-label="Capture" data-pane tabIndex={-1}>
        <Ask answer={answer}>{(piece) => <OneAnswer first={piece} of={of} node={node} />}</Ask>
      </section>
      <Inspector capture={capture} of={of} node={node} recording={evidence.recording} answer={answer} />
    </>
  )
}

interface OneAnswerProps {
  /** The first part of the standard output. */
  readonly first: EvidencePiece
  readonly of: Source
  readonly node: string
}

/** One capture: command, parsed fact, output, and folded standard error. */
function OneAnswer({ first, of, node }: OneAnswerProps) {
  const { capture, reading } = first
  return (
    <>
      <p className="prompt mono">
        {capture.argv.length === 0 ? 'Measured from this computer' : `$ ${visible(shellLine(capture.argv))}`}
      </p>
      <h2>Parsed fact</h2>
      {reading.ok ? (
        <div className="fact">
          <PlainRows label="Parsed fact" lines={linesOf(reading.fact)} />
        </div>
      ) : (
        <p>No fact: {visible(reading.reason)}.</p>
      )}
      <h2>
        Raw output <span className="note">{bytes(first.size)}</span>
      </h2>
      <Pieces first={first} of={of} node={node} />
      {capture.stderr.size > 0 && <Errors of={of} node={node} capture={keyOf(capture)} size={capture.stderr.size} />}
    </>
  )
}

const NO_BYTES = {
  done: 'Empty: no output.',
  'timed-out': 'No output: timed out. Not usable as evidence.',
  truncated: 'No output: truncated at the size limit. Not usable as evidence.',
  'not-run': 'No output: not run, because it requires privileged checks (sudo).',
  'not-asked': 'No output: skipped, because sudo exceeded its time limit several times in a row.',
  'no-path': 'No output: not run, because the path does not exist on this node.',
  lost: 'No output: the session ended early.',
} as const

/** The loaded part of a stream, and the next MiB on request. */
function Pieces({ first, of, node }: OneAnswerProps) {
  const [so, setSo] = useState({ text: first.text, marked: first.marked, next: first.nextOffset })
  const { busy, error, run } = useAction('evidence.get')
  const more = async (offset: number): Promise<void> => {
    const { stream, capture } = first
    const got = await run({ of, node, capture: keyOf(capture), stream, offset })
    if (got === null) return
    const { text, marked, nextOffset } = got
    const before = so.text.split('\n').length - 1
    setSo({ text: so.text + text, marked: [...so.marked, ...marked.map((line) => line + before)], next: nextOffset })
  }
  if (first.size === 0) return <p className="empty">{NO_BYTES[first.capture.status]}</p>
  return (
    <>
      <Output text={so.text} marked={so.marked} />
      {error !== null && <FailureNote error={error} />}
      {so.next !== null && (
        <p>
          Shown up to byte {so.next.toLocaleString('en')} of {first.size.toLocaleString('en')}.{' '}
          <Button small busy={busy} onPress={() => void more(so.next ?? 0)}>
            Show more
          </Button>
        </p>
      )}
    </>
  )
}

function Errors({
  of,
  node,
  capture,
  size,
}: {
  readonly of: Source
  readonly node: string
  readonly capture: string
  readonly size: number
}) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <Disclosure title="Standard error" aside={bytes(size)} onToggle={(open) => setOpened(wasOpened || open)}>
      {wasOpened && <Stderr of={of} node={node} capture={capture} />}
    </Disclosure>
  )
}

function Stderr({ of, node, capture }: { readonly of: Source; readonly node: string; readonly capture: string }) {
  const answer = useAnswer('evidence.get', { of, node, capture, stream: 'stderr', offset: 0 })
  return <Ask answer={answer}>{(piece) => <Pieces first={piece} of={of} node={node} />}</Ask>
}

const STATUS: Readonly<Record<Capture['status'], string>> = {
  done: 'captured',
  'timed-out': 'timed out: not usable as evidence',
  truncated: 'truncated at the size limit: not usable as evidence',
  'not-run': 'not run: requires privileged checks (sudo)',
  'not-asked': 'skipped: sudo exceeded its time limit several times in a row',
  'no-path': 'not run: the path does not exist on this node',
  lost: 'incomplete: the session ended early',
}

interface InspectorProps {
  readonly capture: Capture
  readonly of: Source
  readonly node: string
  readonly recording: Recording | null
  /** The capture whose digest was computed when it was loaded. */
  readonly answer: Answer<EvidencePiece>
}

/** Origin of one capture: command, privilege, times, host key, and its recomputed digest. */
function Inspector({ capture, of, node, recording, answer }: InspectorProps) {
  const command = shellLine(capture.argv)
  // The author of a pack controls the command text: no terminal control characters reach the clipboard.
  const mayCopy = visible(command) === command && !/[\n\t]/.test(command)
  return (
    <section className="evidence-inspector" aria-label="Capture details" data-pane tabIndex={-1}>
      <h2>Capture details</h2>
      <dl className="facts">
        <Fact term={of === 'run' ? 'Command' : 'Command, as stated in the pack'}>
          {capture.argv.length === 0 ? (
            'Measured from this computer; no command.'
          ) : (
            <>
              <span className="mono source">{visible(command)}</span>{' '}
              {mayCopy && <Copy text={command} what="the command" />}
            </>
          )}
        </Fact>
        <Fact term="Status">{STATUS[capture.status]}</Fact>
        <Fact term="Exit status">{capture.exitCode ?? 'none'}</Fact>
        <Fact term="Started">{when(capture.startedAt)}</Fact>
        <Fact term="Duration">
          {capture.durationMs} ms on the node’s clock
          {capture.heardMs !== undefined && `, ${capture.heardMs} ms on this computer`}
        </Fact>
        <Fact term="Account">
          {recording === null ? 'not recorded' : visible(recording.node.user)}
          {capture.privilege === 'user' ? ', unprivileged' : `, with ${capture.privilege}`}
        </Fact>
        <Fact term="Node clock">{clockText(recording)}</Fact>
        <Fact term="Host key">
          {recording?.hostKey == null ? (
            'none'
          ) : (
            <>
              <span className="mono source">{recording.hostKey.fingerprint}</span>{' '}
              <span className="note">{visible(recording.hostKey.trust.detail)}</span>
            </>
          )}
        </Fact>
        {capture.maskedCount !== undefined && (
          <Fact term="Masked">
            {plural(capture.maskedCount, 'value')} masked before hashing and storage
            {capture.masked !== undefined &&
              `: ${Object.entries(capture.masked)
                .map(([kind, count]) => `${visible(kind)} ${count}`)
                .join(', ')}`}
          </Fact>
        )}
        <Fact term="Size">
          {bytes(capture.stdout.size)}, standard error {bytes(capture.stderr.size)}
        </Fact>
        <Fact term="SHA-256">
          <span className="mono source">{capture.stdout.sha256}</span>{' '}
          <Copy text={capture.stdout.sha256} what="the digest" />
          {answer.state === 'here' && (
            <Digest key={keyOf(capture)} of={of} node={node} capture={capture} first={answer.value.digestNow} />
          )}
        </Fact>
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

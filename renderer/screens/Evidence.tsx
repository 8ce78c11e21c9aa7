import { useEffect, useRef, useState } from 'react'
import type { EvidenceList, EvidencePiece, Source } from '../../schemas/ipc-views.ts'
import type { Capture } from '../../schemas/types.ts'
import { call, useAnswer } from '../bridge.ts'
import { Ask } from '../parts/Ask.tsx'
import { FailureNote } from '../parts/Failure.tsx'
import { Inspector } from '../parts/Inspector.tsx'
import { Page } from '../parts/Page.tsx'
import { go } from '../store.ts'
import { bytes, plural, shellLine, visible, when } from '../text.ts'

export interface EvidenceProps {
  readonly of: Source
  readonly node: string
  readonly capture: string | null
}

/** The raw answers of a node in three panes that agree: the captures, one answer as text, and where it came from. */
export function Evidence({ of, node, capture }: EvidenceProps) {
  const list = useAnswer('evidence.list', { of, node })
  return (
    <Ask answer={list}>
      {(evidence) => {
        const chosen = capture ?? firstOf(evidence)
        const started = evidence.recording === null ? '' : ` Collected ${when(evidence.recording.startedAt)}.`
        return (
          <Page
            title={`Evidence of ${node}`}
            over="Raw answers, exactly as stored"
            under={`${plural(evidence.captures.length, 'answer')}.${started} Control characters are shown by name.`}
          >
            {chosen === null ? (
              <p className="empty">This node gave no answers.</p>
            ) : (
              <div className="panes">
                <CaptureList of={of} node={node} captures={evidence.captures} chosen={chosen} />
                <OneCapture key={chosen} of={of} node={node} capture={chosen} evidence={evidence} />
              </div>
            )}
          </Page>
        )
      }}
    </Ask>
  )
}

const keyOf = (capture: Capture): string => `${capture.probe}/${capture.command}`
const firstOf = ({ captures }: EvidenceList): string | null => (captures[0] === undefined ? null : keyOf(captures[0]))

function CaptureList({
  of,
  node,
  captures,
  chosen,
}: {
  readonly of: Source
  readonly node: string
  readonly captures: readonly Capture[]
  readonly chosen: string
}) {
  const current = useRef<HTMLButtonElement>(null)
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <nav className="captures" aria-label="Captures">
      <ul>
        {captures.map((capture) => (
          <li key={keyOf(capture)}>
            <button
              type="button"
              ref={keyOf(capture) === chosen ? current : undefined}
              aria-current={keyOf(capture) === chosen ? 'true' : undefined}
              onClick={() => go({ screen: 'evidence', of, node, capture: keyOf(capture) })}
            >
              <span className="mono">{keyOf(capture)}</span>
              <span className="note">{capture.status === 'done' ? bytes(capture.stdout.size) : capture.status}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function OneCapture({
  of,
  node,
  capture,
  evidence,
}: EvidenceProps & { readonly capture: string; readonly evidence: EvidenceList }) {
  const [stream, setStream] = useState<'stdout' | 'stderr'>('stdout')
  const first = useAnswer('evidence.get', { of, node, capture, stream, offset: 0 })
  return (
    <Ask answer={first}>
      {(piece) => (
        <>
          <section className="raw" aria-label="Answer">
            <p className="prompt mono">$ {visible(shellLine(piece.capture.argv))}</p>
            <fieldset className="tabs" aria-label="Stream">
              {(['stdout', 'stderr'] as const).map((one) => (
                <button key={one} type="button" aria-pressed={one === stream} onClick={() => setStream(one)}>
                  {one === 'stdout' ? 'Output' : 'Errors'} ({bytes(piece.capture[one].size)})
                </button>
              ))}
            </fieldset>
            <Output key={stream} piece={piece} of={of} node={node} />
          </section>
          <Inspector piece={piece} recording={evidence.recording} />
        </>
      )}
    </Ask>
  )
}

/** Output as one text node beside its line numbers. The next MiB comes on request. */
function Output({ piece, of, node }: { readonly piece: EvidencePiece; readonly of: Source; readonly node: string }) {
  const [text, setText] = useState(piece.text)
  const [next, setNext] = useState(piece.nextOffset)
  const [error, setError] = useState<Parameters<typeof FailureNote>[0]['error'] | null>(null)
  const more = async (offset: number): Promise<void> => {
    const capture = keyOf(piece.capture)
    const reply = await call('evidence.get', { of, node, capture, stream: piece.stream, offset })
    if (!reply.ok) return setError(reply.error)
    setText(text + reply.value.text)
    setNext(reply.value.nextOffset)
  }
  const shown = visible(text.endsWith('\n') ? text.slice(0, -1) : text)
  const lines = shown.split('\n').length
  if (piece.size === 0)
    return (
      <p className="empty">
        {piece.capture.status === 'done' ? 'Empty: nothing was written here.' : `No bytes: ${piece.capture.status}.`}
      </p>
    )
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="output" tabIndex={0} aria-label="Text of the answer">
        <pre className="numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_line, index) => index + 1).join('\n')}
        </pre>
        <pre className="text">{shown}</pre>
      </section>
      {error !== null && <FailureNote error={error} />}
      {next !== null && (
        <p>
          Shown up to byte {next} of {piece.size}.{' '}
          <button type="button" onClick={() => void more(next)}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}

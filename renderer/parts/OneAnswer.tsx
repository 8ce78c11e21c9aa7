import { useState } from 'react'
import type { CallFailure } from '../../schemas/ipc.ts'
import type { EvidencePiece } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { call, useAnswer } from '../bridge.ts'
import { linesOf } from '../output-lines.ts'
import { bytes, shellLine, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { keyOf } from './CaptureList.tsx'
import { Output } from './Output.tsx'
import { PlainRows } from './TextRows.tsx'

export interface OneAnswerProps {
  /** The first part of the standard output. */
  readonly first: EvidencePiece
  readonly of: Source
  readonly node: string
}

/** One capture: command, parsed fact, output, and folded standard error. */
export function OneAnswer({ first, of, node }: OneAnswerProps) {
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
  const [error, setError] = useState<CallFailure | null>(null)
  const [busy, setBusy] = useState(false)
  const more = async (offset: number): Promise<void> => {
    setBusy(true)
    setError(null)
    const { stream, capture } = first
    const reply = await call('evidence.get', { of, node, capture: keyOf(capture), stream, offset })
    setBusy(false)
    if (!reply.ok) return setError(reply.error)
    const { text, marked, nextOffset } = reply.value
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

import { useState } from 'react'
import type { EvidenceList } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { Capture } from '../../schemas/types.ts'
import { useAnswer } from '../bridge.ts'
import { Ask } from '../parts/Ask.tsx'
import { CaptureList, keyOf } from '../parts/CaptureList.tsx'
import { Inspector } from '../parts/Inspector.tsx'
import { OneAnswer } from '../parts/OneAnswer.tsx'
import { Page } from '../parts/Page.tsx'
import { go } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

export interface EvidenceProps {
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

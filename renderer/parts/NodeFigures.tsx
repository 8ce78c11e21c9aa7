import type { NodeFigureKind } from '../../schemas/figure.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { useStore } from '../store.ts'
import { FailureNote } from './Ask.tsx'
import { FigureView } from './Figure.tsx'

/** The figures of a node of the given kinds. Nothing without evidence for any. */
export function NodeFigures({
  of,
  node,
  kinds,
  heading = 'Figures',
}: {
  readonly of: Source
  readonly node: string
  readonly kinds: readonly NodeFigureKind[]
  /** For screen readers; null where a heading already exists. */
  readonly heading?: string | null
}) {
  const { runs } = useStore()
  const answer = useAnswer('figures.get', { of, node, kinds }, runs)
  if (answer.state === 'failed') return <FailureNote error={answer.error} />
  if (answer.state === 'waiting') return <p className="waiting">Drawing…</p>
  if (answer.value.length === 0) return null
  return (
    <>
      {heading !== null && <h2 className="said">{heading}</h2>}
      {answer.value.map((figure) => (
        <FigureView key={`${figure.kind} ${figure.title}`} figure={figure} />
      ))}
    </>
  )
}

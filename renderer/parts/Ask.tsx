import type { ReactNode } from 'react'
import type { Answer } from '../bridge.ts'
import { FailureNote } from './Failure.tsx'

/** Shows what came back for a question, or that it is on its way, or why it is not. */
export function Ask<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T>
  readonly children: (value: T) => ReactNode
}) {
  if (answer.state === 'waiting') return <p className="waiting">Reading…</p>
  if (answer.state === 'failed') return <FailureNote error={answer.error} />
  return children(answer.value)
}

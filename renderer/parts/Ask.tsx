import { type ReactNode, useEffect, useState } from 'react'
import type { Answer } from '../bridge.ts'
import { FailureNote } from './Failure.tsx'

/** Nothing is shown for an answer that comes at once; a word for one that takes longer. */
const PATIENCE_MS = 300

/** Shows what came back for a question, or that it is on its way, or why it is not. */
export function Ask<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T>
  readonly children: (value: T) => ReactNode
}) {
  if (answer.state === 'waiting') return <Waiting />
  if (answer.state === 'failed') return <FailureNote error={answer.error} />
  return children(answer.value)
}

function Waiting() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return late ? <p className="waiting">Reading…</p> : <p className="waiting" />
}

import { type ReactNode, useEffect, useState } from 'react'
import type { Answer } from '../bridge.ts'
import { FailureNote } from './Failure.tsx'

/** Delay before a waiting text is shown, so that fast results do not flicker. */
const PATIENCE_MS = 300

/** Shows the result of a call, a waiting text, or the failure. */
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
  return late ? <p className="waiting">Loading…</p> : <p className="waiting" />
}

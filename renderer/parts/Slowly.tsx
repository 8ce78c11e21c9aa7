import { useEffect, useState } from 'react'
import type { Answer } from '../bridge.ts'
import { Progress } from '../ui/Progress.tsx'
import { Ask } from './Ask.tsx'

/** Delay before the activity and the elapsed time are shown. */
const SLOW_MS = 1000

/** Like Ask, for slow calls: shows the activity after a second. */
export function Slowly<T>({
  answer,
  does,
  children,
}: {
  readonly answer: Answer<T>
  /** Activity, such as “Comparing runs”. */
  readonly does: string
  readonly children: (value: T) => React.ReactNode
}) {
  return answer.state === 'waiting' ? <Doing does={does} /> : <Ask answer={answer}>{children}</Ask>
}

function Doing({ does }: { readonly does: string }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((count) => count + 1), SLOW_MS)
    return () => clearInterval(timer)
  }, [])
  return seconds === 0 ? (
    <p className="waiting" />
  ) : (
    <div className="run-head">
      <Progress label={does} value={null} words={`${seconds} s elapsed`} />
    </div>
  )
}

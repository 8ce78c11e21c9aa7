import { useRef } from 'react'
import type { Answer } from './bridge.ts'

/** The last value, while the same question is asked again: what is read does not blink away under its reader. */
export function useKept<T>(answer: Answer<T>, question: string): Answer<T> {
  const kept = useRef<{ readonly question: string; readonly answer: Answer<T> } | null>(null)
  if (answer.state !== 'waiting') kept.current = { question, answer }
  return answer.state === 'waiting' && kept.current?.question === question ? kept.current.answer : answer
}

/** Two answers as one: the first failure, or waiting until both are here. */
export function both<A, B>(a: Answer<A>, b: Answer<B>): Answer<readonly [A, B]> {
  if (a.state === 'failed') return a
  if (b.state === 'failed') return b
  return a.state === 'here' && b.state === 'here' ? { state: 'here', value: [a.value, b.value] } : { state: 'waiting' }
}

import { useRef } from 'react'
import type { Answer } from './bridge.ts'

/** The last value while the same call is repeated, so that the text does not flicker. */
export function useKept<T>(answer: Answer<T>, question: string): Answer<T> {
  const kept = useRef<{ readonly question: string; readonly answer: Answer<T> } | null>(null)
  if (answer.state !== 'waiting') kept.current = { question, answer }
  return answer.state === 'waiting' && kept.current?.question === question ? kept.current.answer : answer
}

/** Two results as one: the first failure, or waiting until both arrived. */
export function both<A, B>(a: Answer<A>, b: Answer<B>): Answer<readonly [A, B]> {
  if (a.state === 'failed') return a
  if (b.state === 'failed') return b
  return a.state === 'here' && b.state === 'here' ? { state: 'here', value: [a.value, b.value] } : { state: 'waiting' }
}

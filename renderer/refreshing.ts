import { useEffect, useState, useSyncExternalStore } from 'react'

/** Parts of the page that show an earlier result while its repetition is waited for. */
const waiting = new Set<symbol>()
const listeners = new Set<() => void>()

const notify = (): void => {
  for (const listener of listeners) listener()
}

/** An earlier result is shown from now on; gives what ends that. */
export function showsEarlier(): () => void {
  const one = Symbol('an earlier result')
  waiting.add(one)
  notify()
  return () => {
    waiting.delete(one)
    notify()
  }
}

export const isEarlierShown = (): boolean => waiting.size > 0

export function onEarlierShown(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shorter repetitions end before anyone could take the earlier result for the current one. */
const SLOW_MS = 1000

/** Whether an earlier result has been on display for a second. */
export function useEarlierShown(): boolean {
  const isShown = useSyncExternalStore(onEarlierShown, isEarlierShown)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (!isShown) return
    const timer = setTimeout(() => setLate(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  return isShown && isLate
}

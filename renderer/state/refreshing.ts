import { useSyncExternalStore } from 'react'
import { useLate } from '../models/measure.ts'

/** Parts of the page that show an earlier result while it is requested again. */
const waiting = new Set<symbol>()
const listeners = new Set<() => void>()

const notify = (): void => {
  for (const listener of listeners) listener()
}

/** Registers that an earlier result is shown. Returns a function that ends this. */
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

/** Shorter repetitions end before the earlier result could be mistaken for the current one. */
const SLOW_MS = 1000

/** Whether an earlier result has been shown for a second. */
export function useEarlierShown(): boolean {
  const isShown = useSyncExternalStore(onEarlierShown, isEarlierShown)
  const isLate = useLate(SLOW_MS, isShown)
  return isShown && isLate
}

import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after a time, or when the signal is aborted. */
export const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)

/** Calls back once when this process is asked to end. Returns a function that stops listening. */
export function whenAskedToEnd(end: () => void): () => void {
  process.once('SIGINT', end).once('SIGTERM', end)
  return () => {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}

/** `own`: this key has a place already, or waits for one. `full`: no more may wait. Null after giving up. */
export type Entered = 'own' | 'full' | Promise<(() => void) | null>

/** Places for what takes much memory and time: one for each key, so many altogether, and so many that wait in the order in which they came. */
export interface WaitingLine {
  /** What releases the place again, once there is one. */
  readonly enter: (key: string) => Entered
  /** Ends the waiting of a key; one that is inside stays there. */
  readonly giveUp: (key: string) => void
  readonly counts: () => { readonly going: number; readonly waiting: number }
}

export function waitingLine(most: number, mostWaiting: number): WaitingLine {
  const inside = new Set<string>()
  /** The one that came first is first. */
  const waiting = new Map<string, (leave: (() => void) | null) => void>()
  const placeOf = (key: string): (() => void) => {
    inside.add(key)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      inside.delete(key)
      const [next] = waiting
      if (next === undefined) return
      waiting.delete(next[0])
      next[1](placeOf(next[0]))
    }
  }
  return {
    enter: (key) => {
      if (inside.has(key) || waiting.has(key)) return 'own'
      if (inside.size < most) return Promise.resolve(placeOf(key))
      if (waiting.size >= mostWaiting) return 'full'
      return new Promise((resolve) => {
        waiting.set(key, resolve)
      })
    },
    giveUp: (key) => {
      const waits = waiting.get(key)
      waiting.delete(key)
      waits?.(null)
    },
    counts: () => ({ going: inside.size, waiting: waiting.size }),
  }
}

/** Counts events of each key in a sliding window of time. */
export interface RateLimit {
  /** Whether one more event is within the limit; a refused one is not counted. */
  readonly take: (key: string, now: number) => boolean
}

/** Keys that are remembered at most; beyond, all is refused until old ones leave the window. */
const MOST_KEYS = 10_000

export function rateLimit(most: number, windowMs: number): RateLimit {
  const seen = new Map<string, number[]>()
  return {
    take: (key, now) => {
      const recent = (seen.get(key) ?? []).filter((at) => now - at < windowMs)
      if (recent.length >= most) return false
      if (!seen.has(key) && seen.size >= MOST_KEYS) {
        for (const [other, times] of seen) if (times.every((at) => now - at >= windowMs)) seen.delete(other)
        if (seen.size >= MOST_KEYS) return false
      }
      seen.set(key, [...recent, now])
      return true
    },
  }
}

/** Counts what is going on at once, for each key and altogether. */
export interface Concurrency {
  /** What releases the place again, or null where there is none. */
  readonly enter: (key: string) => (() => void) | null
  readonly count: () => number
}

export function concurrency(mostPerKey: number, most: number): Concurrency {
  const going = new Map<string, number>()
  let all = 0
  return {
    enter: (key) => {
      const own = going.get(key) ?? 0
      if (own >= mostPerKey || all >= most) return null
      going.set(key, own + 1)
      all += 1
      let released = false
      return () => {
        if (released) return
        released = true
        all -= 1
        const left = (going.get(key) ?? 1) - 1
        if (left === 0) going.delete(key)
        else going.set(key, left)
      }
    },
    count: () => all,
  }
}

/** Counts events of each key in a sliding window of time. */
export interface RateLimit {
  /** Whether one more event is within the limit; a refused one is not counted. */
  readonly take: (key: string, now: number) => boolean
}

/** Maximum number of keys. At the limit, events of new keys are refused until earlier keys leave the window. */
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

/** The key of an address for a limit. For IPv6 it is the /64 network, because one computer may have every address in it. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [first = '', last] = address.replace(/%.*$/, '').split('::')
  const groupsOf = (text = ''): readonly string[] => (text === '' ? [] : text.split(':'))
  const [head, tail] = [groupsOf(first), groupsOf(last)]
  const between = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...between, ...tail].slice(0, 4).join(':')
}

/** Limits concurrent work, for each key and in total. */
export interface Concurrency {
  /** Returns a function that releases the place, or null where no place is free. */
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

/** `own`: the key already has a place or waits for one. `full`: no more may wait. Resolves to null after giveUp(). */
export type Entered = 'own' | 'full' | Promise<(() => void) | null>

/** Places for work that takes much memory and time: one for each key, with a maximum in total and a maximum that waits, in order of arrival. */
export interface WaitingLine {
  /** Resolves to a function that releases the place, once one is free. */
  readonly enter: (key: string) => Entered
  /** Ends the waiting of a key. Work that has begun keeps its place. */
  readonly giveUp: (key: string) => void
  readonly counts: () => { readonly going: number; readonly waiting: number }
}

export function waitingLine(most: number, mostWaiting: number): WaitingLine {
  const inside = new Set<string>()
  /** In order of arrival. */
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

import type { Clock } from '../../main/core/ports/ports.ts'

/** Time that passes only where someone waits for it: minutes of it take milliseconds. */
export interface VirtualTime {
  readonly clock: Clock
  readonly pause: (milliseconds: number) => Promise<void>
  /** Sets the wall clock ahead, or back: the monotonic one does not notice. */
  readonly setWall: (milliseconds: number) => void
  readonly seconds: () => number
  /** Lets time pass until the work is done. */
  readonly until: <T>(work: Promise<T>) => Promise<T>
}

const BEGINNING = Date.parse('2026-11-20T09:12:00.000Z')

export function virtualTime(): VirtualTime {
  let ticks = 0n
  let shift = 0
  let order = 0
  const timers: { readonly at: bigint; readonly order: number; readonly ring: () => void }[] = []
  return {
    clock: {
      now: () => new Date(BEGINNING + Math.floor(Number(ticks) / 1e6) + shift).toISOString(),
      ticks: () => ticks,
    },
    pause: (milliseconds) =>
      new Promise((ring) => timers.push({ at: ticks + BigInt(Math.round(milliseconds * 1e6)), order: order++, ring })),
    setWall: (milliseconds) => {
      shift += milliseconds
    },
    seconds: () => Number(ticks) / 1e9,
    until: async (work) => {
      let done = false
      const end = (): void => {
        done = true
      }
      void work.then(end, end)
      while (!done) {
        await new Promise((resolve) => setImmediate(resolve))
        timers.sort((a, b) => (a.at === b.at ? a.order - b.order : a.at < b.at ? -1 : 1))
        const next = done ? undefined : timers.shift()
        if (next === undefined) continue
        ticks = next.at
        next.ring()
      }
      return await work
    },
  }
}

/** Writes one line of the request log. */
export type Log = (line: Readonly<Record<string, unknown>>) => void

/** Work that is done at once, then on request and periodically, never twice at the same time. */
export interface Repeated {
  /** Requests the work soon, or again after the work in progress. */
  readonly soon: () => void
  /** Begins no further work and waits for work in progress. */
  readonly close: () => Promise<void>
}

interface RepeatedWork {
  /** Resolves to the milliseconds until it is repeated without a request. */
  readonly work: () => Promise<number>
  /** Delay after a request, because a run and its export write many files one after the other. */
  readonly soonMs: number
}

/** Begins at once. `work` must not reject. */
export function repeated({ work, soonMs }: RepeatedWork): Repeated {
  let [isClosed, isAsked] = [false, false]
  let [timer, running]: [NodeJS.Timeout | null, Promise<void> | null] = [null, null]
  const plan = (milliseconds: number): void => {
    if (isClosed) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(start, milliseconds)
  }
  const start = (): void => {
    timer = null
    isAsked = false
    running = work().then((next) => {
      running = null
      plan(isAsked ? soonMs : next)
    })
  }
  start()
  return {
    soon: () => {
      isAsked = true
      if (running === null) plan(soonMs)
    },
    close: async () => {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}

/** Waits that end early when something may have changed. */
export function wakeable() {
  const waiting = new Set<() => void>()
  return {
    /** Ends all waits. */
    wake: (): void => {
      for (const end of waiting) end()
    },
    /** Resolves after this time, or earlier when it is woken or `signal` is aborted. */
    wait: (milliseconds: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          waiting.delete(end)
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const timer = setTimeout(end, milliseconds)
        waiting.add(end)
        signal?.addEventListener('abort', end)
      }),
  }
}

/** Work that is done at once, then whenever asked for and after a time, never twice at the same time. */
export interface Repeated {
  /** Does it soon, or again after the work in progress. */
  readonly soon: () => void
  /** Waits for work in progress. Nothing is begun any more. */
  readonly close: () => Promise<void>
}

interface RepeatedWork {
  /** Resolves to the milliseconds until it is done again without being asked for. */
  readonly work: () => Promise<number>
  /** After what asked for it: a run and its export write many files one after the other. */
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

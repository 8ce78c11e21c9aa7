import type { Failure } from '../../core/base/failure.ts'

/**
 * Maps over all items with limited concurrency; results are in the order of the items. Rejects with the first
 * rejection.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  return results
}

const RETRY_MS = 2000
const MOST_RETRY_MS = 60_000

interface Repeating {
  readonly signal: AbortSignal
  /** Resolves after some time, or at once when `signal` is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Called before each wait. */
  readonly onWait: (failure: Failure) => void
}

/**
 * Repeats a step until it is stopped. After a failure it waits two seconds, twice as long after each further one, and
 * at most a minute.
 */
export async function repeat(step: () => Promise<Failure | null>, { signal, wait, onWait }: Repeating): Promise<void> {
  let retry = RETRY_MS
  while (!signal.aborted) {
    const failure = await step()
    if (failure !== null && !signal.aborted) {
      onWait(failure)
      await wait(retry, signal)
    }
    retry = failure === null ? RETRY_MS : Math.min(retry * 2, MOST_RETRY_MS)
  }
}

/** Work that puts no load on a node, so that other nodes may be started during it. */
export type Aside = <T>(work: () => Promise<T>) => Promise<T>

/** A limit on concurrent work. */
interface Lanes {
  readonly take: () => Promise<void>
  readonly give: () => void
  /**
   * Releases the lane during work that needs none. Afterwards the caller does not wait for a free lane, because
   * little of its work is left.
   */
  readonly aside: Aside
}

export function createLanes(width: number): Lanes {
  let free = width
  const waiting: (() => void)[] = []
  const admit = (): void => {
    for (; free > 0 && waiting.length > 0; free -= 1) waiting.shift()?.()
  }
  const give = (): void => {
    free += 1
    admit()
  }
  return {
    take: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        admit()
      }),
    give,
    aside: async (work) => {
      give()
      try {
        return await work()
      } finally {
        free -= 1
      }
    },
  }
}

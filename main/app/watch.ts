import type { Failure } from '../core/failure.ts'
import type { Clock } from '../core/ports.ts'
import { err, type Result } from '../core/result.ts'

export interface WatchDeps {
  readonly clock: Clock
  readonly pause: (milliseconds: number) => Promise<void>
}

export interface WatchLimits {
  readonly deadlineSeconds: number
  /** Longest silence, after the first output. */
  readonly silenceSeconds: number
  readonly signal: AbortSignal
}

/**
 * Reasons to end a collection early: the deadline, silence, a stop, or a failure that the caller passes. The first one
 * counts.
 */
export interface Watch {
  readonly give: (code: Failure['code'], detail: string) => void
  readonly heard: () => void
  readonly failure: () => Failure | null
  /** Aborted when the collection is ended early. */
  readonly signal: AbortSignal
  /** Whichever is first: the value, or the failure that ends the collection. Rejects only as `work` does. */
  readonly unless: <T>(work: Promise<T>) => Promise<Result<T, Failure>>
  /** The same for our own pauses: their time counts neither towards the deadline nor as silence. */
  readonly rest: <T>(work: Promise<T>) => Promise<Result<T, Failure>>
  readonly stop: () => void
}

const LOOK_MS = 250

export function watchOver({ clock, pause }: WatchDeps, limits: WatchLimits): Watch {
  const ending = new AbortController()
  let started = clock.ticks()
  let resting = false
  let heardAt: bigint | null = null
  let failure: Failure | null = null
  let isOver = false
  const seconds = (since: bigint): number => Number(clock.ticks() - since) / 1e9

  const give: Watch['give'] = (code, detail) => {
    if (isOver || failure !== null) return
    failure = { code, detail }
    ending.abort()
  }
  const cancel = (): void => give('run.cancelled', 'stopped during collection')
  if (limits.signal.aborted) cancel()
  limits.signal.addEventListener('abort', cancel, { once: true })
  const failed = new Promise<Failure>((resolve) => {
    const tell = (): void => resolve(failure ?? { code: 'bug', detail: 'ended without a reason' })
    if (ending.signal.aborted) tell()
    else ending.signal.addEventListener('abort', tell, { once: true })
  })

  const look = async (): Promise<void> => {
    while (!isOver && failure === null) {
      await pause(LOOK_MS)
      if (resting) continue
      if (seconds(started) > limits.deadlineSeconds)
        give('collector.timed-out', `not finished after ${limits.deadlineSeconds} seconds`)
      else if (heardAt !== null && seconds(heardAt) > limits.silenceSeconds)
        give('ssh.timed-out', `no output for ${limits.silenceSeconds} seconds`)
    }
  }
  void look()

  const unless: Watch['unless'] = (work) =>
    Promise.race([failed.then((reason) => err(reason)), work.then((value) => ({ ok: true, value }) as const)])

  return {
    give,
    heard: () => {
      heardAt = clock.ticks()
    },
    failure: () => failure,
    signal: ending.signal,
    unless,
    rest: async (work) => {
      const since = clock.ticks()
      resting = true
      try {
        return await unless(work)
      } finally {
        resting = false
        const rested = clock.ticks() - since
        started += rested
        if (heardAt !== null) heardAt += rested
      }
    },
    stop: () => {
      isOver = true
      limits.signal.removeEventListener('abort', cancel)
    },
  }
}

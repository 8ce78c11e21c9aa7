import type { RunEvent } from '../../core/ports.ts'

/** Round trips before each burst that are not used: they wake up idle components. */
export const ECHO_WARMUP = 3
/**
 * Thirty round trips in six short bursts. Queueing delay varies over seconds; a clock that is set or stops between
 * bursts affects no burst.
 */
export const ECHO_BURSTS = 6
export const ECHO_ROUNDS = 5

/** Default period over which the round trips of a node are spread. */
export const DEFAULT_SPREAD_SECONDS = 60

/** Work that puts no load on a node: other nodes may be started meanwhile. */
export type Aside = <T>(work: () => Promise<T>) => Promise<T>

/** Timing of a measurement. */
export interface Pace {
  /** From the first burst to the last; 0: no pauses. */
  readonly spreadSeconds: number
  /** Called before each wait with the remaining duration of the measurement. */
  readonly onWait?: (secondsLeft: number) => void
  readonly aside?: Aside
}

/** Start of each burst, in seconds after the first. */
export const burstTimes = (spreadSeconds: number): readonly number[] =>
  Array.from({ length: ECHO_BURSTS }, (_, burst) => (spreadSeconds * burst) / (ECHO_BURSTS - 1))

/** How a node is timed in a run, which is informed of each wait. */
export const paceOf = (
  node: string,
  {
    spreadSeconds = DEFAULT_SPREAD_SECONDS,
    aside,
    onEvent,
  }: { readonly spreadSeconds?: number; readonly aside?: Aside; readonly onEvent: (event: RunEvent) => void },
): Pace => ({
  spreadSeconds,
  onWait: (secondsLeft) => onEvent({ kind: 'node-timing', node, secondsLeft }),
  ...(aside === undefined ? {} : { aside }),
})

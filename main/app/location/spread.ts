/** Round trips before each burst that are not used: the first of them wake things up. */
export const ECHO_WARMUP = 3
/** Thirty round trips in six short bursts. Queues waver over seconds; a clock that is set or stops between bursts harms none of them. */
export const ECHO_BURSTS = 6
export const ECHO_ROUNDS = 5

/** Over how long the round trips of a node are spread where a fleet file does not say. */
export const DEFAULT_SPREAD_SECONDS = 60

/** Does work that leaves a node in peace: others may be begun meanwhile. */
export type Aside = <T>(work: () => Promise<T>) => Promise<T>

/** How a measurement takes its time. */
export interface Pace {
  /** From the first burst to the last; 0 is all at once. */
  readonly spreadSeconds: number
  /** Told before each wait how long the measurement still takes. */
  readonly onWait?: (secondsLeft: number) => void
  readonly aside?: Aside
}

/** When each burst begins, in seconds after the first. */
export const burstTimes = (spreadSeconds: number): readonly number[] =>
  Array.from({ length: ECHO_BURSTS }, (_, burst) => (spreadSeconds * burst) / (ECHO_BURSTS - 1))

import type { RunEvent } from '../../core/ports.ts'
import { type Aside, DEFAULT_SPREAD_SECONDS, type Pace } from './spread.ts'

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

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import type { Port } from './engine-process.ts'

/** The heap of a process. */
interface Heap {
  /** In bytes, with what is used no longer and not yet collected. */
  readonly used: () => number
  readonly collect: () => void
}

/** How far the heap grows over what was in use before V8 collects again. Its own choice is several times that. */
const GROWTH_PERCENT = 40

/** The heap of this process, which from now on is collected more often: a large fleet leaves several times of what is kept. */
export function ownHeap(): Heap {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  // The room for new objects stays as small as a collection leaves it: a few answers would make it 16 MiB again.
  setFlagsFromString('--semi-space-growth-factor=1')
  // Makes the function of the new context, and of no other.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: object) => void
  return {
    used: () => process.memoryUsage().heapUsed,
    // Any other collection leaves the pages that it empties with the process.
    collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  }
}

export const IDLE_MS = 1000
/** Less than this is left to V8. */
export const WORTH_BYTES = 32 * 1024 * 1024

/**
 * The same port. Once no message passed for a while, the heap that grew since is collected, since V8 does that only when it allocates again.
 * Never during a run: its round trips are timed in this process. A run that ends and a stored run that is opened leave the most, and messages
 * pass all the time, since a person looks at the results: there, after the next answer, and between the steps of opening.
 */
export function sparing(port: Port, heap: Heap): Port {
  let kept = heap.used()
  let isRunning = false
  let isDue = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const grew = (): boolean => heap.used() - kept >= WORTH_BYTES
  const rest = (): void => {
    if (isRunning || !grew()) return
    heap.collect()
    kept = heap.used()
  }
  const passed = (): void => {
    clearTimeout(timer)
    timer = setTimeout(rest, IDLE_MS)
  }
  return {
    post: (message) => {
      const { event } = message as { readonly event?: EngineEvent }
      const isStepDone = (event?.kind === 'run-opening' || event?.kind === 'run-loading') && event.done === event.total
      if (event?.kind === 'run-started') isRunning = true
      if (event?.kind === 'run-done') isRunning = false
      // What this step kept for the next one is in use no longer once the engine rests: that is a growth as before.
      if (isStepDone && grew()) heap.collect()
      passed()
      port.post(message)
      if (isDue && 'reply' in (message as object)) {
        isDue = false
        setTimeout(rest)
      }
      if (event?.kind === 'run-done' || isStepDone) isDue = true
    },
    onMessage: (listener) =>
      port.onMessage((message) => {
        passed()
        listener(message)
      }),
  }
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import type { Port } from './engine-process.ts'

/** The heap of a process. */
interface Heap {
  /** Size in bytes, including garbage that is not collected yet. */
  readonly used: () => number
  readonly collect: () => void
}

/** Growth of the heap over its live data before V8 collects again. By default V8 allows several times as much. */
const GROWTH_PERCENT = 40

/** The heap of this process. From now on it is collected more often, because a large fleet leaves several times its live data as garbage. */
export function ownHeap(): Heap {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  // The space for new objects stays as small as a collection leaves it: a few answers would enlarge it to 16 MiB again.
  setFlagsFromString('--semi-space-growth-factor=1')
  // Only contexts created from now on have the function.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: object) => void
  return {
    used: () => process.memoryUsage().heapUsed,
    // Other collections do not return empty pages to the system.
    collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  }
}

export const IDLE_MS = 1000
/** Smaller growth is left to V8. */
export const WORTH_BYTES = 32 * 1024 * 1024

/**
 * The same port, which also frees memory. Once no message has passed for a while, a heap that grew is collected, because V8 collects only when it
 * allocates again. Never during a run, whose round trips are timed in this process. The end of a run and the opening of a stored run leave the
 * most garbage, while a person looks at results and messages pass all the time: there, the heap is collected after the next answer, and between
 * the steps of opening.
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
      // `kept` stays as it was: data that this step keeps for the next one is garbage once the engine rests.
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

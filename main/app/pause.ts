/** Pauses work between its steps: `passed` resolves when the gate is open, or when the work is to stop. */
export interface Gate {
  readonly close: () => void
  readonly open: () => void
  readonly isClosed: () => boolean
  readonly passed: () => Promise<void>
}

/** An open gate. Once the signal is aborted it blocks nothing. */
export function openGate(signal: AbortSignal): Gate {
  let closed = false
  let waiting: (() => void)[] = []
  const open = (): void => {
    closed = false
    for (const go of waiting) go()
    waiting = []
  }
  signal.addEventListener('abort', open, { once: true })
  return {
    close: () => {
      closed = !signal.aborted
    },
    open,
    isClosed: () => closed,
    passed: async () => {
      while (closed) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

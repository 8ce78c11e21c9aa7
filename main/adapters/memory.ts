import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives back memory that nothing holds any more. V8 lets its heap grow to several times of what lives in it before it looks, the more so
 * the more memory the computer has; between the parts of a large export most of it is garbage. Where the engine offers no such call,
 * nothing happens but that more memory is held.
 */
export function tidyMemory(): void {
  collect ??= collector()
  collect()
}

let collect: (() => void) | null = null

function collector(): () => void {
  // Electron may hold V8's flags fixed, and then ends on a change of one: not seen to work there.
  if ('electron' in process.versions) return () => undefined
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : null')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (found as () => void) : () => undefined
}

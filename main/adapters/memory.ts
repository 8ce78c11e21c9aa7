import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Less growth since the last collection is not worth another one: it takes longer the more memory is in use. */
const WORTH = 64 * 1024 * 1024

/**
 * Frees memory that is no longer referenced, where enough was taken since the last time. V8 lets its heap grow to several times the size of its live data before it
 * collects, the more so the more memory the computer has; between the stages of a large export most of it is garbage.
 * Where the engine offers no such call, nothing happens except that more memory is used.
 */
export function tidyMemory(): void {
  if (taken() < left + WORTH) return
  collect ??= collector()
  collect()
  left = taken()
}

/** Bytes in use after the last collection. */
let left = 0

function taken(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

let collect: (() => void) | null = null

function collector(): () => void {
  // Electron may freeze V8's flags, and then ends on a change of one: this was not observed to work there.
  if ('electron' in process.versions) return () => undefined
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : null')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (found as () => void) : () => undefined
}

/**
 * Excludes the memory of this process from any core file after a crash: it may contain a key or a passphrase.
 * `/proc/self/coredump_filter` is core(5): without a bit set, no mapping is written, whatever limit or handler the
 * computer has. Processor registers are written all the same (up to 64 bytes of a copy in progress). Where the file
 * does not exist (outside Linux) or cannot be written, nothing happens: core files then depend on the computer.
 */
export function keepOutOfCoreFiles(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0\n')
  } catch {
    return
  }
}

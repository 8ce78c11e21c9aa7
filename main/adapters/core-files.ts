import { writeFileSync } from 'node:fs'

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

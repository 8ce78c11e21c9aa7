import { writeFileSync } from 'node:fs'

/**
 * Leaves the memory of this process out of any core file that a crash makes: it may hold a key or a passphrase. `/proc/self/coredump_filter`
 * is core(5): without a bit set, no mapping is written, whatever limit or handler the computer has. What the processor's registers held at
 * that moment is written all the same (up to 64 bytes of a copy in progress). Where there is no such file (outside Linux), or it cannot be
 * written, nothing happens: core files are then a matter of the computer.
 */
export function keepOutOfCoreFiles(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0\n')
  } catch {
    return
  }
}

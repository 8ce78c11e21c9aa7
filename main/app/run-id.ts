import type { Clock, Entropy } from '../core/ports.ts'

/** A run's name: the UTC minute of its start and four hex digits, such as 20261121t0912z-1f3a. Sorts by time. */
export function newRunId(clock: Clock, entropy: Entropy): string {
  const minute = clock.now().replaceAll(/[-:]/g, '').slice(0, 13).toLowerCase()
  return `${minute}z-${Buffer.from(entropy.bytes(2)).toString('hex')}`
}

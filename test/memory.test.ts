import { expect, test } from 'vitest'
import { tidyMemory } from '../main/adapters/ports.ts'

test('what nothing holds any more is given back', () => {
  let held: Uint8Array | null = new Uint8Array(64 * 1024 * 1024)
  const before = new WeakRef(held)
  held = null
  // A reference that was just made lives until the end of the turn, so the memory of buffers is looked at.
  const { arrayBuffers } = process.memoryUsage()
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    tidyMemory()
    tidyMemory()
    expect(before.deref()).toBeUndefined()
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(arrayBuffers)
  })
})

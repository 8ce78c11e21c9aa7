import { afterEach } from 'vitest'

/** A list of things that a test opened, each as the function that closes it. After each test they are closed, the last first. */
export function closedAfterEach(): (() => Promise<unknown>)[] {
  const open: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  return open
}

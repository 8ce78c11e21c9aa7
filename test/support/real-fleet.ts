import { userInfo } from 'node:os'
import type { Page } from 'playwright-core'
import type { Input, Method, Output } from '../../schemas/ipc.ts'
import type { Sshd } from './sshd.ts'

/** A call through the page's own bridge; throws where the answer is a failure. */
export async function ask<M extends Method>(page: Page, method: M, input: Input<M>): Promise<Output<M>> {
  const reply = await page.evaluate(([name, value]) => window.barewitness.call(name as never, value as never), [
    method,
    input,
  ] as const)
  if (!reply.ok) throw new Error(`${method}: ${reply.error.detail}`)
  return reply.value as Output<M>
}

/** Makes one real server the nodes of the window's fleet, at 127.0.0.1, 127.0.0.2 and so on, with its host key confirmed for each. */
export async function addNodes(
  page: Page,
  { port, clientKey, hostKey }: Sshd,
  names: readonly string[],
): Promise<void> {
  const lines = names.map((name, index) => `${name},127.0.0.${index + 1},${port},${userInfo().username},${clientKey}\n`)
  const text = `name,address,port,user,identityFile\n${lines.join('')}`
  const { handle } = await ask(page, 'fleet.import-text', { kind: 'csv', text })
  await ask(page, 'fleet.accept', { handle })
  await ask(page, 'hostkeys.scan', { nodes: names })
  for (const node of names)
    await ask(page, 'hostkeys.confirm', { node, fingerprint: hostKey.fingerprint, howVerified: 'read from the server' })
}

/** Keeps the moments of runs that the page hears, from now on. */
export const listen = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen = window as unknown as { moments: string[] }
    seen.moments = []
    window.barewitness.onEvent((event) => seen.moments.push(event.kind))
  })

/** Resolves when the page has heard such a moment so many times. */
export const moment = async (page: Page, kind: string, times = 1): Promise<void> => {
  await page.waitForFunction(
    ([name, count]) =>
      (window as unknown as { moments: string[] }).moments.filter((one) => one === name).length >= count,
    [kind, times] as const,
    { timeout: 90_000, polling: 10 },
  )
}

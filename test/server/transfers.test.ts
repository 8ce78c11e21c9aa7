import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createTransfers, type Owner } from '../../main/server/edge/transfers.ts'

const MOST_OFFERED = 64

test('a session that downloads nothing has so many files at most, of which the newest stay, and none of another one is removed', async () => {
  const transfers = await createTransfers(1024)
  onTestFinished(() => transfers.close())
  const of = (session: string): Owner => ({ session, engagement: 'alpha' })
  const offered = async (session: string): Promise<readonly [id: string, path: string]> => {
    const path = await transfers.write('a.csv', 'x')
    return [transfers.offer(of(session), path, 0), path]
  }
  const other = await offered('other')
  const all: (readonly [id: string, path: string])[] = []
  for (let at = 0; at < MOST_OFFERED + 3; at += 1) all.push(await offered('own'))
  const taken = all.map(([id]) => transfers.takeDownload(of('own'), id, 0))
  expect(taken).toEqual(all.map(([, path], at) => (at < 3 ? null : path)))
  for (const [, path] of all.slice(0, 3))
    while (existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(transfers.takeDownload(of('other'), other[0], 0)).toBe(other[1])
})

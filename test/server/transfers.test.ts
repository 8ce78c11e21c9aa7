import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createTransfers, type Owner } from '../../main/server/edge/services/transfers.ts'
import { folderOfTest } from '../support/folders.ts'

const MOST_OFFERED = 64

test('a session that downloads nothing has so many files at most, of which the newest stay, and none of another one is removed', async () => {
  const transfers = createTransfers(folderOfTest('transfers'), 1024, { now: () => 0, everyMs: 60_000 })
  onTestFinished(() => transfers.close())
  const of = (session: string): Owner => ({ session, engagement: 'alpha' })
  const offered = async (session: string): Promise<readonly [id: string, path: string]> => {
    const path = await transfers.write('a.csv', 'x')
    return [transfers.offer(of(session), path, 0), path]
  }
  const other = await offered('other')
  const all: (readonly [id: string, path: string])[] = []
  for (let at = 0; at < MOST_OFFERED + 3; at += 1) all.push(await offered('own'))
  const taken = all.map(([id]) => transfers.takeDownload(of('own'), id, 0)?.path ?? null)
  expect(taken).toEqual(all.map(([, path], at) => (at < 3 ? null : path)))
  for (const [, path] of all.slice(0, 3))
    while (existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(transfers.takeDownload(of('other'), other[0], 0)?.path).toBe(other[1])
})

test('what is not downloaded or used within 15 minutes is removed, also while nothing else happens', async () => {
  let now = 0
  const transfers = createTransfers(folderOfTest('transfers'), 1024, { now: () => now, everyMs: 2 })
  onTestFinished(() => transfers.close())
  const own: Owner = { session: 'own', engagement: 'alpha' }
  const path = await transfers.write('a.csv', 'x')
  transfers.offer(own, path, now)
  const upload = await transfers.receive(own, 'b.csv', Readable.from([Buffer.from('x')]), now)
  expect(upload.ok).toBe(true)
  now = 15 * 60_000 - 1
  await sleep(20)
  expect(existsSync(path)).toBe(true)
  now += 1
  while (existsSync(path)) await sleep(2)
  expect(transfers.takeUpload(own, upload.ok ? upload.value : '', 0)).toBeNull()
})

test('a session has eight uploads at most, also where they arrive at once', async () => {
  const transfers = createTransfers(folderOfTest('transfers'), 1024, { now: () => 0, everyMs: 60_000 })
  onTestFinished(() => transfers.close())
  const received = async (session: string): Promise<number> => {
    const own: Owner = { session, engagement: 'alpha' }
    const body = () => Readable.from([Buffer.from('x')])
    const all = await Promise.all(Array.from({ length: 20 }, () => transfers.receive(own, 'a.csv', body(), 0)))
    return all.filter(({ ok }) => ok).length
  }
  expect(await Promise.all([received('one'), received('two')])).toEqual([8, 8])
  // One that is not completed takes no place afterwards.
  const broken = new Readable({ read: () => broken.destroy(new Error('gone')) })
  const own: Owner = { session: 'three', engagement: 'alpha' }
  expect((await transfers.receive(own, 'a.csv', broken, 0)).ok).toBe(false)
  expect(await received('three')).toBe(8)
})

test('where a file cannot be written, nothing of it stays', async () => {
  const folder = folderOfTest('transfers')
  const transfers = createTransfers(folder, 1024, { now: () => 0, everyMs: 60_000 })
  onTestFinished(() => transfers.close())
  const own: Owner = { session: 'own', engagement: 'alpha' }
  await expect(transfers.offerCopy(own, join(folder, 'missing'), 'a.zip', 0)).rejects.toThrow()
  expect(readdirSync(folder)).toEqual([])
})

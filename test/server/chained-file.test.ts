import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkChained, emptyLog } from '../../main/server/chained-log.ts'
import { LogFailure, openChainedFile } from '../../main/server/edge/services/chained-file.ts'
import { folderOfTests } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'

const folder = folderOfTests('chained-file')
const EMPTY = emptyLog('test')

/** A log on a disk that is full while `fails` names how, and stores half of what is written then. */
async function logOn(name: string) {
  const disk: { fails: 'write' | 'sync' | null } = { fails: null }
  const path = join(folder, name)
  const opener = async (file: string): Promise<FileHandle> => {
    const handle = await open(file, 'a', 0o600)
    const [append, sync] = [handle.appendFile.bind(handle), handle.datasync.bind(handle)]
    handle.appendFile = async (text) => {
      if (disk.fails !== 'write') return await append(text)
      await append(String(text).slice(0, String(text).length / 2))
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    }
    handle.datasync = async () => {
      if (disk.fails === 'sync') throw Object.assign(new Error('not stored'), { code: 'EIO' })
      await sync()
    }
    return handle
  }
  const { log } = must(await openChainedFile<{ readonly entry: number }>(path, EMPTY, opener))
  return { disk, log, text: () => readFile(path, 'utf8') }
}

test('a log continues once a disk that was full has room again', async () => {
  const { disk, log, text } = await logOn('full')
  await log.append({ entry: 1 })
  disk.fails = 'write'
  for (const entry of [2, 3]) await expect(log.append({ entry })).rejects.toThrow(LogFailure)
  disk.fails = null
  expect(await log.isUsable()).toBe(true)
  await log.append({ entry: 4 })
  await log.close()
  const stored = await text()
  expect(checkChained(stored, EMPTY)).toEqual({ intact: true, head: log.head() })
  expect(
    stored
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).entry),
  ).toEqual([1, 4])
})

test('a log whose disk did not confirm what was written is continued by the next start alone', async () => {
  const { disk, log } = await logOn('unconfirmed')
  disk.fails = 'sync'
  await expect(log.append({ entry: 1 })).rejects.toThrow(LogFailure)
  disk.fails = null
  expect(await log.isUsable()).toBe(false)
  await expect(log.append({ entry: 2 })).rejects.toThrow(LogFailure)
  await log.close()
})

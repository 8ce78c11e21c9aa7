import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createFiles } from '../../main/adapters/files.ts'
import { folderOfTest } from '../support/folders.ts'

const files = createFiles()
let folder = ''
beforeEach(() => {
  folder = folderOfTest('append')
})

test('lines are added whole, with several writers at once', async () => {
  const path = join(folder, 'new', 'lines')
  const lines = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(50))
  const outcomes = await Promise.all(lines.map((line) => files.append(path, line)))
  expect(outcomes.every(({ ok }) => ok)).toBe(true)
  expect(readFileSync(path, 'utf8').split('\n').sort()).toEqual(['', ...lines])
  expect(readdirSync(join(folder, 'new'))).toEqual(['lines'])
})
test('a line that was being written is cut, and no other', async () => {
  const path = join(folder, 'lines')
  await files.append(path, 'first')
  appendFileSync(path, 'tor')
  await files.append(path, 'second')
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n')
})
test('what cannot be written is a failure', async () => {
  writeFileSync(join(folder, 'file'), '')
  expect(await files.append(join(folder, 'file', 'lines'), 'x')).toMatchObject({
    ok: false,
    error: { code: 'store.failed' },
  })
})

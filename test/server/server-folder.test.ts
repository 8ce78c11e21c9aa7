import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newServerFolder } from '../../main/adapters/server-folder.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { folderOfTest } from '../support/folders.ts'

/** The number of a process that has ended. */
const ended = (): number => spawnSync('true').pid

/** The folder of a server with evidence in it, and the lock of a process. */
function left(base: string, name: string, lock: string | null): string {
  const folder = join(base, name)
  mkdirSync(join(folder, 'f0'), { recursive: true })
  writeFileSync(join(folder, 'f0', 'report.pdf'), 'evidence')
  if (lock !== null) writeFileSync(join(folder, lock), '')
  return folder
}

const lockOf = (pid: number, host = hostname()): string =>
  `lock.${sha256(host).slice(0, 8)}.${pid}.12345-abcdef01.${'0'.repeat(16)}`

test('the folder of a server that was killed is removed by the next start, and no other', async () => {
  const base = folderOfTest('server-folder')
  left(base, 'barewitness-team-killed', lockOf(ended()))
  left(base, 'barewitness-team-starts', null)
  left(base, 'barewitness-team-remote', lockOf(ended(), 'another computer'))
  const elsewhere = left(base, 'kept', lockOf(ended()))
  symlinkSync(elsewhere, join(base, 'barewitness-team-link'))
  const running = await newServerFolder(base)
  const own = await newServerFolder(base)
  const names = ['barewitness-team-link', 'barewitness-team-remote', 'barewitness-team-starts', 'kept']
  expect(readdirSync(base).sort()).toEqual(
    [...names, ...[own, running].map((path) => path.slice(base.length + 1))].sort(),
  )
  expect(readdirSync(elsewhere)).toContain('f0')
})

test('without a place for it, there is no folder', async () => {
  await expect(newServerFolder(join(folderOfTest('server-folder'), 'missing'))).rejects.toThrow(/ENOENT/)
})

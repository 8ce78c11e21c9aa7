import { spawnSync } from 'node:child_process'
import fs, { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'
import { onTestFinished } from 'vitest'

/** For the rest of a test, files have one name only, as on FAT. */
export function withoutLinks(): void {
  const { promises } = fs
  const { link } = promises
  promises.link = async (_, to) => {
    const code = existsSync(String(to)) ? 'EEXIST' : 'EPERM'
    throw Object.assign(new Error(code), { code })
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    promises.link = link
    syncBuiltinESMExports()
  })
}

/** The number of a process that has ended. */
const ENDED = spawnSync(process.execPath, ['--version']).pid

/** Leaves what a process leaves that is killed between reserving a name and giving it to its archive, whose path is returned. */
export function leaveReserved(to: string, by: number = ENDED): string {
  const part = `${to}.0123abcd.part-${by}`
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(part, 'the archive', { mode: 0o600 })
  writeFileSync(to, '', { mode: 0o600 })
  return part
}

import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '../core/base/digest.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { plain } from '../core/base/plain-text.ts'
import { isCode } from './store/durable.ts'

export interface FolderLock {
  readonly release: () => Promise<void>
}

const LOCK = /^lock\.([0-9a-f]{8})\.(\d{1,10})\.([0-9a-f-]{1,40})\.[0-9a-f]{16}$/

/** Whether a file of this name is the lock of a process. */
export const isLock = (name: string): boolean => LOCK.test(name)

/**
 * Locks a folder against other processes, and against other callers in this one. Each caller first creates a file under
 * a unique name that identifies it, and only then looks for others: of two at once, at least one sees the other and
 * yields. The file of a process that has ended may be removed by any caller, since no name is ever reused. Waits
 * `patience` milliseconds, then fails with store.failed.
 */
export async function lockFolder(folder: string, patience: number): Promise<Outcome<FolderLock>> {
  const host = sha256(hostname()).slice(0, 8)
  const start = (await startOf(process.pid)) ?? '0'
  const name = `lock.${host}.${process.pid}.${start}.${randomBytes(8).toString('hex')}`
  const path = join(folder, name)
  const release = (): Promise<void> => rm(path, { force: true })
  for (const until = Date.now() + patience; ; await sleep(20 + Math.random() * 60)) {
    let holder = await otherHolder(folder, name, host)
    if (holder === null) {
      await (await open(path, 'wx', 0o600)).close()
      holder = await otherHolder(folder, name, host)
      if (holder === null) return ok({ release })
      await release()
    }
    if (Date.now() >= until)
      return fail('store.failed', plain(`another process is writing to this folder: ${join(folder, holder)}`, 600))
  }
}

/**
 * Another caller's lock, or null. Whether a process of another computer still runs is unknown here: it counts as
 * running.
 */
async function otherHolder(folder: string, own: string, host: string): Promise<string | null> {
  for (const name of await readdir(folder)) {
    const [, where, pid, start = ''] = LOCK.exec(name) ?? []
    if (name === own || where === undefined) continue
    if (where !== host || (await isRunning(Number(pid), start))) return name
    await rm(join(folder, name), { force: true })
  }
  return null
}

/** Whether this very process still runs, not a later one with the same number. If unknown, it counts as running. */
async function isRunning(pid: number, start: string): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (problem) {
    if (isCode(problem, 'ESRCH')) return false
  }
  const now = await startOf(pid)
  return now === null || now === start
}

/**
 * A text that distinguishes a process from an earlier one of the same number: on Linux, its start and that of the
 * system. The same for all processes on other systems. Null when it cannot be read.
 */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return '0'
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1')
    // The second field is a name in parentheses with arbitrary content; state and start time are the 3rd and the 22nd
    // (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? '' : `${fields[19]}-${sha256(boot).slice(0, 8)}`
  } catch {
    return null
  }
}

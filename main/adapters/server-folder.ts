import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLock, lockFolder } from './folder-lock.ts'

const PREFIX = 'barewitness-team-'

/**
 * Creates the temporary folder of a team server, which other accounts cannot read, and removes those of servers that were killed: they can
 * have copies of evidence. A folder is removed only where this account owns it and a process of this computer that has ended had locked it.
 */
export async function newServerFolder(base = tmpdir()): Promise<string> {
  for (const name of await readdir(base).catch(() => []))
    if (name.startsWith(PREFIX)) await removeAbandoned(join(base, name))
  const folder = await mkdtemp(join(base, PREFIX))
  // Without a lock, which fails on a full disk, the folder is used, and never removed by another server.
  await lockFolder(folder, 0).catch(() => undefined)
  return folder
}

async function removeAbandoned(folder: string): Promise<void> {
  try {
    const found = await lstat(folder)
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return
    // One without a lock can be that of a server that is starting.
    if (!(await readdir(folder)).some(isLock)) return
    const lock = await lockFolder(folder, 0)
    if (lock.ok) await rm(folder, { recursive: true, force: true })
  } catch {
    // It stays; the next start tries again.
  }
}

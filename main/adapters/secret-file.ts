import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { fail, type Outcome, ok } from '../core/base/failure.ts'

// A separate file, because every command may read a passphrase and start-up waits for its imports.

/**
 * The first line of a file that only its owner can read; `holds` names its purpose. Checks the opened file and not its
 * name, so that it cannot be replaced in between. Fails with input.not-found or input.refused.
 */
export function ownersFile(file: string, holds: string): Outcome<string> {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch {
    return fail('input.not-found', file)
  }
  try {
    const stats = fstatSync(fd)
    if (stats.isDirectory()) return fail('input.refused', `${file} is a folder; name a file that contains the ${holds}`)
    const { mode, uid } = stats
    if (process.getuid !== undefined && uid !== 0 && uid !== process.getuid())
      return fail('input.refused', `${file} belongs to another user`)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      return fail('input.refused', `${file} can be read by others; run: chmod 600 ${file}`)
    return firstLineOf(fd, file)
  } finally {
    closeSync(fd)
  }
}

/** The first line of an open file. Fails with input.refused; `what` names it. */
export function firstLineOf(fd: number, what: string): Outcome<string> {
  try {
    return ok(readFileSync(fd, 'utf8').split(/\r?\n/, 1)[0] ?? '')
  } catch {
    return fail('input.refused', `${what} cannot be read`)
  }
}

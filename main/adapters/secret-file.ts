import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { fail, type Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'

/**
 * The first line of a file that only its owner can read; `holds` says what it is for. Looks at the opened file and not at its name, so
 * that nobody can put another in its place between the two. Fails with input.not-found or input.refused.
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
    if (stats.isDirectory()) return fail('input.refused', `${file} is a folder; name a file that holds the ${holds}`)
    const { mode, uid } = stats
    if (process.getuid !== undefined && uid !== 0 && uid !== process.getuid())
      return fail('input.refused', `${file} belongs to somebody else`)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      return fail('input.refused', `${file} can be read by others; run: chmod 600 ${file}`)
    return firstLineOf(fd, file)
  } finally {
    closeSync(fd)
  }
}

/** The first line that can be read from an open file. Fails with input.refused; `what` names it. */
export function firstLineOf(fd: number, what: string): Outcome<string> {
  try {
    return ok(readFileSync(fd, 'utf8').split(/\r?\n/, 1)[0] ?? '')
  } catch {
    return fail('input.refused', `${what} cannot be read`)
  }
}

import { randomBytes } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { link, lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { isCode, isRunning, isWithoutLinks, storeFailure, syncFolder } from '../store/durable.ts'

/** Gives a finished file its name in the same folder, or reports that the name is taken. */
export type Put = (from: string, to: string) => Promise<boolean>

/** In one step, so that of two at once one learns that the name is taken. */
const claimed: Put = async (from, to) => {
  try {
    await link(from, to)
  } catch (problem) {
    if (isCode(problem, 'EEXIST')) return false
    // A file system without links: an empty file of ours reserves the name until the archive replaces it.
    const holding = await open(to, 'wx', 0o600).catch((taken) => {
      if (isCode(taken, 'EEXIST')) return null
      throw taken
    })
    if (holding === null) return false
    await holding.close()
    await rename(from, to)
    return true
  }
  await unlink(from)
  return true
}

/** As claimed, also where a process that was killed had reserved the name for an archive of its own, which is then removed. */
export const claimedNew: Put = async (from, to) => {
  if (await claimed(from, to)) return true
  const part = await partReservedFor(to, from)
  if (part === null) return false
  await rename(from, to)
  await unlink(part).catch(() => undefined)
  return true
}

/**
 * Renames a finished archive to its final name in the same folder, in one step, and completes what a process before this one began; no other one
 * may name this archive meanwhile. Fails with input.refused where another file of that name exists, and with store.failed.
 */
export async function publishPack(from: string, to: string): Promise<Outcome<null>> {
  try {
    const isPut = (await claimed(from, to)) || (await claimedBefore(from, to)) || (await reservedBefore(from, to))
    await syncFolder(dirname(to))
    return isPut ? ok(null) : fail('input.refused', plain(`${to} already exists`, 500))
  } catch (problem) {
    return storeFailure(problem)
  }
}

/** Whether an archive could be written: nothing has the name, or only a killed process reserved it. */
export async function isFree(path: string): Promise<boolean> {
  // Writing to a path that cannot be inspected fails with the reason.
  const found = await lstatIfThere(path).catch(() => null)
  return found === null || (await partReservedFor(path, null).catch(() => null)) !== null
}

/** Whether a process that ended had already given the archive its final name in addition to its first one, which is then removed. */
async function claimedBefore(from: string, to: string): Promise<boolean> {
  const [first, last] = [await lstat(from, { bigint: true }), await lstat(to, { bigint: true })]
  if (first.dev !== last.dev || first.ino !== last.ino) return false
  await unlink(from)
  return true
}

/** Whether a process that ended had reserved the name for this archive, which then gets it. */
async function reservedBefore(from: string, to: string): Promise<boolean> {
  if (!(await isReservedFor(from, to))) return false
  await rename(from, to)
  return true
}

/**
 * Whether a file is what reserves a name for an archive on a file system without links: empty, and made as the archive was, after it. Where
 * files can have links, no name is reserved, and an empty file is that of someone else.
 */
async function isReservedFor(archive: string, name: string): Promise<boolean> {
  const [own, holding] = [await lstatIfThere(archive), await lstatIfThere(name)]
  return (
    own !== null &&
    holding?.isFile() === true &&
    holding.size === 0n &&
    holding.uid === own.uid &&
    holding.mode === own.mode &&
    holding.mtimeNs >= own.mtimeNs &&
    !(await hasLinks(archive))
  )
}

/** Names of unfinished archives that this process is writing: another one of its number may have left others. */
const writing = new Set<string>()

/** Works with the name of an unfinished archive, which no other process has. */
export async function withPart<T>(path: string, work: (part: string) => Promise<T>): Promise<T> {
  const part = `${path}.${randomBytes(4).toString('hex')}.part-${process.pid}`
  writing.add(resolve(part))
  try {
    return await work(part)
  } finally {
    writing.delete(resolve(part))
  }
}

/**
 * The unfinished archive of a killed process, for which the name is reserved; null where there is none, and while anything else than `own`
 * is being written for the name: of two that write at once, none takes over what the other one may just have reserved.
 */
async function partReservedFor(name: string, own: string | null): Promise<string | null> {
  const holding = await lstatIfThere(name)
  if (holding?.isFile() !== true || holding.size > 0n) return null
  const parts = (await readdir(dirname(name))).flatMap((one) => {
    const rest = one.startsWith(`${basename(name)}.`) ? one.slice(basename(name).length) : ''
    const [, id] = /^\.[0-9a-f]{8}\.part-(\d{1,10})$/.exec(rest) ?? []
    return id === undefined || `${name}${rest}` === own ? [] : [{ part: `${name}${rest}`, id: Number(id) }]
  })
  const isWritten = ({ part, id }: (typeof parts)[number]): boolean =>
    id === process.pid ? writing.has(resolve(part)) : isRunning(id)
  if (parts.some(isWritten)) return null
  for (const { part } of parts) if (await isReservedFor(part, name)) return part
  return null
}

/** Whether a file can have a second name in its folder. */
async function hasLinks(path: string): Promise<boolean> {
  const second = `${path}.${randomBytes(4).toString('hex')}.part-${process.pid}`
  try {
    await link(path, second)
  } catch (problem) {
    if (isWithoutLinks(problem)) return false
    throw problem
  }
  await unlink(second)
  return true
}

const lstatIfThere = (path: string): Promise<BigIntStats | null> =>
  lstat(path, { bigint: true }).catch((problem) => {
    if (isCode(problem, 'ENOENT')) return null
    throw problem
  })

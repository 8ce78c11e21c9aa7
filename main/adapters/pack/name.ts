import { randomBytes } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { link, lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { isCode, isRunning, isWithoutLinks, storeFailure, syncFolder } from '../store/durable.ts'

/** Gives a finished file its name in the same folder, or reports that the name is taken. */
export type Put = (from: string, to: string) => Promise<boolean>

/** Gives the name in one step, so that of two simultaneous writers one is informed that it is taken. */
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

/** As `claimed`, also where a killed process had reserved the name for its own archive, which is then removed. */
export const claimedNew: Put = async (from, to) => {
  if (await claimed(from, to)) return true
  const part = await partReservedFor(to, from)
  if (part === null) return false
  await rename(from, to)
  await unlink(part).catch(() => undefined)
  return true
}

/**
 * Renames a finished archive to its final name in the same folder, in one step, and completes the same step of a process that was killed. No
 * other process may name this archive meanwhile. Fails with input.refused where another file of that name exists, and with store.failed.
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
  // A path that cannot be inspected counts as free: writing to it fails with the reason.
  const found = await lstatIfThere(path).catch(() => null)
  return found === null || (await partReservedFor(path, null).catch(() => null)) !== null
}

/** Whether an earlier process had already given the archive its final name as a second one. The first name is then removed. */
async function claimedBefore(from: string, to: string): Promise<boolean> {
  const [first, last] = [await lstat(from, { bigint: true }), await lstat(to, { bigint: true })]
  if (first.dev !== last.dev || first.ino !== last.ino) return false
  await unlink(from)
  return true
}

/** Whether an earlier process had reserved the name for this archive, which then gets it. */
async function reservedBefore(from: string, to: string): Promise<boolean> {
  if (!(await isReservedFor(from, to))) return false
  await rename(from, to)
  return true
}

/**
 * Whether a file reserves a name for an archive on a file system without links: it is empty, has the owner and mode of the archive, and was
 * written after it. Where files can have links, no name is reserved, and an empty file is not ours.
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

/** Names of unfinished archives that this process writes: an earlier process of the same number may have left others. */
const writing = new Set<string>()

/** Does work with a name for an unfinished archive that no other process uses. */
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
 * The unfinished archive of a killed process for which the name is reserved. Null where there is none, and while an archive other than `own`
 * is written under this name: of two simultaneous writers, none may take over a name that the other may just have reserved.
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

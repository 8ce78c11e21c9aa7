import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Imported before everything else by a program that a test kills at a chosen change of its files: each change is counted, and the process ends
// as with SIGKILL right before the chosen one. Nothing in it can react.

type Work = (...values: readonly unknown[]) => unknown

const taken: string[] = []
let last = Number.POSITIVE_INFINITY
let awaited: readonly RegExp[] = []

/** Counts from now on, and ends before this step. */
export function endBefore(step: number): void {
  taken.length = 0
  last = step
}

/** Ends before the first step that matches the last of these, after one that matched each before it. */
export function endBeforeMatching(patterns: readonly RegExp[]): void {
  awaited = patterns
}

/** The steps since then, each as its name and what it changed. */
export const stepsTaken = (): readonly string[] => taken

function step(name: string, path: unknown): void {
  const one = `${name} ${String(path)}`
  taken.push(one)
  const matches = awaited[0]?.test(one) === true
  if (taken.length > last || (matches && awaited.length === 1)) process.kill(process.pid, 'SIGKILL')
  if (matches) awaited = awaited.slice(1)
}

const counted =
  (name: string, work: Work): Work =>
  (...values) => {
    step(name, values[0])
    return work(...values)
  }

const { promises } = fs
const own = promises as unknown as Record<string, Work>
for (const name of ['mkdir', 'rename', 'rm', 'rmdir', 'unlink', 'link', 'copyFile', 'truncate', 'writeFile'])
  own[name] = counted(name, (own[name] as Work).bind(promises))
const sync = fs as unknown as Record<string, Work>
for (const name of ['linkSync', 'renameSync', 'writeFileSync', 'rmSync', 'mkdirSync'])
  sync[name] = counted(name, (sync[name] as Work).bind(fs))

const paths = new WeakMap<object, unknown>()
const open = promises.open.bind(promises)
promises.open = async (path, ...rest) => {
  if (rest[0] !== undefined && rest[0] !== 'r') step('open', path)
  const handle = await open(path, ...rest)
  paths.set(handle, path)
  return handle
}
const any = await open('/dev/null')
const handles = Object.getPrototypeOf(any) as Record<string, Work>
await any.close()
for (const name of ['write', 'writev', 'writeFile', 'appendFile', 'datasync', 'sync', 'truncate']) {
  const work = handles[name] as Work
  handles[name] = function (this: object, ...values: readonly unknown[]) {
    step(name, paths.get(this))
    return work.apply(this, values as unknown[])
  }
}
syncBuiltinESMExports()

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const BUILT = resolve('out/main')
const CACHE = resolve('node_modules/.cache/barewitness-demo')

/** What names a build: its files, by size and time. */
function buildOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    const { size, mtimeMs } = statSync(join(folder, name))
    hash.update(`${name}\n${size}\n${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * What the built `demo` leaves, made once for all tests of one build that only read it. `BAREWITNESS_DEMO_EXPORT` names one that is at hand.
 * Throws where the demo ends otherwise than well: then there is nothing to test.
 */
export function demoExport(): string {
  const given = process.env.BAREWITNESS_DEMO_EXPORT
  if (given !== undefined) return resolve(given)
  const ready = join(CACHE, buildOf(BUILT))
  if (existsSync(ready)) return ready
  mkdirSync(CACHE, { recursive: true })
  const making = mkdtempSync(join(CACHE, 'making-'))
  const ran = spawnSync(process.execPath, [join(BUILT, 'cli.js'), 'demo', '--out', making], { maxBuffer: 1e9 })
  if (ran.status !== 0) throw new Error(`the demo ended with ${ran.status}: ${ran.stderr.toString()}`)
  try {
    renameSync(making, ready)
  } catch (error) {
    // Another test file was faster: its export is as good.
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(ready)) throw error
  }
  return ready
}

/** Why there is no export to read, or null. */
export const whyNoDemoExport = (): string | null =>
  process.env.BAREWITNESS_DEMO_EXPORT !== undefined || existsSync(join(BUILT, 'cli.js'))
    ? null
    : 'out/main/cli.js is not built'

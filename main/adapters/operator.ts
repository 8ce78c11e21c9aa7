import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Operator } from '../../schemas/types.ts'
import { sha256 } from '../core/base/digest.ts'
import { oneLine } from '../core/base/plain-text.ts'

/** Built modules lie in this folder, or in `chunks` below it. */
const BUILT = 'main'

let known: Promise<Operator> | null = null

/** The account and the computer that this program runs under, and the digest of the program. Read once; never fails. */
export const operator = (): Promise<Operator> => {
  known ??= read()
  return known
}

async function read(): Promise<Operator> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null)
  return {
    user: oneLine(userName(), 200),
    host: oneLine(hostname(), 200),
    boot: boot === null ? null : sha256(boot.trim()),
    program: await programDigest(import.meta.dirname),
  }
}

/** The name of the account; its number where it has none, as in some containers. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/**
 * The digest of a built program, as `find . -name '*.js' | LC_ALL=C sort | xargs sha256sum | sha256sum` prints it in
 * `out/main`. Null where the program runs from source, and where a file cannot be read.
 */
async function programDigest(here: string): Promise<string | null> {
  const root = basename(here) === 'chunks' ? dirname(here) : here
  if (basename(root) !== BUILT) return null
  try {
    const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.js')).sort()
    const lines = createHash('sha256')
    for (const name of names) lines.update(`${sha256(new Uint8Array(await readFile(join(root, name))))}  ./${name}\n`)
    return lines.digest('hex')
  } catch {
    return null
  }
}

import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { type ObjectStore, type ObjectVersion, secondsOf } from '../../core/objects.ts'
import { compare } from '../../core/recording/recording.ts'
import { putStored } from '../files.ts'
import { isCode, makeFolder, problemInWords, writeWhole } from '../store/durable.ts'
import { storedFile } from '../stored-file.ts'

const VERSION = /^[1-9]\d{0,8}$/

/** Does work on the folder; what it throws becomes objects.unreachable. */
const reached = async <T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> =>
  await work().catch((problem) => fail('objects.unreachable', plain(problemInWords(problem), 300)))

/**
 * Objects in a folder: a folder for each key, with a file for each version and one with the end of its retention. Nothing enforces the
 * retention: an account that can write to the folder can delete from it. Fails with objects.unreachable where the folder cannot be created.
 */
export const openObjectFolder = (root: string): Promise<Outcome<ObjectStore>> =>
  reached(async () => {
    await makeFolder(root, 0o700)
    return ok(objectsIn(root))
  })

function objectsIn(root: string): ObjectStore {
  const at = (key: string, version: string): string => join(root, key, version)
  const untilOf = async (key: string, version: string): Promise<string> =>
    (await readFile(`${at(key, version)}${UNTIL}`, 'utf8')).trim()
  return {
    name: root,
    locks: false,
    put: (key, content, until) =>
      reached(async () => {
        const folder = join(root, key)
        await makeFolder(folder, 0o700)
        const numbers = (await readdir(folder)).filter((name) => VERSION.test(name)).map(Number)
        const version = String(Math.max(0, ...numbers) + 1)
        await writeWhole(`${at(key, version)}${UNTIL}`, `${until}\n`)
        await putStored(at(key, version), content)
        return ok(version)
      }),
    head: (key, version) =>
      reached(async () => {
        try {
          const stat = VERSION.test(version) ? await lstat(at(key, version)) : null
          if (stat?.isFile() !== true) return ok(null)
          return ok({ size: stat.size, lock: { mode: 'STATED', until: await untilOf(key, version) } })
        } catch (problem) {
          if (isCode(problem, 'ENOENT')) return ok(null)
          throw problem
        }
      }),
    stored: ({ key, version, size }, sha256) => storedFile(at(key, version), size, sha256),
    versions: (prefix) => reached(async () => ok(await versionsBelow(root, prefix))),
    extend: (key, version, until) =>
      reached(async () => {
        if (secondsOf(await untilOf(key, version)) > secondsOf(until))
          return fail('objects.refused', `${key}: a retention is not shortened`)
        await writeWhole(`${at(key, version)}${UNTIL}`, `${until}\n`)
        return ok(null)
      }),
  }
}

const UNTIL = '.until'

async function versionsBelow(root: string, prefix: string): Promise<readonly ObjectVersion[]> {
  const found: ObjectVersion[] = []
  const walk = async (key: string): Promise<void> => {
    const entries = await readdir(join(root, key), { withFileTypes: true })
    for (const entry of entries) {
      const inner = key === '' ? entry.name : `${key}/${entry.name}`
      if (entry.isDirectory()) {
        if (`${inner}/`.startsWith(prefix) || prefix.startsWith(`${inner}/`)) await walk(inner)
      } else if (entry.isFile() && VERSION.test(entry.name) && key.startsWith(prefix)) {
        const { size } = await lstat(join(root, inner))
        found.push({ key, version: entry.name, size, hidden: false })
      }
    }
  }
  await walk('')
  return found.sort((a, b) => compare(a.key, b.key) || Number(a.version) - Number(b.version))
}

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sha256 } from '../../main/core/base/digest.ts'

/** Digests of the files of a folder by path, without locks and what is made again. */
export function digestsBelow(root: string, isWanted: (path: string) => boolean = () => true): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)lock\.|^evidence\/sha256\/|heads\.jsonl$|index\.db/.test(path) && isWanted(path))
    .sort()
  return Object.fromEntries(files.map((path) => [path, sha256(readFileSync(join(root, path)))]))
}

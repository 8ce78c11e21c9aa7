import { canonicalJson } from '../base/canonical-json.ts'
import { isSha256 } from '../base/digest.ts'
import { isPlainPath } from '../base/layout.ts'
import type { PackContent } from '../pack/pack-files.ts'
import type { StoredBytes } from '../recording/recording.ts'
import { compare } from '../recording/recording.ts'
import { hasExactly, parsedJson } from '../run-chain/entry.ts'

/** A file of an output folder: its relative path and its bytes. */
export type BackedUpFile = readonly [path: string, content: StoredBytes]

/** Which file has which bytes; one line of JSON for each. */
export const FILES_PATH = 'data/files.jsonl'

const blobPath = (sha256: string): string => `data/sha256/${sha256.slice(0, 2)}/${sha256}`

/** The payload of a backup: a list of the files, and each distinct content once, under its digest. */
export function backupFiles(files: readonly BackedUpFile[]): Map<string, PackContent> {
  const sorted = [...files].sort(([a], [b]) => compare(a, b))
  const lines = sorted.map(([path, { size, sha256 }]) => `${canonicalJson({ path, size, sha256 })}\n`).join('')
  return new Map<string, PackContent>([
    [FILES_PATH, new TextEncoder().encode(lines)],
    ...sorted.map(([, content]) => [blobPath(content.sha256), content] as const),
  ])
}

/**
 * The files that a list names, or a sentence stating its problem. Every path stays below the folder on any operating
 * system, and every content is present in the archive under the stated digest.
 */
export function parseBackup(
  text: string,
  stored: (path: string) => StoredBytes | null,
): readonly BackedUpFile[] | string {
  const lines = text.split('\n')
  if (lines.pop() !== '') return `${FILES_PATH} is truncated`
  const files: BackedUpFile[] = []
  const folded = new Set<string>()
  for (const [index, line] of lines.entries()) {
    const where = `${FILES_PATH}:${index + 1}`
    const file = parsedJson(line)
    if (!hasExactly(file, ['path', 'size', 'sha256'])) return `${where} is not a valid file entry`
    const { path, size, sha256 } = file
    if (typeof path !== 'string' || !isPlainPath(path)) return `${where} has a path outside the archive`
    if (folded.has(path.toLowerCase())) return `${where} lists a file twice`
    if (typeof sha256 !== 'string' || !isSha256(sha256)) return `${where} has no digest`
    const content = stored(blobPath(sha256))
    if (content === null || content.sha256 !== sha256 || content.size !== size)
      return `${where}: ${path} is not in the archive`
    folded.add(path.toLowerCase())
    files.push([path, content])
  }
  return files
}

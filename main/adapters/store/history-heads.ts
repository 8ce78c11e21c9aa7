import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Planned } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { KeptHead, SealedAs } from '../../core/history.ts'
import { HISTORY_HEADS } from '../../core/layout.ts'
import { hasExactly, isDigest, isInstant, isName, isSchedule, parsedJson } from '../../core/run-chain/entry.ts'

/** File name of a stored run. */
export const fileOf = (run: string, tagManifest: string | null): string => `${run}.${tagManifest ?? 'unsealed'}.json`

/**
 * Heads of these files in a folder, from the `heads.jsonl` next to them where that has the current state of a file,
 * otherwise as `read` returns them. It is only a cache: a line that is missing, stale, damaged or of another version
 * costs reading one file, and where it cannot be written nothing fails. Throws as `read` does, and where a file is
 * missing.
 */
export async function headsOf(
  folder: string,
  files: readonly string[],
  read: (file: string) => Promise<KeptHead>,
): Promise<readonly KeptHead[]> {
  const path = join(folder, HISTORY_HEADS)
  const before = textOf(path)
  const known = new Map(linesIn(before).map((line) => [line.file, line]))
  const lines: Line[] = []
  for (const file of files) {
    const stamp = await stampOf(join(folder, file))
    const line = known.get(file)
    lines.push(line?.stamp === stamp ? line : { file, stamp, head: await read(file) })
  }
  const after = lines.map(({ file, stamp, head }) => `${canonicalJson({ file, stamp, head })}\n`).join('')
  if (after !== before) keep(path, after)
  return lines.map(({ head }) => head)
}

interface Line {
  readonly file: string
  /** The state of the file that the head was read from. */
  readonly stamp: string
  readonly head: KeptHead
}

/** Another file of the same name differs in one of these, even if its times were set. */
async function stampOf(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
  return [ino, size, mtimeNs, ctimeNs].join(' ')
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Sequentially, so that no other list of this process writes the same file meanwhile. Not synced: it can be rebuilt.
 */
function keep(path: string, text: string): void {
  const temporary = `${path}.part-${process.pid}`
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, path)
  } catch {
    // A full or read-only disk: the next list reads the runs again.
    rmSync(temporary, { force: true })
  }
}

const linesIn = (text: string): readonly Line[] => text.split('\n').map(parsedJson).filter(isLine)

/** A seal in a line counts for the file of that name only. */
const isLine = (value: unknown): value is Line =>
  hasExactly(value, ['file', 'stamp', 'head']) &&
  typeof value.stamp === 'string' &&
  isHead(value.head) &&
  fileOf(value.head.run, value.head.sealed?.tagManifest ?? null) === value.file

const isHead = (value: unknown): value is KeptHead =>
  hasExactly(value, HEAD) &&
  isName(value.run) &&
  isName(value.fleet) &&
  isInstant(value.asOf) &&
  typeof value.demo === 'boolean' &&
  (value.planned === null || isPlanned(value.planned)) &&
  Number.isSafeInteger(value.declared) &&
  Number.isSafeInteger(value.answered) &&
  isDigest(value.catalog) &&
  isDigest(value.rules) &&
  (value.sealed === null || isSealed(value.sealed))

const HEAD = ['run', 'fleet', 'asOf', 'demo', 'planned', 'declared', 'answered', 'catalog', 'rules', 'sealed']

const isPlanned = (value: unknown): value is Planned =>
  hasExactly(value, ['schedule', 'due']) && isSchedule(value.schedule) && isInstant(value.due)

/** Whether this is the seal of a run. */
export const isSealed = (value: unknown): value is SealedAs =>
  hasExactly(value, ['tagManifest', 'signer', 'pack', 'at']) &&
  isDigest(value.tagManifest) &&
  isDigest(value.signer) &&
  isName(value.pack) &&
  isInstant(value.at)

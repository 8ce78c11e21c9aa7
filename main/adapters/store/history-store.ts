import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunTrace } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { HISTORY_HEADS, historyFolder } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  type HistoryStore,
  headOfKept,
  type KeptHead,
  type KeptRun,
  type SealedAs,
} from '../../core/history/history.ts'
import type { SchemaValidator } from '../../core/ports/ports.ts'
import { compare } from '../../core/recording/recording.ts'
import { hasExactly, isDigest, isInstant, isName, isPlanned, parsedJson } from '../../core/run-chain/entry.ts'
import { bytesIfThere, guarded, makeFolder, storeFailure, syncFolder, writeWhole } from './durable.ts'

const LARGEST = 256 * 1024 * 1024
const SCHEMA = 'barewitness.kept-run/1'
const FILE = /^([a-z0-9][a-z0-9._-]{0,99})\.(unsealed|[0-9a-f]{64})\.json$/

/**
 * Opens `<root>/history`, where each stored run is one file: `<run>.<tag manifest>.json`, or `<run>.unsealed.json`. The
 * files are the history; `heads.jsonl` next to them is a cache for lists.
 */
export async function openHistoryStore(root: string, validator: SchemaValidator): Promise<Outcome<HistoryStore>> {
  const folder = historyFolder(root)
  const pathOf = (run: string, tagManifest: string | null): string => join(folder, fileOf(run, tagManifest))
  const read = async (path: string): Promise<KeptRun | null> => {
    const bytes = await bytesIfThere(path, LARGEST)
    if (bytes === null) return null
    const kept = parseKept(bytes.toString('utf8'), validator)
    if (kept === null) throw new Error(`${path} is not a stored run; “history rebuild” restores it from its pack`)
    return kept
  }
  const readable = (path: string): Promise<boolean> =>
    read(path).then(
      () => true,
      () => false,
    )
  const load = async (run: string, tagManifest: string | null): Promise<Outcome<KeptRun>> => {
    const path = pathOf(run, tagManifest)
    const kept = FILE.test(path.slice(folder.length + 1)) ? await read(path) : null
    if (kept === null) return fail('input.not-found', `run ${plain(run)} is not stored in ${folder}`)
    return kept.trace.run === run && (kept.sealed?.tagManifest ?? null) === tagManifest
      ? ok(kept)
      : fail('input.refused', `${path} contains another run`)
  }
  try {
    await makeFolder(folder, 0o700)
  } catch (problem) {
    return storeFailure(problem)
  }
  return ok({
    keep: (kept) =>
      guarded(async () => {
        const path = pathOf(kept.trace.run, kept.sealed?.tagManifest ?? null)
        const text = keptText(kept)
        const before = await read(path)
        // An unsealed trace may be derived again, as of a later time.
        if (before !== null && kept.sealed !== null)
          return keptText(before) === text
            ? ok(null)
            : fail('input.refused', `${path} contains another trace of this run`)
        await writeWhole(path, text)
        return ok(null)
      }),
    list: () =>
      guarded(async () => {
        const files = (await readdir(folder)).filter((name) => FILE.test(name)).sort()
        const heads = await headsOf(folder, files, async (name) => {
          const kept = await read(join(folder, name))
          if (kept === null) throw new Error(`${join(folder, name)} was deleted meanwhile`)
          const head = headOfKept(kept)
          if (fileOf(head.run, head.sealed?.tagManifest ?? null) !== name)
            throw new Error(`${join(folder, name)} contains another run than its name states`)
          return head
        })
        return ok(
          [...heads].sort(
            (a, b) =>
              compare(a.asOf, b.asOf) ||
              compare(a.run, b.run) ||
              compare(a.sealed?.tagManifest ?? '', b.sealed?.tagManifest ?? ''),
          ),
        )
      }),
    load: (run, tagManifest) => guarded(() => load(run, tagManifest)),
    forget: (run, tagManifest) =>
      guarded(async () => {
        const path = pathOf(run, tagManifest)
        if (!FILE.test(path.slice(folder.length + 1)))
          return fail('input.refused', `${plain(run)} is not the name of a run`)
        await rm(path, { force: true })
        await syncFolder(folder)
        return ok(null)
      }),
    putAside: () =>
      guarded(async () => {
        const aside: string[] = []
        for (const name of await readdir(folder)) {
          if (!FILE.test(name) || (await readable(join(folder, name)))) continue
          await rename(join(folder, name), join(folder, `${name}.damaged-${Date.now()}`))
          aside.push(name)
        }
        await syncFolder(folder)
        return ok(aside)
      }),
  })
}

const keptText = ({ trace, sealed }: KeptRun): string => `${canonicalJson({ schema: SCHEMA, trace, sealed })}\n`

function parseKept(text: string, validator: SchemaValidator): KeptRun | null {
  const value = parsedJson(text)
  if (!hasExactly(value, ['schema', 'trace', 'sealed']) || value.schema !== SCHEMA) return null
  const { trace, sealed } = value
  if (validator.problems('trace', trace).length > 0 || !(sealed === null || isSealed(sealed))) return null
  const kept = { trace: trace as RunTrace, sealed }
  return keptText(kept) === text ? kept : null
}

/** File name of a stored run. */
const fileOf = (run: string, tagManifest: string | null): string => `${run}.${tagManifest ?? 'unsealed'}.json`

/**
 * Heads of these files in a folder, from the `heads.jsonl` next to them where that has the current state of a file,
 * otherwise as `read` returns them. It is only a cache: a line that is missing, stale, damaged or of another version
 * costs reading one file, and where it cannot be written nothing fails. Throws as `read` does, and where a file is
 * missing.
 */
async function headsOf(
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

/** Whether this is the seal of a run. */
const isSealed = (value: unknown): value is SealedAs =>
  hasExactly(value, ['tagManifest', 'signer', 'pack', 'at']) &&
  isDigest(value.tagManifest) &&
  isDigest(value.signer) &&
  isName(value.pack) &&
  isInstant(value.at)

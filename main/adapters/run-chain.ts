import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../core/base/canonical-json.ts'
import { rootOf } from '../core/base/digest.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { CHAIN } from '../core/base/layout.ts'
import { plain, quote } from '../core/base/plain-text.ts'
import {
  entryLine,
  hasExactly,
  isDigest,
  isName,
  type LoggedEntry,
  leafOf,
  type OpenRunChain,
  parsedJson,
  parseEntryLine,
  type RunChain,
} from '../core/run-chain/entry.ts'
import { CHAIN_SCHEMA } from '../core/run-chain/notes.ts'
import { type FolderLock, lockFolder } from './folder-lock.ts'
import { bytesIfThere, makeFolder, messageOf, writeWhole } from './store/durable.ts'
import { appendLine, cutTornLine } from './stored-file.ts'

/** For a chain that does not exist yet. An existing one keeps its id and must be of this fleet. */
type Beginning = Pick<RunChain, 'id' | 'fleet'>

/** The most that a reader of packs accepts in one file. */
const LARGEST = 64 * 1024 * 1024

const failed = (problem: unknown): Outcome<never> => fail('store.failed', plain(messageOf(problem), 600))

/**
 * Opens the chain in a folder for writing, and creates it when the folder has none: chain.json (id and fleet),
 * entries.jsonl (one line an entry, append-only) and head.json (the required number of lines, and their root, so that a
 * folder that lost some is detected before the loss gets into a pack). Waits while another process holds it, `patience`
 * milliseconds at most. Fails with chain.broken when the files are inconsistent; nothing is repaired except a line that
 * was being written and never acknowledged.
 */
export async function openRunChain(
  folder: string,
  fresh: Beginning,
  patience = 60_000,
): Promise<Outcome<OpenRunChain>> {
  if (!isDigest(fresh.id) || !isName(fresh.fleet))
    return fail('input.refused', 'a chain needs 32 random bytes in hexadecimal and the name of a fleet')
  try {
    await makeFolder(folder, 0o700)
    const lock = await lockFolder(folder, patience)
    if (!lock.ok) return lock
    const opened = await openLocked(folder, fresh, lock.value).catch(failed)
    if (!opened.ok) await lock.value.release()
    return opened
  } catch (problem) {
    return failed(problem)
  }
}

async function openLocked(folder: string, fresh: Beginning, lock: FolderLock): Promise<Outcome<OpenRunChain>> {
  await begin(folder, fresh)
  const read = await readRunChain(folder)
  if (!read.ok) return read
  if (read.value.fleet !== fresh.fleet)
    return fail('input.refused', `the chain is of fleet ${quote(read.value.fleet)}, not of ${quote(fresh.fleet)}`)
  let chain = read.value
  await cutTornLine(join(folder, CHAIN.entries), LARGEST)
  await writeHead(folder, chain)
  const add = async (logged: LoggedEntry): Promise<Outcome<RunChain>> => {
    const line = entryLine(logged)
    if (parseEntryLine(line.slice(0, -1)) === null || logged.entry.fleet !== chain.fleet)
      return fail('input.refused', `this is not an entry of the chain of fleet ${quote(chain.fleet)}`)
    if (isEntered(chain, logged)) return fail('input.refused', 'this pack is already in the chain')
    try {
      await appendLine(join(folder, CHAIN.entries), line, LARGEST)
      chain = { ...chain, entries: [...chain.entries, logged] }
      await writeHead(folder, chain)
      return ok(chain)
    } catch (problem) {
      return failed(problem)
    }
  }
  let last: Promise<Outcome<RunChain>> = Promise.resolve(ok(chain))
  return ok({
    chain: () => chain,
    append: (logged) => {
      last = last.then((before) => (before.ok || before.error.code === 'input.refused' ? add(logged) : before))
      return last
    },
    close: async () => {
      await last
      last = Promise.resolve(fail('store.failed', 'the chain is closed'))
      await lock.release()
    },
  })
}

const isEntered = ({ entries }: RunChain, { entry: added }: LoggedEntry): boolean =>
  (added.kind === 'run' || added.kind === 'period') &&
  entries.some(({ entry }) => entry.kind === added.kind && entry.tagManifest === added.tagManifest)

/** Without a last line that has no end: see cutTornLine(). */
async function readRunChain(folder: string): Promise<Outcome<RunChain>> {
  const broken = (why: string): Outcome<never> => fail('chain.broken', plain(`${folder}: ${why}`, 600))
  const about = parsedJson((await textIfThere(join(folder, CHAIN.chain))) ?? '')
  const head = parsedJson((await textIfThere(join(folder, CHAIN.head))) ?? '')
  const text = await textIfThere(join(folder, CHAIN.entries))
  if (!isBeginning(about)) return broken(`${CHAIN.chain} is missing or is not the start of a run chain`)
  if (text === null) return broken(`${CHAIN.entries} is missing`)
  const entries: LoggedEntry[] = []
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    const logged = parseEntryLine(line)
    if (logged === null || logged.entry.fleet !== about.fleet)
      return broken(`${CHAIN.entries}:${index + 1} is not an entry of this chain`)
    entries.push(logged)
  }
  // Nothing is appended before there is a checkpoint.
  if (head === null ? entries.length > 0 : !isHeadOf(head, entries))
    return broken(`${CHAIN.entries} does not start with the entries that ${CHAIN.head} counts`)
  return ok({ id: about.id, fleet: about.fleet, entries })
}

/**
 * The empty list is written before the file that names it, so that a chain without its entries is never mistaken for a
 * new one.
 */
async function begin(folder: string, { id, fleet }: Beginning): Promise<void> {
  const present = new Set(await readdir(folder))
  if (present.has(CHAIN.chain) || present.has(CHAIN.head)) return
  if (present.has(CHAIN.entries)) {
    if ((await textIfThere(join(folder, CHAIN.entries))) !== '') return
  } else await writeWhole(join(folder, CHAIN.entries), '')
  await writeWhole(join(folder, CHAIN.chain), `${canonicalJson({ schema: CHAIN_SCHEMA, id, fleet })}\n`)
}

const isBeginning = (value: unknown): value is Beginning =>
  hasExactly(value, ['schema', 'id', 'fleet']) &&
  value.schema === CHAIN_SCHEMA &&
  isDigest(value.id) &&
  isName(value.fleet)

const isHeadOf = (head: unknown, entries: readonly LoggedEntry[]): boolean =>
  hasExactly(head, ['size', 'root']) &&
  typeof head.size === 'number' &&
  head.size <= entries.length &&
  head.root === rootOf(entries.slice(0, head.size).map(({ entry }) => leafOf(entry)))

const writeHead = (folder: string, { entries }: RunChain): Promise<void> => {
  const root = rootOf(entries.map(({ entry }) => leafOf(entry)))
  return writeWhole(join(folder, CHAIN.head), `${canonicalJson({ size: entries.length, root })}\n`)
}

const textIfThere = async (path: string): Promise<string | null> =>
  (await bytesIfThere(path, LARGEST))?.toString('utf8') ?? null

import { canonicalJson } from './base/canonical-json.ts'
import { rootOf, type Sha256, sha256 } from './base/digest.ts'
import { err, type Outcome, ok, type Result } from './base/failure.ts'
import { isPlainPath } from './base/layout.ts'
import { compare, type StoredBytes } from './recording/recording.ts'
import { hasExactly, isDigest, isInstant, isName, leafOf, parsedJson, type RunChain } from './run-chain/entry.ts'

/** The lock of an object, as its store states it. */
export interface ObjectLock {
  /** STATED: recorded by a store that does not enforce it. */
  readonly mode: 'COMPLIANCE' | 'GOVERNANCE' | 'STATED'
  /** ISO 8601. */
  readonly until: string
}

/** One version of an object, as listed by the store. */
export interface ObjectVersion {
  readonly key: string
  readonly version: string
  readonly size: number
  /** Whether a delete marker hides it, so that it can be read only by its version. */
  readonly hidden: boolean
}

/** One version of an object with its metadata. */
export interface ObjectHead {
  readonly size: number
  /** Null where the store states none, or one that is off. */
  readonly lock: ObjectLock | null
}

/**
 * A store of objects that are written once and retained until a date. Writing a key again adds a version and changes
 * none. Each method fails with objects.unreachable where the store does not respond, and with objects.refused where
 * its response is not the expected one.
 */
export interface ObjectStore {
  /** The store’s location, for people. */
  readonly name: string
  /** Whether the store itself refuses deletion and changes until the date; a folder does not. */
  readonly locks: boolean
  /** Stores bytes as a new version and returns that version. Bytes that differ from their digest are not stored. */
  readonly put: (key: string, content: StoredBytes, until: string) => Promise<Outcome<string>>
  /** Null where there is no such version. */
  readonly head: (key: string, version: string) => Promise<Outcome<ObjectHead | null>>
  /**
   * The bytes of a version, to be read later. Reading rejects where the size differs; the caller compares the digest.
   */
  readonly stored: (version: ObjectVersion, sha256: Sha256) => StoredBytes
  /** Every version with a key prefix, sorted by key, oldest version first. */
  readonly versions: (prefix: string) => Promise<Outcome<readonly ObjectVersion[]>>
  /** Extends the retention of a version. */
  readonly extend: (key: string, version: string, until: string) => Promise<Outcome<null>>
}

/** Keys below the prefix of an engagement. */
export const OBJECTS = { blobs: 'blobs/', lists: 'lists/', heads: 'heads/' } as const

export const blobKey = (sha256: Sha256): string => `${OBJECTS.blobs}${sha256.slice(0, 2)}/${sha256}`
export const listKey = (number: number): string => `${OBJECTS.lists}${String(number).padStart(NUMBER, '0')}.jsonl`
export const headKey = (chain: string, size: number): string =>
  `${OBJECTS.heads}${chain}/${String(size).padStart(NUMBER, '0')}.json`

const NUMBER = 8
/** The number in the name of a list or a chain head; null for other names. */
export const numberOf = (key: string): number | null => {
  const [, digits] = /\/(\d{8})\.jsonl?$/.exec(key) ?? []
  return digits === undefined ? null : Number(digits)
}

/** A file of an engagement folder: its relative path and its bytes. */
export interface ListedFile {
  readonly path: string
  readonly size: number
  readonly sha256: Sha256
}

/** Names the files that a copy added, or found to have changed. Written after every object in it was confirmed. */
export interface ObjectList {
  readonly engagement: string
  /** Consecutive, from 1. */
  readonly number: number
  /** Digest of the previous list; null for the first. */
  readonly previous: Sha256 | null
  readonly at: string
  /** Minimum retention of its objects. */
  readonly until: string
  /** Whether the store enforces that retention. */
  readonly locked: boolean
  readonly files: readonly ListedFile[]
}

const LIST_SCHEMA = 'barewitness.object-list/1'

/** One line describing the list, then one line for each file, as canonical JSON. */
export const listText = ({ files, ...about }: ObjectList): string =>
  [{ schema: LIST_SCHEMA, ...about }, ...[...files].sort((a, b) => compare(a.path, b.path))]
    .map((line) => `${canonicalJson(line)}\n`)
    .join('')

/** Parses a list from a store, which is hostile input. The error states the problem. */
export function parseList(text: string): Result<ObjectList, string> {
  const [first = '', ...lines] = text.split('\n')
  if (lines.pop() !== '') return err('is truncated')
  const about = parsedJson(first)
  if (!hasExactly(about, ['schema', 'engagement', 'number', 'previous', 'at', 'until', 'locked']))
    return err('is not a list')
  const { schema, engagement, number, previous, at, until, locked } = about
  const isList =
    schema === LIST_SCHEMA &&
    typeof engagement === 'string' &&
    Number.isSafeInteger(number) &&
    (previous === null || isDigest(previous)) &&
    typeof locked === 'boolean' &&
    isInstant(at) &&
    isInstant(until)
  if (!isList) return err('is not a list')
  const files: ListedFile[] = []
  const seen = new Set<string>()
  for (const line of lines) {
    const file = parsedJson(line)
    if (!isListedFile(file) || seen.has(file.path)) return err(`has an entry that is not one: line ${files.length + 2}`)
    seen.add(file.path)
    files.push(file)
  }
  return ok({ engagement, number: Number(number), previous: previous as Sha256 | null, at, until, locked, files })
}

const isListedFile = (file: unknown): file is ListedFile =>
  hasExactly(file, ['path', 'size', 'sha256']) &&
  typeof file.path === 'string' &&
  isPlainPath(file.path) &&
  Number.isSafeInteger(file.size) &&
  Number(file.size) >= 0 &&
  isDigest(file.sha256)

/**
 * The state of a run chain at the time of a copy, written once for each size, so that a truncated chain is detected.
 */
export interface ChainSize {
  readonly chain: Sha256
  readonly fleet: string
  readonly size: number
  readonly root: Sha256
}

const HEAD_SCHEMA = 'barewitness.object-head/1'

export const chainSizeText = (head: ChainSize): string => `${canonicalJson({ schema: HEAD_SCHEMA, ...head })}\n`

/** Parses the state of a run chain; null for anything else. */
export function parseChainSize(text: string): ChainSize | null {
  const value = parsedJson(text)
  if (!hasExactly(value, ['schema', 'chain', 'fleet', 'size', 'root'])) return null
  const { schema, chain, fleet, size, root } = value
  return schema === HEAD_SCHEMA && isDigest(chain) && isName(fleet) && Number.isSafeInteger(size) && isDigest(root)
    ? { chain, fleet, size: Number(size), root }
    : null
}

/** The present state of a chain. */
export const chainSizeOf = ({ id, fleet, entries }: RunChain, size = entries.length): ChainSize => ({
  chain: id,
  fleet,
  size,
  root: rootOf(entries.slice(0, size).map(({ entry }) => leafOf(entry))),
})

/** The latest listed bytes of a path, and their minimum retention. */
export interface KeptFile extends Omit<ListedFile, 'path'> {
  readonly until: string
  readonly locked: boolean
}

/** The files named by lists, by path: for each, the entry of the latest list. */
export function filesOfLists(lists: readonly ObjectList[]): ReadonlyMap<string, KeptFile> {
  const files = new Map<string, KeptFile>()
  for (const { files: listed, until, locked } of lists)
    for (const { path, size, sha256 } of listed) files.set(path, { size, sha256, until, locked })
  return files
}

/** The files that a copy has to add: those that no list names with these bytes. */
export const notListed = <T extends ListedFile>(
  files: readonly T[],
  listed: ReadonlyMap<string, KeptFile>,
): readonly T[] => files.filter(({ path, sha256 }) => listed.get(path)?.sha256 !== sha256)

/**
 * The reason why an object’s metadata does not confirm the expected state, in words, or null. Dates are compared in
 * whole seconds, as stores record them.
 */
export function whyNotKept(
  head: ObjectHead | null,
  { size, until }: { readonly size: number; readonly until: string },
  locks: boolean,
): string | null {
  if (head === null) return 'is not there'
  if (head.size !== size) return `has ${head.size} bytes, not ${size}`
  if (head.lock === null) return 'has no retention'
  if (locks && head.lock.mode !== 'COMPLIANCE') return `has the retention mode ${head.lock.mode}, which can be lifted`
  return secondsOf(head.lock.until) < secondsOf(until) ? `is kept until ${head.lock.until}, not until ${until}` : null
}

export const secondsOf = (instant: string): number => Math.floor(Date.parse(instant) / 1000)

/** The same time a number of years later, in whole seconds; 29 February becomes 1 March. */
export function yearsLater(at: string, years: number): string {
  const moment = new Date(secondsOf(at) * 1000)
  moment.setUTCFullYear(moment.getUTCFullYear() + years)
  return moment.toISOString()
}

/** A short text as bytes to be stored. */
export function textBytes(text: string): StoredBytes {
  const bytes = new TextEncoder().encode(text)
  return {
    size: bytes.length,
    sha256: sha256(bytes),
    read: async () => bytes,
    open: async function* () {
      yield bytes
    },
  }
}

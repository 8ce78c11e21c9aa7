import { type Sha256, sha256, sha256OfPieces } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { grouped } from '../../core/base/grouping.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  blobKey,
  type ChainSize,
  filesOfLists,
  type KeptFile,
  listKey,
  numberOf,
  OBJECTS,
  type ObjectList,
  type ObjectStore,
  type ObjectVersion,
  parseChainSize,
  parseList,
  whyNotKept,
} from '../../core/objects.ts'
import type { StoredBytes } from '../../core/recording/recording.ts'

/** Content of the lists of a store. */
export interface StoreState {
  readonly lists: readonly ObjectList[]
  /** Number and digest of the last list; null for an empty store. */
  readonly last: { readonly number: number; readonly sha256: Sha256 } | null
  readonly files: ReadonlyMap<string, KeptFile>
  /** The texts of the lists, by key. */
  readonly texts: ReadonlyMap<string, string>
  /** Lists before this one are no longer there. */
  readonly first: number
}

const LARGEST_LIST = 256 * 1024 * 1024
const LARGEST_HEAD = 64 * 1024

/**
 * Reads every list of an engagement. The first version of a list counts; later ones change nothing. Each must name
 * the digest of the list before it. Fails with objects.altered where lists contradict each other, and as the store
 * does.
 */
export async function readState(store: ObjectStore, engagement: string): Promise<Outcome<StoreState>> {
  const found = await store.versions(OBJECTS.lists)
  if (!found.ok) return found
  const texts = new Map<string, string>()
  const lists: ObjectList[] = []
  let [last, first]: [StoreState['last'], number] = [null, 1]
  for (const version of firstOfEach(found.value)) {
    const number = numberOf(version.key)
    if (number === null || version.key !== listKey(number)) continue
    const text = await textOf(store, version, LARGEST_LIST)
    if (!text.ok) return text
    const list = parseList(text.value)
    const wrong = (why: string): Outcome<never> => fail('objects.altered', plain(`${version.key} ${why}`, 300))
    if (!list.ok) return wrong(list.error)
    if (list.value.number !== number || list.value.engagement !== engagement)
      return wrong('is a list of something else')
    if (last === null) first = number
    else if (number !== last.number + 1) return wrong('does not follow the list before it: one between them is missing')
    if ((last !== null || number === 1) && list.value.previous !== (last?.sha256 ?? null))
      return wrong('does not name the list before it')
    lists.push(list.value)
    texts.set(version.key, text.value)
    last = { number, sha256: sha256(text.value) }
  }
  return ok({ lists, last, first, texts, files: filesOfLists(lists) })
}

/** The sizes of run chains at each copy. Fails as readState() does. */
export async function readChainSizes(store: ObjectStore): Promise<Outcome<readonly ChainSize[]>> {
  const found = await store.versions(OBJECTS.heads)
  if (!found.ok) return found
  const sizes: ChainSize[] = []
  for (const version of firstOfEach(found.value)) {
    const text = await textOf(store, version, LARGEST_HEAD)
    if (!text.ok) return text
    const size = parseChainSize(text.value)
    if (size === null) return fail('objects.altered', plain(`${version.key} is not the state of a run chain`, 300))
    sizes.push(size)
  }
  return ok(sizes)
}

/** The version of each key that was written first. */
export const firstOfEach = (versions: readonly ObjectVersion[]): readonly ObjectVersion[] =>
  versions.filter(({ key }, at) => versions[at - 1]?.key !== key)

/**
 * A version as text, up to this many bytes. Fails as the store does; an answer that ends early counts as no answer.
 */
export async function textOf(store: ObjectStore, version: ObjectVersion, largest: number): Promise<Outcome<string>> {
  if (version.size > largest)
    return fail('objects.altered', plain(`${version.key} has more than ${largest} bytes`, 300))
  try {
    return ok(new TextDecoder().decode(await store.stored(version, '').read()))
  } catch (problem) {
    return unread(version.key, problem)
  }
}

const unread = (key: string, problem: unknown): Outcome<never> =>
  fail('objects.unreachable', plain(`${key}: ${problem instanceof Error ? problem.message : String(problem)}`, 300))

/** Versions by key. */
export const byKey = (versions: readonly ObjectVersion[]): ReadonlyMap<string, readonly ObjectVersion[]> =>
  grouped(versions, ({ key }) => [key])

/** The first version of a blob that has these bytes; null for none. Each is read and compared. */
export async function versionWith(
  store: ObjectStore,
  versions: readonly ObjectVersion[],
  { size, sha256: digest }: Pick<StoredBytes, 'size' | 'sha256'>,
): Promise<Outcome<ObjectVersion | null>> {
  for (const version of versions.filter((one) => one.size === size)) {
    try {
      if ((await sha256OfPieces(store.stored(version, digest).open())) === digest) return ok(version)
    } catch (problem) {
      return unread(blobKey(digest), problem)
    }
  }
  return ok(null)
}

/**
 * Stores bytes under a key unless a version of it has them, and asks the store for size and retention. Returns
 * whether they were stored now, and only after the store confirmed both. `isKnown`: a list of this store names them,
 * so that they need not be read again. Fails with objects.refused where the store does not keep them until that time.
 */
export async function keepObject(
  store: ObjectStore,
  key: string,
  content: StoredBytes,
  {
    until,
    found,
    isKnown,
  }: { readonly until: string; readonly found: readonly ObjectVersion[]; readonly isKnown: boolean },
): Promise<Outcome<boolean>> {
  // With the rights to write, another version of this size can be put there: which of them has the bytes is then read.
  const [only, ...others] = found.filter(({ size }) => size === content.size)
  const before =
    isKnown && only !== undefined && others.length === 0 ? ok(only) : await versionWith(store, found, content)
  if (!before.ok) return before
  const stored = before.value === null ? await store.put(key, content, until) : ok(before.value.version)
  if (!stored.ok) return stored
  const confirmed = await confirm(store, key, stored.value, { size: content.size, until })
  return confirmed.ok ? ok(before.value === null) : confirmed
}

/** Checks size and retention of a version with the store; a retention that ends earlier is extended. */
async function confirm(
  store: ObjectStore,
  key: string,
  version: string,
  wanted: { readonly size: number; readonly until: string },
): Promise<Outcome<null>> {
  const head = await store.head(key, version)
  if (!head.ok) return head
  if (whyNotKept(head.value, wanted, store.locks) === null) return ok(null)
  if (head.value?.size === wanted.size) {
    const longer = await store.extend(key, version, wanted.until)
    if (!longer.ok) return longer
  }
  const after = await store.head(key, version)
  if (!after.ok) return after
  const why = whyNotKept(after.value, wanted, store.locks)
  return why === null ? ok(null) : fail('objects.refused', plain(`${key} ${why}`, 300))
}

import { fail, type Outcome, ok } from '../../core/failure.ts'
import { type ObjectStore, type ObjectVersion, whyNotKept } from '../../core/objects.ts'
import { plain } from '../../core/plain-text.ts'
import type { StoredBytes } from '../../core/recording.ts'
import { versionWith } from './state.ts'

/**
 * Stores bytes under a key unless a version of it has them, and asks the store for size and retention. Resolves only where it confirmed both.
 * `isKnown`: a list of this store names them, so that they need not be read again. Gives whether they were stored now. Fails with
 * objects.refused where the store does not keep them until the day.
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

/** Size and retention of a version as the store states them; a retention that ends earlier is made longer. */
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

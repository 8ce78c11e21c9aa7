import { canonicalJson } from '../base/canonical-json.ts'
import { isSha256, type Sha256, sha256 } from '../base/digest.ts'
import { OUTBOX_KEY, type OutboxItem } from './item.ts'

/** Delivery state of one item for one target. */
export type LetterState =
  | { readonly is: 'waiting'; readonly item: OutboxItem; readonly until: string | null; readonly why: string | null }
  | { readonly is: 'delivered' }
  | { readonly is: 'given-up'; readonly why: string }

/** One item for one target. */
export interface Letter {
  readonly target: string
  readonly key: string
  /** Digest of the content that was planned last. */
  readonly digest: Sha256
  /** Evaluation date of that content. */
  readonly asOf: string
  /** Attempts for this content. */
  readonly attempts: number
  readonly state: LetterState
  /** Name that the receiver assigned; null where none was received. */
  readonly remote: string | null
  /** Run of the content that was planned last, and time of the last entry (UTC, ISO 8601); null in entries of earlier versions. */
  readonly run: string | null
  readonly at: string | null
}

interface About {
  readonly target: string
  readonly key: string
  readonly digest: Sha256
  /** UTC, ISO 8601. */
  readonly at: string
}

/**
 * One line of the journal of an outbox. An item is planned before anything is sent. An attempt is recorded before it begins, and its outcome
 * after the answer. `kept`: a letter in a shortened journal.
 */
export type OutboxEntry =
  | { readonly kind: 'kept'; readonly letter: Omit<Letter, 'run' | 'at'> & Partial<Pick<Letter, 'run' | 'at'>> }
  | (About & { readonly kind: 'planned'; readonly item: OutboxItem })
  | (About & { readonly kind: 'attempted' })
  | (About & { readonly kind: 'delivered'; readonly remote: string | null })
  | (About & { readonly kind: 'deferred'; readonly until: string; readonly why: string })
  | (About & { readonly kind: 'given-up'; readonly why: string })

export const letterName = ({ target, key }: Pick<Letter, 'target' | 'key'>): string => `${target}\n${key}`

export const itemDigest = (item: OutboxItem): Sha256 => sha256(canonicalJson(item))

/** A letter after an entry; null where the entry does not fit the state of the letter. */
export function letterAfter(before: Letter | undefined, entry: OutboxEntry): Letter | null {
  if (entry.kind === 'kept') {
    const { run = null, at = null, ...letter } = entry.letter
    return { ...letter, run: run ?? (letter.state.is === 'waiting' ? letter.state.item.run : null), at }
  }
  const { at } = entry
  if (entry.kind === 'planned') {
    const { target, key, digest, item } = entry
    const state: LetterState = { is: 'waiting', item, until: null, why: null }
    const { asOf, run } = item
    return { target, key, digest, asOf, attempts: 0, state, remote: before?.remote ?? null, run, at }
  }
  if (before === undefined || before.digest !== entry.digest || before.state.is !== 'waiting') return null
  switch (entry.kind) {
    case 'attempted':
      return { ...before, at, attempts: before.attempts + 1 }
    case 'delivered':
      return { ...before, at, state: { is: 'delivered' }, remote: entry.remote ?? before.remote }
    case 'deferred':
      return { ...before, at, state: { ...before.state, until: entry.until, why: entry.why } }
    case 'given-up':
      return { ...before, at, state: { is: 'given-up', why: entry.why } }
  }
}

/**
 * Items that a target lacks, or has with other content that is not of a later evaluation date. An item that was given up is planned again only
 * where its content changed.
 */
export const unplanned = (
  known: ReadonlyMap<string, Letter>,
  target: string,
  items: readonly OutboxItem[],
): readonly OutboxItem[] =>
  items.filter((item) => {
    const letter = known.get(letterName({ target, key: item.key }))
    return letter === undefined || (letter.digest !== itemDigest(item) && letter.asOf <= item.asOf)
  })

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isItem = (value: unknown): boolean =>
  isObject(value) && value.schema === 'barewitness.item/1' && (value.kind === 'finding' || value.kind === 'pack')
const isAbout = ({ target, key, digest }: Readonly<Record<string, unknown>>): boolean =>
  isText(target) && isText(key) && OUTBOX_KEY.test(key) && isText(digest) && isSha256(digest)

/** Whether a value is a valid entry of the journal. */
export function isOutboxEntry(value: unknown): value is OutboxEntry {
  if (!isObject(value)) return false
  if (value.kind === 'kept') return isLetter(value.letter)
  if (!isAbout(value) || !isText(value.at)) return false
  switch (value.kind) {
    case 'planned':
      return isItem(value.item)
    case 'attempted':
      return true
    case 'delivered':
      return isTextOrNull(value.remote)
    case 'deferred':
      return isText(value.until) && isText(value.why)
    case 'given-up':
      return isText(value.why)
    default:
      return false
  }
}

function isLetter(value: unknown): boolean {
  if (!isObject(value) || !isAbout(value) || !isTextOrNull(value.remote) || !isObject(value.state)) return false
  const { is, item, until, why } = value.state
  if (!Number.isSafeInteger(value.attempts) || !isText(value.asOf)) return false
  // Absent in journals of earlier versions.
  if (!isTextOrNull(value.run ?? null) || !isTextOrNull(value.at ?? null)) return false
  return is === 'delivered' || (is === 'given-up' && isText(why))
    ? true
    : is === 'waiting' && isItem(item) && isTextOrNull(until) && isTextOrNull(why)
}

import { type Sha256, sha256 } from '../base/digest.ts'
import { type GroupFinder, groupFinder } from './literals.ts'
import { withoutCommandLineSecrets } from './redact-command-lines.ts'
import type { Mark, RedactionClass, Rule } from './redact-parts.ts'
import { RULES } from './redact-rules.ts'

/** Number of replaced secrets by class; a class without any is absent. */
export type RedactionCounts = Readonly<Partial<Record<RedactionClass, number>>>

interface Redacted {
  readonly bytes: Uint8Array
  readonly count: number
  readonly classes: RedactionCounts
}

/**
 * Masks secrets in command output, before it is hashed and stored: the second protection, after commands that request no secrets. Each
 * secret is replaced by `[redacted:<class>]`. Public keys, fingerprints, digests and UUIDs are kept. Every step is linear in the input. Pure;
 * returns the same array when nothing was found.
 */
export const redact = (bytes: Uint8Array): Redacted => redactBy(RULES, bytes)

/** As `redact`, with other rules; for tests. */
export function redactBy(rules: readonly Rule[], bytes: Uint8Array): Redacted {
  // Latin-1 maps bytes to characters one to one, so that unmasked bytes stay exactly the same.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('latin1')
    .replaceAll(BLANK_BYTE, LETTER)
  const counts = new Map<RedactionClass, number>()
  const mark: Mark = (kind, length) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return markerOf(kind, length)
  }
  let ruled = withoutPrivateKeys(text, mark)
  const finder = finderFor(rules)
  let mayMatch = finder(ruled)
  for (const [index, rule] of rules.entries()) {
    if (mayMatch[index] !== 1) continue
    const after = withoutMatches(ruled, rule, mark)
    if (after === ruled) continue
    ruled = after
    mayMatch = finder(ruled)
  }
  const redacted = withoutCommandLineSecrets(ruled, mark)
  const count = [...counts.values()].reduce((sum, one) => sum + one, 0)
  return count === 0
    ? { bytes, count, classes: {} }
    : {
        bytes: new Uint8Array(Buffer.from(redacted.replaceAll(LETTER, BLANK_BYTE), 'latin1')),
        count,
        classes: sorted(counts),
      }
}

/**
 * The byte 0xA0 is a blank in Latin-1 and in `\s`, but a part of letters such as à in UTF-8, where no program of a node ends a word. While rules
 * are applied, a letter outside of Latin-1 replaces it.
 */
const BLANK_BYTE = '\u00a0'
const LETTER = '\u0100'

const FINDERS = new WeakMap<readonly Rule[], GroupFinder>()

/** Which rules may match a text, by their literals. */
function finderFor(rules: readonly Rule[]): GroupFinder {
  const known = FINDERS.get(rules)
  if (known !== undefined) return known
  const finder = groupFinder(rules.map(({ needs }) => needs))
  FINDERS.set(rules, finder)
  return finder
}

/** Classes in a fixed order, so that the same answer is always described by the same bytes. */
const sorted = (counts: ReadonlyMap<RedactionClass, number>): RedactionCounts =>
  Object.fromEntries([...counts.entries()].sort())

// Parsers refuse lines that are longer than the program itself reads. Masking must not make such a line short enough.
const KEPT_LENGTH = 1024

function markerOf(kind: RedactionClass, length: number): string {
  const marker = `[redacted:${kind}]`
  return length < KEPT_LENGTH ? marker : marker.padEnd(length, '*')
}

function withoutMatches(text: string, { class: kind, pattern, rest }: Rule, mark: Mark): string {
  const kept: string[] = []
  let from = 0
  pattern.lastIndex = 0
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [whole, head = '', tail = ''] = found
    const end = rest === undefined ? pattern.lastIndex : endOf(text, pattern.lastIndex, rest(head))
    kept.push(text.slice(from, found.index), head, mark(kind, whole.length + end - pattern.lastIndex), tail)
    from = end
    pattern.lastIndex = end
  }
  return kept.join('') + text.slice(from)
}

/** The end of consecutive matches from a position on. */
function endOf(text: string, from: number, rest: RegExp): number {
  let end = from
  rest.lastIndex = end
  while (rest.test(text)) end = rest.lastIndex
  return end
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y

/**
 * Masks RFC 7468 private keys, from their first line to their last; a truncated one ends at the next dashes or at the end of the text. Lines
 * that belong to no key can be masked with it, so an answer with a masked private key is not parsed (`readProbe`).
 */
function withoutPrivateKeys(text: string, mark: Mark): string {
  const kept: string[] = []
  let from = 0
  BEGIN.lastIndex = 0
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const dashes = text.indexOf('-----', BEGIN.lastIndex)
    END.lastIndex = dashes
    const end = dashes === -1 ? text.length : END.test(text) ? END.lastIndex : dashes
    kept.push(text.slice(from, begin.index), mark('private-key', 0))
    from = end
    BEGIN.lastIndex = end
  }
  return kept.join('') + text.slice(from)
}

/** A masked answer as it is stored, with the digest of its bytes. */
export interface Masked extends Redacted {
  readonly sha256: Sha256
}

/** Masks an answer: the same bytes always give the same result. */
export type Masking = (bytes: Uint8Array) => Masked

export const masked: Masking = (bytes) => describe(redact(bytes))

const describe = (redacted: Redacted): Masked => ({ ...redacted, sha256: sha256(redacted.bytes) })

/** Answers that many nodes share recur soon. An entry without masked bytes takes about 200 bytes. */
const MOST_ANSWERS = 20_000
const MOST_BYTES = 8 * 1024 * 1024

/**
 * As `masked`, but equal answers are masked once: results are kept by the SHA-256 of the answer. For an answer without secrets only that fact
 * is kept, for others the masked bytes. The oldest entries are dropped at the limits.
 */
export function rememberingMasking(mostAnswers = MOST_ANSWERS, mostBytes = MOST_BYTES): Masking {
  const kept = new Map<Sha256, Masked | null>()
  let size = 0
  const drop = (digest: Sha256): void => {
    size -= kept.get(digest)?.bytes.length ?? 0
    kept.delete(digest)
  }
  return (bytes) => {
    const digest = sha256(bytes)
    const before = kept.get(digest)
    if (before !== undefined) return before ?? { bytes, count: 0, classes: {}, sha256: digest }
    const redacted = redact(bytes)
    const result: Masked = redacted.bytes === bytes ? { ...redacted, sha256: digest } : describe(redacted)
    kept.set(digest, redacted.bytes === bytes ? null : result)
    if (redacted.bytes !== bytes) size += redacted.bytes.length
    for (const oldest of kept.keys()) {
      if (kept.size <= mostAnswers && size <= mostBytes) break
      drop(oldest)
    }
    return result
  }
}

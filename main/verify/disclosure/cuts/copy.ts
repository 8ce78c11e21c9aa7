import { parseBounded } from '../../../core/base/bounded-json.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { isSha256, type Sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { decodeUtf8, quote } from '../../../core/base/plain-text.ts'
import { isSafePath } from '../../../core/pack/pack-files.ts'
import type { PackSource } from '../../../core/ports/ports.ts'
import { compare } from '../../../core/recording/recording.ts'
import { bytesOf, textOf } from '../../steps/read.ts'
import { isPartClass, type PartClass } from './classes.ts'
import {
  bucketOf,
  type CommittedPart,
  commitment,
  INDEX_PATH,
  isUnit,
  type Part,
  partsOf,
  pathPartsOf,
  rootOf,
  SEED_PATH,
  seedIn,
  unitRoot,
} from './parts.ts'
import { firstOfCaptures, type Word, type WordIndex, wordIndex, wordsIn } from './words.ts'

/** The copy’s own file: one line per unit, in the order of disclosure-sha256.txt. */
export const UNITS_PATH = 'disclosed.jsonl'

export interface OpenPart {
  readonly class: PartClass
  readonly salt: Sha256
  readonly bytes: Uint8Array
}

export type DisclosedPart = OpenPart | CommittedPart

/** One payload file in the copy. */
export interface DisclosedUnit {
  readonly path: readonly DisclosedPart[]
  readonly content: readonly DisclosedPart[]
}

export const isOpen = (part: DisclosedPart): part is OpenPart => 'salt' in part
export const isWhollyOpen = ({ content }: DisclosedUnit): boolean => content.every(isOpen)

/** The bytes of a unit without redacted parts. */
export const bytesOfUnit = ({ content }: DisclosedUnit): Uint8Array | null =>
  content.every(isOpen) ? new Uint8Array(Buffer.concat(content.map(({ bytes }) => bytes))) : null

/** The text of parts, with `gap` for each redacted one. */
export const textOfParts = (parts: readonly DisclosedPart[], gap: (part: CommittedPart) => string): string =>
  parts
    .map((part) => (isOpen(part) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(part.bytes) : gap(part)))
    .join('')

/** The unit root, from disclosed parts and commitments. */
export const unitRootOf = ({ path, content }: DisclosedUnit): Sha256 =>
  rootOf(path.map(committed), content.map(committed))

export const committed = (part: DisclosedPart): CommittedPart =>
  isOpen(part)
    ? {
        class: part.class,
        bucket: bucketOf(part.bytes.length),
        commitment: commitment(Buffer.from(part.salt, 'hex'), part.bytes),
      }
    : part

/** The one line of a unit: canonical JSON (RFC 8785) and a line end. */
export const unitLine = ({ path, content }: DisclosedUnit): string =>
  `${canonicalJson({ path: path.map(partJson), content: content.map(partJson) })}\n`

/** A part as JSON: a whole file in base64 (RFC 4648 §4), everything else as text. */
export const partJson = (part: DisclosedPart): object =>
  !isOpen(part)
    ? { class: part.class, bucket: part.bucket, commitment: part.commitment }
    : part.class === 'file'
      ? { class: part.class, salt: part.salt, base64: Buffer.from(part.bytes).toString('base64') }
      : { class: part.class, salt: part.salt, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(part.bytes) }

/** Parses a line strictly: it must be the canonical line of a unit. Null for anything else. */
export function readUnitLine(line: string): DisclosedUnit | null {
  try {
    const value: unknown = parseBounded(line)
    if (!hasKeys(value, ['content', 'path']) || !Array.isArray(value.path) || !Array.isArray(value.content)) return null
    const [path, content] = [value.path.map(readPart), value.content.map(readPart)]
    if (!path.every((part) => part !== null) || !content.every((part) => part !== null)) return null
    const unit = { path, content }
    const isFit = path.length > 0 && isSafePath(textOfParts(path, () => 'x'))
    return isFit && unitLine(unit) === `${line}\n` ? unit : null
  } catch {
    return null
  }
}

/** Parses a part strictly; null for anything else. Invalid UTF-8 and non-canonical base64 are detected by the line comparison. */
export function readPart(value: unknown): DisclosedPart | null {
  if (hasKeys(value, ['bucket', 'class', 'commitment'])) {
    const { class: kind, bucket, commitment: over } = value
    if (!isPartClass(kind) || !isDigest(over) || !isBucket(bucket)) return null
    return { class: kind, bucket, commitment: over }
  }
  const isFile = hasKeys(value, ['base64', 'class', 'salt'])
  if (!isFile && !hasKeys(value, ['class', 'salt', 'text'])) return null
  const { class: kind, salt } = value
  const content = isFile ? value.base64 : value.text
  if (!isPartClass(kind) || (kind === 'file') !== isFile || !isDigest(salt) || typeof content !== 'string') return null
  const bytes = new Uint8Array(Buffer.from(content, isFile ? 'base64' : 'utf8'))
  return bytes.length === 0 || (!isFile && decodeUtf8(bytes) !== content) ? null : { class: kind, salt, bytes }
}

const isDigest = (value: unknown): value is Sha256 => typeof value === 'string' && isSha256(value)
const isBucket = (value: unknown): value is number =>
  typeof value === 'number' && value >= 8 && value <= 2 ** 40 && bucketOf(value) === value

function hasKeys<K extends string>(value: unknown, keys: readonly K[]): value is Record<K, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.keys(value).sort().join() === keys.join()
}

/** A payload file of the full pack, divided into parts as at sealing. */
export interface FullUnit {
  readonly path: string
  readonly bytes: Uint8Array
  readonly pathParts: readonly Part[]
  readonly parts: readonly Part[]
}

interface FullPack {
  readonly seed: Uint8Array
  readonly words: WordIndex
  /** In the order of the index. */
  readonly units: readonly FullUnit[]
}

/**
 * Opens a full pack for redaction: its seed, and every payload file divided into parts. Fails with `input.refused` for a pack sealed without a seed,
 * and with `pack.altered` where a file differs from the index: the copy would then not verify.
 */
export async function openForDisclosure(source: PackSource): Promise<Outcome<FullPack>> {
  const index = await readIndex(source)
  if (!index.ok) return index
  const { seed, words } = index.value
  const units: FullUnit[] = []
  for await (const unit of unitsOf(source, index.value)) {
    if (!unit.ok) return unit
    const { path, bytes } = unit.value
    units.push({ path, bytes, pathParts: pathPartsOf(path, words), parts: partsOf(path, bytes, words) })
  }
  return ok({ seed, words, units })
}

/**
 * Problems of the index of a full pack: a sealing party could otherwise show different contents in the pack and in a copy.
 * None for a pack without seed and index. One file is in memory at a time.
 */
export async function indexProblems(source: PackSource): Promise<readonly string[]> {
  if (!source.paths.includes(INDEX_PATH) && !source.paths.includes(SEED_PATH)) return []
  const index = await readIndex(source)
  if (!index.ok) return [`${index.error.detail}.`]
  for await (const unit of unitsOf(source, index.value)) if (!unit.ok) return [`${unit.error.detail}.`]
  return []
}

interface Index {
  readonly seed: Uint8Array
  readonly words: WordIndex
  readonly paths: readonly string[]
  /** One for each path. */
  readonly roots: readonly string[]
}

async function readIndex(source: PackSource): Promise<Outcome<Index>> {
  const file = await bytesOf(source, SEED_PATH)
  const roots = (await textOf(source, INDEX_PATH))?.split('\n', source.paths.length + 2).slice(0, -1)
  const seed = file === null ? null : seedIn(file)
  if (seed === null || roots === undefined)
    return fail(
      'input.refused',
      `this pack has no ${SEED_PATH} or no ${INDEX_PATH}: it was sealed without redaction support; export it again`,
    )
  const paths = source.paths.filter(isUnit).sort(compare)
  if (paths.length !== roots.length)
    return fail('pack.altered', `${INDEX_PATH} does not have one line per file of the pack`)
  return ok({ seed, words: await wordsOf(source, paths), paths, roots })
}

/** Yields each payload file that matches its line of the index; the first mismatch ends the iteration. */
async function* unitsOf(
  source: PackSource,
  { seed, words, paths, roots }: Index,
): AsyncGenerator<Outcome<{ readonly path: string; readonly bytes: Uint8Array }>> {
  for (const [index, path] of paths.entries()) {
    const bytes = await bytesOf(source, path)
    if (bytes === null) return yield fail('pack.unreadable', `${quote(path, 400)} cannot be read`)
    if (unitRoot(path, bytes, seed, words, source.comparedWith?.(path)) !== roots[index])
      return yield fail('pack.altered', `${quote(path, 400)} does not match line ${index + 1} of ${INDEX_PATH}`)
    yield ok({ path, bytes })
  }
}

async function wordsOf(source: PackSource, paths: readonly string[]): Promise<WordIndex> {
  const words: Word[] = []
  const isNew = firstOfCaptures()
  for (const path of paths) {
    if (!isNew(path, await source.sha256(path).catch(() => null))) continue
    for (const word of wordsIn(path, (await bytesOf(source, path)) ?? new Uint8Array())) words.push(word)
  }
  return wordIndex(words)
}

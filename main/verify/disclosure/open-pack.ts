import { fail, type Outcome } from '../../core/failure.ts'
import { quote } from '../../core/plain-text.ts'
import type { PackSource } from '../../core/ports.ts'
import { compare } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { bytesOf, textOf } from '../steps/read.ts'
import { INDEX_PATH, isUnit, SEED_PATH, seedIn, unitRoot } from './commit.ts'
import { type Part, partsOf, pathPartsOf } from './parts.ts'
import { firstOfCaptures, type Word, type WordIndex, wordIndex, wordsIn } from './words.ts'

/** A payload file of the full pack, divided into parts as at sealing. */
export interface FullUnit {
  readonly path: string
  readonly bytes: Uint8Array
  readonly pathParts: readonly Part[]
  readonly parts: readonly Part[]
}

export interface FullPack {
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
    if (unitRoot(path, bytes, seed, words) !== roots[index])
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

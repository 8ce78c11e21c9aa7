import { type PackContent, type PackFiles, sizeOf } from '../core/pack-files.ts'
import { INDEX_PATH, indexOf, isUnit, unitRoot } from '../verify/disclosure/commit.ts'
import { type Word, wordIndex, wordsIn } from '../verify/disclosure/words.ts'

/**
 * Above this size a pack is sealed without the index that redacted copies need: cutting every text takes longer than
 * all the rest.
 */
const LARGEST = 256 * 1024 * 1024

export function isDisclosable(payload: PackFiles): boolean {
  let total = 0
  for (const content of payload.values()) total += sizeOf(content)
  return total <= LARGEST
}

/**
 * The index that ties later redacted copies to the seal: a file outside the payload. One file is in memory at a time.
 */
export async function disclosureTag(payload: PackFiles, seed: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const words: Word[] = []
  const units = [...payload].filter(([path]) => isUnit(path))
  for (const [path, content] of units) words.push(...wordsIn(path, await bytesIn(content)))
  const index = wordIndex(words)
  const roots = new Map<string, string>()
  for (const [path, content] of units) roots.set(path, unitRoot(path, await bytesIn(content), seed, index))
  return new Map([[INDEX_PATH, indexOf(roots)]])
}

const bytesIn = async (content: PackContent): Promise<Uint8Array> =>
  content instanceof Uint8Array ? content : await content.read()

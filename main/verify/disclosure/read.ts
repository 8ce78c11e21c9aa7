import { MOST_PROBLEMS } from '../../core/base/budgets.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { isSha256, type Sha256 } from '../../core/base/digest.ts'
import { quote } from '../../core/base/plain-text.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { PackSource } from '../../core/ports/ports.ts'
import { compare } from '../../core/recording/recording.ts'
import { bytesOf, textOf } from '../steps/read.ts'
import { isRunPayload, isTagFile, notInPacks, unlistedIn } from '../steps/tags.ts'
import { type DisclosedUnit, isOpen, readUnitLine, textOfParts, UNITS_PATH, unitRootOf } from './cuts/copy.ts'
import { INDEX_PATH } from './cuts/parts.ts'
import { isCopied } from './disclose.ts'
import { countsOf, type DisclosureCounts, type DisclosureNotes, NOTES_PATH, readNotes } from './notes.ts'
import { ambiguityIn } from './rebuild.ts'

export interface DisclosureReading {
  /** Empty: every disclosed byte is covered by the sealed list. The seal itself is verified separately. */
  readonly problems: readonly string[]
  /** The lines of disclosure-sha256.txt. */
  readonly roots: readonly Sha256[]
  /** In the order of the index; units that do not match their line are omitted and reported in `problems`. */
  readonly units: readonly DisclosedUnit[]
  readonly counts: DisclosureCounts
  /** The owner’s statements, not covered by the seal; null when they cannot be read. */
  readonly notes: DisclosureNotes | null
}

const LARGEST_UNITS = 1024 * 1024 * 1024
/** Maximum number of files of a pack. */
const MOST_UNITS = 400_000

/** Whether a source is a redacted copy rather than a pack. */
export const isDisclosure = ({ paths }: PackSource): boolean => paths.includes(UNITS_PATH)

/**
 * Reads a redacted copy. Every unit root is recomputed from disclosed parts and commitments and must equal its line of the
 * index; the files must be exactly those of a copy, as in the sealed list. Never throws, whatever the copy contains.
 */
export async function readDisclosure(source: PackSource): Promise<DisclosureReading> {
  const problems: string[] = [...(await fileProblems(source))]
  const roots = (await textOf(source, INDEX_PATH))?.split('\n', MOST_UNITS + 2) ?? ['']
  if (roots.pop() !== '' || roots.length > MOST_UNITS || !roots.every(isSha256))
    problems.push(`${INDEX_PATH} is not a list of digests.`)
  const file = await bytesOf(source, UNITS_PATH)
  const units: DisclosedUnit[] = []
  let before = ''
  let count = 0
  for (const line of linesOf(file === null || file.length > LARGEST_UNITS ? new Uint8Array() : file)) {
    const unit = line === null ? null : readUnitLine(line)
    const path = unit?.path.every(isOpen) === true ? textOfParts(unit.path, () => '') : null
    const ambiguity = unit === null ? null : ambiguityIn(unit)
    if (unit === null || unitRootOf(unit) !== roots[count])
      problems.push(`${UNITS_PATH}:${count + 1} does not match line ${count + 1} of ${INDEX_PATH}.`)
    else if (unit.path.some((part) => part.class === 'text' && !isOpen(part)))
      problems.push(`${UNITS_PATH}:${count + 1}: plain text of a path is redacted, which is not permitted.`)
    else if (path !== null && compare(path, before) <= 0)
      problems.push(`${UNITS_PATH}:${count + 1}: ${quote(path, 400)} is out of order.`)
    else if (path !== null && !isRunPayload(path)) problems.push(`${UNITS_PATH}:${count + 1}: ${notInPacks(path)}`)
    else if (ambiguity !== null) problems.push(`${UNITS_PATH}:${count + 1}: a JSON document ${ambiguity}.`)
    else units.push(unit)
    before = path ?? before
    count += 1
    if (problems.length > MOST_PROBLEMS || count > roots.length) break
  }
  if (count !== roots.length) problems.push(`${UNITS_PATH} does not have one unit per line of ${INDEX_PATH}.`)
  const counts = countsOf(units)
  const notes = readNotes(await textOf(source, NOTES_PATH))
  if (notes === null) problems.push(`${NOTES_PATH} is missing or cannot be read.`)
  else if (canonicalJson(notes.counts) !== canonicalJson(counts))
    problems.push(`${NOTES_PATH} states counts that differ from the copy.`)
  return { problems, roots, units, counts, notes }
}

/** The lines of a file; null for a line that is not UTF-8 and for text after the last line end. */
function* linesOf(file: Uint8Array): Generator<string | null> {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (let at = 0; at < file.length; ) {
    const end = file.indexOf(0x0a, at)
    let line: string | null = null
    try {
      line = end === -1 ? null : utf8.decode(file.subarray(at, end))
    } catch {
      // Null: the caller reports the line.
    }
    yield line
    at = end === -1 ? file.length : end + 1
  }
}

async function fileProblems(source: PackSource): Promise<readonly string[]> {
  const there = new Set(source.paths)
  const listed = new Map<string, string>()
  const problems: string[] = there.size === source.paths.length ? [] : ['A file occurs twice.']
  for (const line of (await textOf(source, PATHS.tagManifest))?.split('\n', MOST_UNITS + 1).slice(0, -1) ?? [])
    listed.set(line.slice(66), line.slice(0, 64))
  const unlisted = new Set([...unlistedIn(source), UNITS_PATH, NOTES_PATH])
  for (const path of source.paths) {
    if (unlisted.has(path)) continue
    if (!isCopied(path)) problems.push(`${quote(path, 400)} does not belong in a redacted copy.`)
    else if (listed.get(path) !== (await source.sha256(path).catch(() => null)))
      problems.push(`${quote(path, 400)} differs from its digest in ${PATHS.tagManifest}.`)
  }
  problems.push(
    ...[...listed.keys()]
      .filter((path) => !isTagFile(path))
      .slice(0, MOST_PROBLEMS)
      .map(notInPacks),
  )
  const expected = [...listed.keys()].filter(isCopied)
  for (const path of new Set([PATHS.tagManifest, PATHS.bag, PATHS.seal, INDEX_PATH, UNITS_PATH, ...expected]))
    if (!there.has(path)) problems.push(`${quote(path, 400)} is missing.`)
  return problems.slice(0, MOST_PROBLEMS)
}

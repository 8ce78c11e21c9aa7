import { MOST_ENTRIES, MOST_PROBLEMS } from '../base/budgets.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { rootOf, type Sha256, verifyConsistency, verifyInclusion } from '../base/digest.ts'
import { quote } from '../base/plain-text.ts'
import {
  entryBytes,
  hasExactly,
  isDigest,
  isName,
  type LoggedEntry,
  leafOf,
  parsedJson,
  parseEntryLine,
  type RunChain,
} from './entry.ts'
import {
  CHAIN_PATHS,
  CHAIN_SCHEMA,
  lastRun,
  leavesText,
  parseConsistency,
  parseInclusion,
  type StatedHead,
} from './notes.ts'

/** The run chain stated by a pack. */
export interface ChainReading extends RunChain {
  /** Recomputed from the entries. */
  readonly leaves: readonly Sha256[]
  /** Inconsistencies, one sentence each. Other fields are reliable only if there are none. */
  readonly problems: readonly string[]
}

/** Problems of a detached CMS signature over these bytes by the key with this fingerprint; empty when it is valid. */
export type SignatureProblems = (bytes: Uint8Array, signature: Uint8Array, signer: Sha256) => Promise<readonly string[]>

/**
 * Reads data/log/. `read` returns a file’s text, or null when it is missing or not text. All derivable values are
 * recomputed and compared: leaf hashes, root, both proofs, and signatures of entries. Null when the pack has no such files.
 */
export async function readChainFiles(
  read: (path: string) => Promise<string | null>,
  verifySignature: SignatureProblems,
): Promise<ChainReading | null> {
  const texts = {
    chain: await read(CHAIN_PATHS.chain),
    entries: await read(CHAIN_PATHS.entries),
    leaves: await read(CHAIN_PATHS.leaves),
    inclusion: await read(CHAIN_PATHS.inclusion),
    consistency: await read(CHAIN_PATHS.consistency),
  }
  if (Object.values(texts).every((text) => text === null)) return null
  const stated = parseStatedHead(texts.chain)
  const { entries, problems } = parseEntries(texts.entries)
  const leaves = entries.map(({ entry }) => leafOf(entry))
  const about = { id: stated?.id ?? '', fleet: stated?.fleet ?? '', entries, leaves }
  if (stated === null) return { ...about, problems: [`${CHAIN_PATHS.chain} is missing or not in canonical form.`] }
  if (problems.length > 0) return { ...about, problems }
  return {
    ...about,
    problems: [
      ...headProblems(stated, leaves, texts.leaves),
      ...proofProblems(texts, entries, leaves),
      ...entryProblems(entries, stated.fleet),
      ...(await signatureProblems(entries, verifySignature)),
    ],
  }
}

const line = (index: number): string => `${CHAIN_PATHS.entries}:${index + 1}`

/** Parses chain.json strictly; null for anything else. */
export function parseStatedHead(text: string | null): StatedHead | null {
  const value = parsedJson(text ?? '')
  if (!hasExactly(value, ['schema', 'id', 'fleet', 'size', 'root'])) return null
  const { schema, id, fleet, size, root } = value
  if (schema !== CHAIN_SCHEMA || !isDigest(id) || !isName(fleet) || !isDigest(root)) return null
  if (typeof size !== 'number' || !Number.isSafeInteger(size)) return null
  const head = { schema, id, fleet, size, root } as const
  return `${canonicalJson(head)}\n` === text ? head : null
}

interface Entries {
  readonly entries: readonly LoggedEntry[]
  readonly problems: readonly string[]
}

/** Lines of entries; parsing stops at the first invalid line, because the position of later ones would be wrong. */
function parseEntries(text: string | null): Entries {
  const lines = text?.split('\n', MOST_ENTRIES + 2)
  if (lines === undefined || lines.length > MOST_ENTRIES || lines.pop() !== '')
    return { entries: [], problems: [`${CHAIN_PATHS.entries} is missing, too long, or its last line has no line end.`] }
  const entries: LoggedEntry[] = []
  for (const [index, one] of lines.entries()) {
    const entry = parseEntryLine(one)
    if (entry === null) return { entries, problems: [`${line(index)} is not an entry in canonical form.`] }
    entries.push(entry)
  }
  return { entries, problems: [] }
}

function headProblems(stated: StatedHead, leaves: readonly Sha256[], leavesFile: string | null): readonly string[] {
  const { chain, entries, leaves: path } = CHAIN_PATHS
  const problems: string[] = []
  if (stated.size !== leaves.length)
    problems.push(`${chain} states ${stated.size} entries, but ${entries} has ${leaves.length}.`)
  if (stated.root !== rootOf(leaves))
    problems.push(`The root in ${chain} is not the root of the entries in ${entries}.`)
  if (leavesFile !== leavesText(leaves)) {
    const listed = leavesFile?.split('\n', leaves.length) ?? []
    const first = leaves.findIndex((leaf, index) => listed[index] !== leaf)
    problems.push(
      first < 0
        ? `${path} is missing, or does not correspond to ${entries}.`
        : `${path}:${first + 1} is not the leaf hash of ${line(first)}.`,
    )
  }
  return problems
}

function proofProblems(
  texts: { readonly inclusion: string | null; readonly consistency: string | null },
  entries: readonly LoggedEntry[],
  leaves: readonly Sha256[],
): readonly string[] {
  const index = lastRun(entries)
  if (index < 0)
    return texts.inclusion === null && texts.consistency === null
      ? []
      : ['There are proofs for an earlier run, but no earlier run is entered.']
  const problems: string[] = []
  const [size, root] = [leaves.length, rootOf(leaves)]
  const inclusion = parseInclusion(texts.inclusion ?? '')
  if (inclusion === null) problems.push(`${CHAIN_PATHS.inclusion} is missing or invalid.`)
  else if (
    inclusion.index !== index ||
    inclusion.size !== size ||
    inclusion.root !== root ||
    inclusion.leaf !== leaves[index] ||
    !verifyInclusion(inclusion)
  )
    problems.push(`${CHAIN_PATHS.inclusion} does not lead from the last run, ${line(index)}, to the root of the chain.`)
  const consistency = parseConsistency(texts.consistency ?? '')
  if (consistency === null) problems.push(`${CHAIN_PATHS.consistency} is missing or invalid.`)
  else if (
    consistency.oldSize !== index ||
    consistency.oldRoot !== rootOf(leaves.slice(0, index)) ||
    consistency.newSize !== size ||
    consistency.newRoot !== root ||
    !verifyConsistency(consistency)
  )
    problems.push(
      `${CHAIN_PATHS.consistency} does not connect the checkpoint stated by the last run to the root of the chain.`,
    )
  return problems
}

/** A run chain has one fleet, and each pack is entered once. */
function entryProblems(entries: readonly LoggedEntry[], fleet: string): readonly string[] {
  const problems: string[] = []
  const entered = new Map<Sha256, number>()
  for (const [index, { entry }] of entries.entries()) {
    if (entry.fleet !== fleet)
      problems.push(`${line(index)} is of fleet ${quote(entry.fleet)}, but the chain is of fleet ${quote(fleet)}.`)
    if (entry.kind !== 'run') continue
    const before = entered.get(entry.tagManifest)
    if (before !== undefined) problems.push(`${line(index)} enters the same pack as line ${before + 1}.`)
    entered.set(entry.tagManifest, index)
  }
  return problems
}

async function signatureProblems(
  entries: readonly LoggedEntry[],
  verifySignature: SignatureProblems,
): Promise<readonly string[]> {
  const problems: string[] = []
  const read = new Map<string, readonly string[]>()
  for (const [index, { entry, signature }] of entries.entries()) {
    if (signature === null) continue
    if (problems.length > MOST_PROBLEMS) break
    // The same entry any number of times is read once.
    const key = `${leafOf(entry)} ${signature}`
    const found =
      read.get(key) ?? (await verifySignature(entryBytes(entry), Buffer.from(signature, 'base64'), entry.signer))
    read.set(key, found)
    const [wrong] = found
    if (wrong !== undefined) problems.push(`${line(index)}: the signature of the entry is invalid. ${wrong}`)
  }
  return problems
}

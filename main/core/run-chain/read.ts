import { canonicalJson } from '../canonical-json.ts'
import type { Sha256 } from '../digest.ts'
import { rootOf, verifyConsistency, verifyInclusion } from '../merkle.ts'
import { quote } from '../plain-text.ts'
import { MOST_ENTRIES } from '../verify/budgets.ts'
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
import { CHAIN_PATHS, CHAIN_SCHEMA, lastRun, leavesText, type StatedHead } from './files.ts'
import { parseConsistency, parseInclusion } from './proofs.ts'

/** What a pack states of the chain before it. */
export interface ChainReading extends RunChain {
  /** Of the entries, worked out anew. */
  readonly leaves: readonly Sha256[]
  /** Where the parts do not fit together, one sentence each. The rest is only to be relied on when there is none. */
  readonly problems: readonly string[]
}

/** What is wrong with a detached CMS signature over these bytes by the key with this fingerprint; empty when it verifies. */
export type SignatureProblems = (bytes: Uint8Array, signature: Uint8Array, signer: Sha256) => Promise<readonly string[]>

/**
 * Reads data/log/. `read` gives a file's text, or null when it is missing or no text. Everything that can be worked out is worked out
 * anew and compared: leaf hashes, root, both proofs, and the gaps' signatures. Null when the pack has no such file at all.
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
  if (stated === null) return { ...about, problems: [`${CHAIN_PATHS.chain} is missing or not in its canonical form.`] }
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

/** The content of chain.json, read strictly; null for anything else. */
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

/** Lines of entries; reading stops at the first that is none, since every later one would stand at another place. */
function parseEntries(text: string | null): Entries {
  const lines = text?.split('\n', MOST_ENTRIES + 2)
  if (lines === undefined || lines.length > MOST_ENTRIES || lines.pop() !== '')
    return { entries: [], problems: [`${CHAIN_PATHS.entries} is missing or too long, or its last line has no end.`] }
  const entries: LoggedEntry[] = []
  for (const [index, one] of lines.entries()) {
    const entry = parseEntryLine(one)
    if (entry === null) return { entries, problems: [`${line(index)} is not an entry in its canonical form.`] }
    entries.push(entry)
  }
  return { entries, problems: [] }
}

function headProblems(stated: StatedHead, leaves: readonly Sha256[], leavesFile: string | null): readonly string[] {
  const { chain, entries, leaves: path } = CHAIN_PATHS
  const problems: string[] = []
  if (stated.size !== leaves.length)
    problems.push(`${chain} counts ${stated.size} entries, ${entries} ${leaves.length}.`)
  if (stated.root !== rootOf(leaves))
    problems.push(`The root in ${chain} is not the root of the entries in ${entries}.`)
  if (leavesFile !== leavesText(leaves)) {
    const listed = leavesFile?.split('\n', leaves.length) ?? []
    const first = leaves.findIndex((leaf, index) => listed[index] !== leaf)
    problems.push(
      first < 0
        ? `${path} is missing, or lists other entries than ${entries}.`
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
      : ['There are proofs about an earlier run, and no earlier run is entered.']
  const problems: string[] = []
  const [size, root] = [leaves.length, rootOf(leaves)]
  const inclusion = parseInclusion(texts.inclusion ?? '')
  if (inclusion === null) problems.push(`${CHAIN_PATHS.inclusion} is missing or not in its form.`)
  else if (
    inclusion.index !== index ||
    inclusion.size !== size ||
    inclusion.root !== root ||
    inclusion.leaf !== leaves[index] ||
    !verifyInclusion(inclusion)
  )
    problems.push(`${CHAIN_PATHS.inclusion} does not lead from the last run, ${line(index)}, to the root of the chain.`)
  const consistency = parseConsistency(texts.consistency ?? '')
  if (consistency === null) problems.push(`${CHAIN_PATHS.consistency} is missing or not in its form.`)
  else if (
    consistency.oldSize !== index ||
    consistency.oldRoot !== rootOf(leaves.slice(0, index)) ||
    consistency.newSize !== size ||
    consistency.newRoot !== root ||
    !verifyConsistency(consistency)
  )
    problems.push(`${CHAIN_PATHS.consistency} does not tie the head that the last run stated to the root of the chain.`)
  return problems
}

/** One chain is of one fleet, and a pack is entered once. */
function entryProblems(entries: readonly LoggedEntry[], fleet: string): readonly string[] {
  const problems: string[] = []
  const entered = new Map<Sha256, number>()
  for (const [index, { entry }] of entries.entries()) {
    if (entry.fleet !== fleet)
      problems.push(`${line(index)} is of fleet ${quote(entry.fleet)}, the chain of ${quote(fleet)}.`)
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
  for (const [index, { entry, signature }] of entries.entries()) {
    if (signature === null) continue
    const [wrong] = await verifySignature(entryBytes(entry), Buffer.from(signature, 'base64'), entry.signer)
    if (wrong !== undefined) problems.push(`${line(index)}: the signature of the entry does not verify. ${wrong}`)
  }
  return problems
}

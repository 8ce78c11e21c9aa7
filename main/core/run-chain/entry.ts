import type { PackPredicate } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import { isSha256, type Sha256, sha256 } from '../digest.ts'
import type { Outcome } from '../failure.ts'
import { leafHash } from '../merkle.ts'
import { compare } from '../recording.ts'

/** A sealed run. */
export interface RunEntry {
  readonly kind: 'run'
  readonly run: string
  /** As of when the run was evaluated. */
  readonly at: string
  readonly fleet: string
  /** nodesDigest() of the nodes that the pack states. */
  readonly nodes: Sha256
  /** SHA-256 of the bytes that were sealed: the pack's tag manifest. */
  readonly tagManifest: Sha256
  /** Fingerprint of the signing certificate. */
  readonly signer: Sha256
}

/** A scheduled run that did not happen. */
export interface GapEntry {
  readonly kind: 'gap'
  readonly due: string
  /** When the gap was recorded. */
  readonly at: string
  readonly fleet: string
  /** The owner's words. */
  readonly why: string
  readonly signer: Sha256
}

export type ChainEntry = RunEntry | GapEntry

/** A run is signed by its pack's own seal; a gap has no pack, so its signature (CMS, detached, base64) is kept beside it. */
export type LoggedEntry =
  | { readonly entry: RunEntry; readonly signature: null }
  | { readonly entry: GapEntry; readonly signature: string | null }

/** The runs and gaps of one fleet, in the order they were entered. */
export interface RunChain {
  /** 32 random bytes in hexadecimal, drawn when the chain began. */
  readonly id: string
  readonly fleet: string
  readonly entries: readonly LoggedEntry[]
}

/** A chain held for writing: nobody else adds to it until it is closed. */
export interface OpenRunChain {
  /** As it is now, what was appended included. */
  readonly chain: () => RunChain
  /**
   * Resolves when the entry is on the disk. Refuses what is no entry of this chain. After a failure to write, the chain has to be opened
   * again; the entry may then be there.
   */
  readonly append: (logged: LoggedEntry) => Promise<Outcome<RunChain>>
  readonly close: () => Promise<void>
}

/** The bytes of an entry: what a leaf of the tree is made of, and what a gap's signature is over. */
export const entryBytes = (entry: ChainEntry): Uint8Array => new TextEncoder().encode(canonicalJson(entry))

export const leafOf = (entry: ChainEntry): Sha256 => leafHash(entryBytes(entry))

/** An entry as a line of entries.jsonl, its line end included. */
export const entryLine = (logged: LoggedEntry): string => `${canonicalJson(logged)}\n`

/** SHA-256 of the canonical JSON of [name, host key fingerprint or null] of each node, sorted by name. */
export const nodesDigest = (nodes: readonly Pick<PackPredicate['nodes'][number], 'name' | 'hostKey'>[]): Sha256 =>
  sha256(canonicalJson([...nodes].sort((a, b) => compare(a.name, b.name)).map(({ name, hostKey }) => [name, hostKey])))

/** The entry that stands for a pack, from what the pack itself states. `signer` is the fingerprint of the key that sealed it. */
export const ownEntry = (
  { run, asOf, fleet, nodes }: Pick<PackPredicate, 'run' | 'asOf' | 'fleet' | 'nodes'>,
  tagManifest: Uint8Array,
  signer: Sha256,
): RunEntry => ({
  kind: 'run',
  run,
  at: asOf,
  fleet,
  nodes: nodesDigest(nodes),
  tagManifest: sha256(tagManifest),
  signer,
})

/**
 * A line of entries.jsonl without its line end, read strictly: an entry of a known kind, with no other members, in canonical form
 * (RFC 8785). Null for anything else.
 */
export function parseEntryLine(line: string): LoggedEntry | null {
  const logged = parsedJson(line)
  // The members are known to be flat texts before canonicalJson() goes through them, so that nesting cannot exhaust the stack.
  return isLogged(logged) && canonicalJson(logged) === line ? logged : null
}

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const LONGEST_SIGNATURE = 64 * 1024

function isLogged(value: unknown): value is LoggedEntry {
  if (!hasExactly(value, ['entry', 'signature'])) return false
  const { entry, signature } = value
  if (signature === null) return isRun(entry) || isGap(entry)
  return isGap(entry) && isBase64(signature)
}

const isRun = (value: unknown): value is RunEntry =>
  hasExactly(value, ['kind', 'run', 'at', 'fleet', 'nodes', 'tagManifest', 'signer']) &&
  value.kind === 'run' &&
  isName(value.run) &&
  isInstant(value.at) &&
  isName(value.fleet) &&
  [value.nodes, value.tagManifest, value.signer].every(isDigest)

const isGap = (value: unknown): value is GapEntry =>
  hasExactly(value, ['kind', 'due', 'at', 'fleet', 'why', 'signer']) &&
  value.kind === 'gap' &&
  isInstant(value.due) &&
  isInstant(value.at) &&
  isName(value.fleet) &&
  isText(value.why, 1000) &&
  isDigest(value.signer)

/** An object with these members and no others. */
export const hasExactly = <K extends string>(value: unknown, keys: readonly K[]): value is Record<K, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === keys.length &&
  keys.every((key) => Object.hasOwn(value, key))

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest
export const isName = (value: unknown): value is string => isText(value, 400) && value !== ''
export const isDigest = (value: unknown): value is Sha256 => typeof value === 'string' && isSha256(value)
const isBase64 = (value: unknown): boolean =>
  isText(value, LONGEST_SIGNATURE) && value !== '' && Buffer.from(value, 'base64').toString('base64') === value

/** UTC as the product writes it. */
export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))

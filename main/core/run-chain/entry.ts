import type { PackPredicate, Planned } from '../../../schemas/types.ts'
import { parseBounded } from '../base/bounded-json.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { isSha256, leafHash, type Sha256, sha256 } from '../base/digest.ts'
import type { Outcome } from '../base/failure.ts'
import { compare } from '../recording/recording.ts'
import { parseCadence } from './cadence.ts'

/** A sealed run. */
export interface RunEntry {
  readonly kind: 'run'
  readonly run: string
  /** As of when the run was evaluated. */
  readonly at: string
  readonly fleet: string
  /** nodesDigest() of the nodes that the pack states. */
  readonly nodes: Sha256
  /** SHA-256 of the sealed bytes: the tag manifest of the pack. */
  readonly tagManifest: Sha256
  /** Fingerprint of the signing certificate. */
  readonly signer: Sha256
  /** The scheduled run that it fulfills; absent for a manually started run. */
  readonly planned?: Planned
}

/** A scheduled run that did not take place. */
export interface GapEntry {
  readonly kind: 'gap'
  /** Absent where a person recorded it without one. */
  readonly schedule?: string
  readonly due: string
  /** When the missed run was recorded. */
  readonly at: string
  readonly fleet: string
  /** The owner’s explanation. */
  readonly why: string
  readonly signer: Sha256
}

/** A schedule from a time on: entered in the run chain so that it cannot be changed afterwards to hide missed runs. */
export interface PlanEntry {
  readonly kind: 'plan'
  readonly schedule: string
  /** In the form of cadenceText(), including the zone; null: the schedule ends at that time. */
  readonly cadence: string | null
  /** A run is in time when it is sealed within this many minutes after it was due. */
  readonly withinMinutes: number
  readonly from: string
  readonly at: string
  readonly fleet: string
  readonly why: string
  readonly signer: Sha256
}

/** The run with which later runs are compared, from then on. */
export interface BaselineEntry {
  readonly kind: 'baseline'
  readonly run: string
  readonly at: string
  readonly fleet: string
  readonly why: string
  readonly signer: Sha256
}

/** The evidence of a run was deleted under the retention policy; its entry remains. */
export interface RetiredEntry {
  readonly kind: 'retired'
  readonly run: string
  readonly tagManifest: Sha256
  readonly at: string
  readonly fleet: string
  readonly why: string
  readonly signer: Sha256
}

/** A sealed period report. */
export interface PeriodEntry {
  readonly kind: 'period'
  /** Days of UTC, both included. */
  readonly from: string
  readonly to: string
  readonly at: string
  readonly fleet: string
  readonly tagManifest: Sha256
  readonly signer: Sha256
}

/** Entries with a pack, signed by the seal of that pack. */
export type PackedEntry = RunEntry | PeriodEntry
/** Entries without a pack, with their own signature. */
export type SignedEntry = GapEntry | PlanEntry | BaselineEntry | RetiredEntry
export type ChainEntry = PackedEntry | SignedEntry

/** An entry, with its signature (CMS, detached, base64) where it has no pack. */
export type LoggedEntry =
  | { readonly entry: PackedEntry; readonly signature: null }
  | { readonly entry: SignedEntry; readonly signature: string | null }

/** The run chain of one fleet: runs and other entries, in order of entry. */
export interface RunChain {
  /** 32 random bytes in hexadecimal, generated when the chain was created. */
  readonly id: string
  readonly fleet: string
  readonly entries: readonly LoggedEntry[]
}

/** A run chain locked for writing until it is closed. */
export interface OpenRunChain {
  /** The current state, including appended entries. */
  readonly chain: () => RunChain
  /**
   * Resolves when the entry is on disk. Rejects entries that do not belong to this chain. After a write failure, the chain must be opened
   * again; the entry may then be present.
   */
  readonly append: (logged: LoggedEntry) => Promise<Outcome<RunChain>>
  readonly close: () => Promise<void>
}

/** Display name of the pack of an entry. */
export const packOf = (entry: PackedEntry): string =>
  entry.kind === 'run' ? entry.run : `period ${entry.from} to ${entry.to}`

/** The bytes of an entry: the leaf input of the tree, and the signed content of entries without a pack. */
export const entryBytes = (entry: ChainEntry): Uint8Array => new TextEncoder().encode(canonicalJson(entry))

export const leafOf = (entry: ChainEntry): Sha256 => leafHash(entryBytes(entry))

/** An entry as a line of entries.jsonl, its line end included. */
export const entryLine = (logged: LoggedEntry): string => `${canonicalJson(logged)}\n`

/** SHA-256 of the canonical JSON of [name, host key fingerprint or null] of each node, sorted by name. */
export const nodesDigest = (nodes: readonly Pick<PackPredicate['nodes'][number], 'name' | 'hostKey'>[]): Sha256 =>
  sha256(canonicalJson([...nodes].sort((a, b) => compare(a.name, b.name)).map(({ name, hostKey }) => [name, hostKey])))

/** The entry of a pack, derived from its statement. `signer` is the fingerprint of the sealing key. */
export const ownEntry = (
  { run, asOf, fleet, nodes, planned }: Pick<PackPredicate, 'run' | 'asOf' | 'fleet' | 'nodes' | 'planned'>,
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
  ...(planned === undefined ? {} : { planned }),
})

/**
 * Parses a line of entries.jsonl strictly, without its line end: an entry of a known kind, with no other members, in canonical form
 * (RFC 8785). Null for anything else.
 */
export function parseEntryLine(line: string): LoggedEntry | null {
  const logged = parsedJson(line)
  // The members are verified to be flat texts before canonicalJson() runs, so that nesting cannot exhaust the stack.
  return isLogged(logged) && canonicalJson(logged) === line ? logged : null
}

export function parsedJson(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    return null
  }
}

const LONGEST_SIGNATURE = 64 * 1024

function isLogged(value: unknown): value is LoggedEntry {
  if (!hasExactly(value, ['entry', 'signature'])) return false
  const { entry, signature } = value
  if (signature === null) return isRun(entry) || isPeriod(entry) || isSignedEntry(entry)
  return isSignedEntry(entry) && isBase64(signature)
}

/** Members that every entry has. */
const isOurs = ({ at, fleet, signer }: Record<'at' | 'fleet' | 'signer', unknown>): boolean =>
  isInstant(at) && isName(fleet) && isDigest(signer)

const isRun = (value: unknown): value is RunEntry =>
  hasMembers(value, ['kind', 'run', 'at', 'fleet', 'nodes', 'tagManifest', 'signer'], ['planned']) &&
  value.kind === 'run' &&
  isName(value.run) &&
  isOurs(value) &&
  [value.nodes, value.tagManifest].every(isDigest) &&
  (value.planned === undefined || isPlanned(value.planned))

/** Which scheduled run a run is. */
export const isPlanned = (value: unknown): value is Planned =>
  hasExactly(value, ['schedule', 'due']) && isSchedule(value.schedule) && isInstant(value.due)

const isPeriod = (value: unknown): value is PeriodEntry =>
  hasExactly(value, ['kind', 'from', 'to', 'at', 'fleet', 'tagManifest', 'signer']) &&
  value.kind === 'period' &&
  isDay(value.from) &&
  isDay(value.to) &&
  isOurs(value) &&
  isDigest(value.tagManifest)

const isSignedEntry = (value: unknown): value is SignedEntry =>
  isGap(value) || isPlan(value) || isBaseline(value) || isRetired(value)

const isGap = (value: unknown): value is GapEntry =>
  hasMembers(value, ['kind', 'due', 'at', 'fleet', 'why', 'signer'], ['schedule']) &&
  value.kind === 'gap' &&
  isInstant(value.due) &&
  isOurs(value) &&
  isText(value.why, 1000) &&
  (value.schedule === undefined || isSchedule(value.schedule))

/** The longest time that a schedule can give a run, with every retry and the time for sealing. */
const MOST_WITHIN_MINUTES = 60_000

const isPlan = (value: unknown): value is PlanEntry =>
  hasExactly(value, ['kind', 'schedule', 'cadence', 'withinMinutes', 'from', 'at', 'fleet', 'why', 'signer']) &&
  value.kind === 'plan' &&
  isSchedule(value.schedule) &&
  (value.cadence === null || (typeof value.cadence === 'string' && parseCadence(value.cadence) !== null)) &&
  Number.isSafeInteger(value.withinMinutes) &&
  Number(value.withinMinutes) >= 0 &&
  Number(value.withinMinutes) <= MOST_WITHIN_MINUTES &&
  isInstant(value.from) &&
  isOurs(value) &&
  isText(value.why, 1000)

const isBaseline = (value: unknown): value is BaselineEntry =>
  hasExactly(value, ['kind', 'run', 'at', 'fleet', 'why', 'signer']) &&
  value.kind === 'baseline' &&
  isName(value.run) &&
  isOurs(value) &&
  isText(value.why, 1000)

const isRetired = (value: unknown): value is RetiredEntry =>
  hasExactly(value, ['kind', 'run', 'tagManifest', 'at', 'fleet', 'why', 'signer']) &&
  value.kind === 'retired' &&
  isName(value.run) &&
  isDigest(value.tagManifest) &&
  isOurs(value) &&
  isText(value.why, 1000)

/** An object with all of the first members, any of the others, and no more. */
const hasMembers = <K extends string, O extends string>(
  value: unknown,
  keys: readonly K[],
  optional: readonly O[],
): value is Record<K | O, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  hasExactly(value, [...keys, ...optional.filter((key) => Object.hasOwn(value, key))])

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

/** The name of a schedule. */
export const isSchedule = (value: unknown): value is string => isText(value, 63) && /^[a-z0-9][a-z0-9_-]*$/.test(value)

/** A day of UTC that the calendar has. */
export const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value

/** UTC in the product’s format. */
export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))

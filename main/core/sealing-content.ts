import { canonicalJson } from './canonical-json.ts'
import type { Sha256 } from './digest.ts'
import { millisOf } from './register/days.ts'
import { type EntryContent, readEntryContent } from './register/signed-content.ts'
import {
  type BaselineEntry,
  entryBytes,
  type GapEntry,
  type PlanEntry,
  parsedJson,
  parseEntryLine,
} from './run-chain/entry.ts'

/** The entries of a run chain that a person states by themselves; a deletion belongs to a command. */
export type StatedEntry = BaselineEntry | GapEntry | PlanEntry

/** What a sealer was shown, read back from the text that it would sign. */
export type SealingContent =
  | ({ readonly kind: 'register-entry' } & EntryContent)
  | { readonly kind: 'chain-entry'; readonly entry: StatedEntry }

/** How far the clock of a team server may be ahead of that of a sealer. */
const MOST_AHEAD_MS = 5 * 60_000

export interface Reader {
  readonly now: string
  /** Fingerprint of the certificate that would sign. */
  readonly signer: Sha256
  /** Validates against the schema of a register. */
  readonly problems: (register: unknown) => readonly string[]
}

/**
 * Reads the text that a sealer is asked to sign. Null for every text that is not one of the known kinds in exactly the form in which this program
 * writes it, for one that names another signer, and for one that states a time after `now`.
 */
export function readSealingContent(text: string, { now, signer, problems }: Reader): SealingContent | null {
  const isAhead = (at: string): boolean => !(millisOf(at) <= millisOf(now) + MOST_AHEAD_MS)
  const chained = readChainEntry(text)
  if (chained !== null)
    return chained.signer !== signer || isAhead(chained.at) ? null : { kind: 'chain-entry', entry: chained }
  const entry = readEntryContent(text, problems)
  return entry === null || isAhead(entry.at) ? null : { kind: 'register-entry', ...entry }
}

/** Null for an entry of another kind, and for a plan that would be in effect from another time than that of its entry. */
function readChainEntry(text: string): StatedEntry | null {
  const value = parsedJson(text)
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null
  if (value.kind !== 'baseline' && value.kind !== 'gap' && value.kind !== 'plan') return null
  const entry = parseEntryLine(lineOf(value))?.entry
  if (entry?.kind !== 'baseline' && entry?.kind !== 'gap' && entry?.kind !== 'plan') return null
  if (entry.kind === 'plan' && entry.from !== entry.at) return null
  return new TextDecoder().decode(entryBytes(entry)) === text ? entry : null
}

/** Empty for what has no canonical text. */
function lineOf(entry: object): string {
  try {
    return canonicalJson({ entry, signature: null })
  } catch {
    return ''
  }
}

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

/** Entries of a run chain that a person states individually; deletions belong to a command. */
export type StatedEntry = BaselineEntry | GapEntry | PlanEntry

/** What a sealer is shown, parsed from the text that it would sign. */
export type SealingContent =
  | ({ readonly kind: 'register-entry' } & EntryContent)
  | { readonly kind: 'chain-entry'; readonly entry: StatedEntry }

/** How far the clock of a team server may be ahead of the sealer’s. */
const MOST_AHEAD_MS = 5 * 60_000

export interface Reader {
  readonly now: string
  /** Fingerprint of the certificate that would sign. */
  readonly signer: Sha256
  /** Validates a register against its schema. */
  readonly problems: (register: unknown) => readonly string[]
}

/**
 * Parses the text that a sealer is asked to sign. Returns null for every text that is not one of the known kinds in
 * exactly the form that this program writes, that names another signer, or that states a time after `now`.
 */
export function readSealingContent(text: string, { now, signer, problems }: Reader): SealingContent | null {
  const isAhead = (at: string): boolean => !(millisOf(at) <= millisOf(now) + MOST_AHEAD_MS)
  const chained = readChainEntry(text)
  if (chained !== null)
    return chained.signer !== signer || isAhead(chained.at) ? null : { kind: 'chain-entry', entry: chained }
  const entry = readEntryContent(text, problems)
  return entry === null || isAhead(entry.at) ? null : { kind: 'register-entry', ...entry }
}

/** Null for an entry of another kind, and for a plan that would take effect at another time than that of its entry. */
function readChainEntry(text: string): StatedEntry | null {
  const value = parsedJson(text)
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null
  if (value.kind !== 'baseline' && value.kind !== 'gap' && value.kind !== 'plan') return null
  const entry = parseEntryLine(lineOf(value))?.entry
  if (entry?.kind !== 'baseline' && entry?.kind !== 'gap' && entry?.kind !== 'plan') return null
  if (entry.kind === 'plan' && entry.from !== entry.at) return null
  return new TextDecoder().decode(entryBytes(entry)) === text ? entry : null
}

/** Empty for a value without canonical text. */
function lineOf(entry: object): string {
  try {
    return canonicalJson({ entry, signature: null })
  } catch {
    return ''
  }
}

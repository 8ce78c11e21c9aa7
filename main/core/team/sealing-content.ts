import type { EntrySignature, Register } from '../../../schemas/types.ts'
import { parseBounded } from '../base/bounded-json.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { millisOf } from '../base/days.ts'
import type { Sha256 } from '../base/digest.ts'
import { registerProblems } from '../register/problems.ts'
import { EMPTY_REGISTER } from '../register/register.ts'
import { keysProblem, type Signable, signedBytes } from '../register/signatures.ts'
import {
  type BaselineEntry,
  entryBytes,
  type GapEntry,
  type PlanEntry,
  parsedJson,
  parseEntryLine,
} from '../run-chain/entry.ts'

/** What a signature on an entry of a register covers. */
export interface EntryContent {
  readonly list: SignedList
  readonly entry: Signable
  readonly role: EntrySignature['role']
  /** The time that the signature states. */
  readonly at: string
}

/** The lists of a register whose entries can be signed. */
export type SignedList = 'riskAcceptances' | 'acceptanceRequests' | 'decisions' | 'responses' | 'auditorRequests'

/**
 * Reads signed content back: the opposite of signedBytes(). Null for a text that is not exactly what this program signs for one valid entry in a role
 * that can sign it. `problems` validates against the schema of a register.
 */
function readEntryContent(text: string, problems: (register: unknown) => readonly string[]): EntryContent | null {
  try {
    const { signedAs, ...members } = parseBounded(text) as { readonly signedAs?: unknown }
    const list = listOf(members)
    const { role, at } = signedAs as Pick<EntrySignature, 'role' | 'at'>
    if (list === null) return null
    const signature = { role, at, fingerprint: '0'.repeat(64), cms: 'AAAA', chain: [] }
    const unsigned = { ...members, ...(list === 'acceptanceRequests' ? {} : { withdrawn: null }) }
    const register = { ...EMPTY_REGISTER, [list]: [{ ...unsigned, signatures: [signature] }] }
    if (problems(register).length > 0 || registerProblems(register as Register).length > 0) return null
    const entry = unsigned as unknown as Signable
    if (keysProblem({ ...entry, signatures: [signature] } as Signable) !== null) return null
    return new TextDecoder().decode(signedBytes(entry, { role, at })) === text ? { list, entry, role, at } : null
  } catch {
    return null
  }
}

function listOf(members: object): SignedList | null {
  const has = (name: string): boolean => Object.hasOwn(members, name)
  if (has('withdrawn') || has('signatures') || has('resolved')) return null
  if (has('acceptedAt')) return 'riskAcceptances'
  if (has('decidedAt')) return 'decisions'
  if (has('requestedAt')) return 'acceptanceRequests'
  if (has('statedAt')) return has('reference') ? 'auditorRequests' : 'responses'
  return null
}

/** Entries of a run chain that a person states individually; deletions belong to a command. */
export type StatedEntry = BaselineEntry | GapEntry | PlanEntry

/** What a sealer is shown, parsed from the text that it would sign. */
export type SealingContent =
  | ({ readonly kind: 'register-entry' } & EntryContent)
  | { readonly kind: 'chain-entry'; readonly entry: StatedEntry }

/** How far the clock of a team server may be ahead of the sealer’s. */
const MOST_AHEAD_MS = 5 * 60_000

interface Reader {
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

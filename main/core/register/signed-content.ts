import type { EntrySignature, Register } from '../../../schemas/types.ts'
import { parseBounded } from '../bounded-json.ts'
import { EMPTY_REGISTER } from '../register.ts'
import { registerProblems } from './problems.ts'
import { keysProblem, type Signable, signedBytes } from './signatures.ts'

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
export function readEntryContent(
  text: string,
  problems: (register: unknown) => readonly string[],
): EntryContent | null {
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

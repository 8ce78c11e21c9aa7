import type { FleetNode } from '../../schemas/types.ts'
import { DEFAULT_PORT } from './fleet.ts'
import { hostId, keysFor } from './known-hosts.ts'

/** What a list of keys says about one node of a fleet. `from` is the line that says it. */
export type PinFound =
  | { readonly kind: 'found'; readonly fingerprint: string; readonly from: string }
  /** Two keys of one type, or several of types that are not named: a person has to choose. */
  | { readonly kind: 'ambiguous'; readonly from: string }
  | { readonly kind: 'revoked'; readonly from: string }
  /** Only a certificate authority is on record, and a certificate has no fingerprint to pin. */
  | { readonly kind: 'authority'; readonly from: string }
  | { readonly kind: 'none' }

/** What becomes of it for a node that may have a pin already; nothing is ever written over. */
export type PinDecision = PinFound | { readonly kind: 'already' | 'other'; readonly from: string }

export interface KeyList {
  readonly file: string
  readonly text: string
}

/** Of several keys of one server, the one whose type the client asks for first, so that the server shows it. */
const PREFERRED = ['ed25519', 'ecdsa', 'rsa']
const rank = (type: string): number => {
  const at = PREFERRED.findIndex((name) => type.toLowerCase().includes(name))
  return at < 0 ? PREFERRED.length : at
}

interface Candidate {
  readonly fingerprint: string
  readonly type: string
  readonly from: string
}

function chosen(found: readonly Candidate[]): PinFound | null {
  const keys = [...new Map(found.map((one) => [one.fingerprint, one])).values()]
  const best = Math.min(...keys.map(({ type }) => rank(type)))
  const [first, second] = keys.filter(({ type }) => rank(type) === best)
  if (first === undefined) return null
  return second === undefined
    ? { kind: 'found', fingerprint: first.fingerprint, from: first.from }
    : { kind: 'ambiguous', from: `${first.from}, ${second.from}` }
}

type Door = Pick<FleetNode, 'name' | 'address' | 'port'>

/** By known_hosts files: names as they are, hashed, or with a port; what is revoked anywhere is never pinned. */
export function pinInKnownHosts({ name, address, port = DEFAULT_PORT }: Door, lists: readonly KeyList[]): PinFound {
  // As ssh(1) is called: by the address, or by the name that the user has for it.
  for (const host of new Set([address, name])) {
    const lines = lists.flatMap(({ file, text }) =>
      keysFor(text, host, port).map((line) => ({ ...line, from: `${file} line ${line.line}` })),
    )
    const revoked = lines.filter(({ marker }) => marker === 'revoked')
    const gone = new Set(revoked.map(({ fingerprint }) => fingerprint))
    const plainLines = lines.filter(({ marker }) => marker === null)
    const found = chosen(plainLines.filter(({ fingerprint }) => !gone.has(fingerprint)))
    if (found !== null) return found
    const authority = lines.find(({ marker }) => marker === 'cert-authority')
    if (plainLines.length > 0) return { kind: 'revoked', from: revoked[0]?.from ?? '' }
    if (authority !== undefined) return { kind: 'authority', from: authority.from }
  }
  return { kind: 'none' }
}

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/

/**
 * By a list as a provider gives it, or ssh-keygen -l prints: on each line a fingerprint beside the name or address of a server, in any order,
 * between blanks, commas, semicolons or tabs; quotation marks and brackets around a word count for nothing.
 */
export function pinInList({ name, address, port = DEFAULT_PORT }: Door, lists: readonly KeyList[]): PinFound {
  const names = new Set([name, address, hostId(address, port)].map((one) => one.toLowerCase()))
  const found = lists.flatMap(({ file, text }) =>
    text.split(/\r?\n/).flatMap((line, index): readonly Candidate[] => {
      const words = wordsOf(line)
      const fingerprints = words.filter((word) => FINGERPRINT.test(word))
      if (!words.some((word) => names.has(word.toLowerCase()))) return []
      const type = words.find((word) => rank(word) < PREFERRED.length && !FINGERPRINT.test(word)) ?? ''
      return fingerprints.map((fingerprint) => ({ fingerprint, type, from: `${file} line ${index + 1}` }))
    }),
  )
  return chosen(found) ?? { kind: 'none' }
}

const wordsOf = (line: string): readonly string[] =>
  /^\s*#/.test(line) ? [] : line.split(/[\s,;]+/).map((word) => word.replaceAll(/^["'(<]+|["')>]+$/g, ''))

/** A pin that is there stays: the same one is told so, another one is for a person to decide about. */
export function decidedPin(before: string | undefined, found: PinFound): PinDecision {
  if (before === undefined || found.kind !== 'found') return found
  return { kind: before === found.fingerprint ? 'already' : 'other', from: found.from }
}

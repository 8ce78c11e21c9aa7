import { createHash, createHmac } from 'node:crypto'
import type { FleetNode } from '../../../schemas/types.ts'
import { DEFAULT_PORT } from './fleet.ts'

/**
 * Parses OpenSSH known_hosts files (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): names, patterns with `*`, `?` and `!`,
 * `[host]:port`, hashed names (`|1|salt|hash`), and the markers `@revoked` and `@cert-authority`. Malformed lines are
 * skipped, as by OpenSSH.
 */
interface KnownHostLine {
  /** From 1. */
  readonly line: number
  readonly marker: 'revoked' | 'cert-authority' | null
  readonly hosts: string
  readonly type: string
  /** The public key in wire format, base64. */
  readonly key: string
  readonly comment: string
}

interface OnRecord {
  readonly line: number
  readonly type: string
  readonly fingerprint: string
}

/** How one known_hosts file relates to a key that a server presented. */
export type HostKeyMatch =
  | { readonly kind: 'match'; readonly line: number; readonly comment: string }
  /** Another key of the same type is on record. */
  | { readonly kind: 'changed'; readonly onRecord: readonly OnRecord[] }
  | { readonly kind: 'revoked'; readonly line: number }
  /** Only certificate authorities are on record, so that only a client that supports host certificates can decide. */
  | { readonly kind: 'host-ca'; readonly line: number }
  /** `onRecord` lists keys of other types, if any. */
  | { readonly kind: 'unknown'; readonly onRecord: readonly OnRecord[] }

const MARKERS = { '@revoked': 'revoked', '@cert-authority': 'cert-authority' } as const

/** All well-formed lines, in order. */
export function parseKnownHosts(text: string): readonly KnownHostLine[] {
  return text.split('\n').flatMap((raw, index) => {
    const fields = raw.trim().split(/[ \t]+/)
    const first = fields[0] ?? ''
    if (first === '' || first.startsWith('#')) return []
    const marker = first === '@revoked' || first === '@cert-authority' ? MARKERS[first] : null
    if (first.startsWith('@') && marker === null) return []
    const [hosts, type, key, ...comment] = marker === null ? fields : fields.slice(1)
    if (hosts === undefined || type === undefined || key === undefined) return []
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(key) || keyType(Buffer.from(key, 'base64')) !== type) return []
    return [{ line: index + 1, marker, hosts, type, key, comment: comment.join(' ') }]
  })
}

/**
 * Looks up a presented host key. `host` is the name or address of the connection. As in ssh(1), a port other than 22
 * is looked up as `[host]:port`, and a key on record for the bare host is accepted where nothing is on record for
 * that port.
 */
export function matchHostKey(text: string, host: string, port: number, key: Uint8Array): HostKeyMatch {
  const lines = parseKnownHosts(text)
  const exact = judge(lines, hostId(host, port), key)
  if (exact.kind !== 'unknown' || port === 22) return exact
  const bare = judge(lines, hostId(host, 22), key)
  // A different key for the bare host shows nothing about another port: two servers may share an address.
  return bare.kind === 'changed' ? exact : bare
}

function judge(lines: readonly KnownHostLine[], name: string, key: Uint8Array): HostKeyMatch {
  const mine = lines.filter((line) => matchesHost(line.hosts, name))
  const shown = Buffer.from(key).toString('base64')
  const revoked = mine.find((line) => line.marker === 'revoked' && line.key === shown)
  if (revoked !== undefined) return { kind: 'revoked', line: revoked.line }
  const plainLines = mine.filter((line) => line.marker === null)
  const match = plainLines.find((line) => line.key === shown)
  if (match !== undefined) return { kind: 'match', line: match.line, comment: match.comment }
  const onRecord = plainLines.map(({ line, type, key: known }) => ({
    line,
    type,
    fingerprint: fingerprintOf(Buffer.from(known, 'base64')),
  }))
  const sameType = onRecord.filter((entry) => entry.type === keyType(key))
  if (sameType.length > 0) return { kind: 'changed', onRecord: sameType }
  const authority = mine.find((line) => line.marker === 'cert-authority')
  if (authority !== undefined && onRecord.length === 0) return { kind: 'host-ca', line: authority.line }
  return { kind: 'unknown', onRecord }
}

/**
 * Key types on record for a host, and whether a certificate authority is; they decide which algorithms to offer and
 * which client to use.
 */
export function onRecordFor(
  text: string,
  host: string,
  port: number,
): { readonly types: readonly string[]; readonly authority: boolean } {
  const names = [...new Set([hostId(host, port), hostId(host, 22)])]
  const mine = parseKnownHosts(text).filter((line) => names.some((name) => matchesHost(line.hosts, name)))
  return {
    types: [...new Set(mine.filter((line) => line.marker === null).map((line) => line.type))],
    authority: mine.some((line) => line.marker === 'cert-authority'),
  }
}

/** Every key that a file has for exactly this name and port, with its marker, in order. */
export const keysFor = (
  text: string,
  host: string,
  port: number,
): readonly (OnRecord & Pick<KnownHostLine, 'marker'>)[] =>
  parseKnownHosts(text)
    .filter(({ hosts }) => matchesHost(hosts, hostId(host, port)))
    .map(({ line, type, key, marker }) => ({
      line,
      type,
      marker,
      fingerprint: fingerprintOf(Buffer.from(key, 'base64')),
    }))

/** A line to append to a known_hosts file. The comment is reduced to one printable ASCII line. */
export const knownHostsLine = (host: string, port: number, key: Uint8Array, comment: string): string =>
  `${hostId(host, port)} ${keyType(key) ?? ''} ${Buffer.from(key).toString('base64')} ${comment.replace(/[^ -~]+/g, ' ')}`.trim()

/**
 * `host`, or `[host]:port` for a port other than 22, in lower case: the name by which a known_hosts line is looked
 * up.
 */
export function hostId(host: string, port: number): string {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return port === 22 ? name : `[${name}]:${port}`
}

/** `SHA256:` and the unpadded base64 digest of the key in wire format, as `ssh-keygen -l` prints it. */
export const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** The type stated in a public key blob (RFC 4253 §6.6); null where there is none. */
export function keyType(key: Uint8Array): string | null {
  if (key.length < 5) return null
  const length = new DataView(key.buffer, key.byteOffset).getUint32(0)
  if (length > 100 || 4 + length > key.length) return null
  const type = Buffer.from(key.subarray(4, 4 + length)).toString('latin1')
  return /^[a-z0-9@.-]+$/.test(type) ? type : null
}

/** match_hostname() of OpenSSH: one matching `!pattern` excludes the line; otherwise any matching pattern counts. */
function matchesHost(hosts: string, name: string): boolean {
  if (hosts.startsWith('|')) return matchesHashed(hosts, name)
  const patterns = hosts.toLowerCase().split(',')
  const matches = (pattern: string): boolean => glob(pattern, name)
  if (patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && matches(pattern))
}

function matchesHashed(hosts: string, name: string): boolean {
  const [, version, salt, hash] = hosts.split('|')
  if (version !== '1' || salt === undefined || hash === undefined) return false
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
}

/** Wildcard match in linear time: `*` matches any run, `?` any one character, everything else itself. */
function glob(pattern: string, name: string): boolean {
  let [p, n, star, mark] = [0, 0, -1, 0]
  while (n < name.length) {
    if (pattern[p] === '*') [star, mark, p] = [p, n, p + 1]
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) [p, n] = [p + 1, n + 1]
    else if (star !== -1) [p, mark, n] = [star + 1, mark + 1, mark + 1]
    else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

/** The host key that a list states for one node of a fleet. `from` is the line that states it. */
type PinFound =
  | { readonly kind: 'found'; readonly fingerprint: string; readonly from: string }
  /** Two keys of one type, or several whose types are not stated: a person has to choose. */
  | { readonly kind: 'ambiguous'; readonly from: string }
  | { readonly kind: 'revoked'; readonly from: string }
  /** Only a certificate authority is on record, and a certificate has no fingerprint to pin. */
  | { readonly kind: 'authority'; readonly from: string }
  | { readonly kind: 'none' }

/** The resulting action for a node that may already have a pin; an existing pin is never replaced. */
export type PinDecision = PinFound | { readonly kind: 'already' | 'other'; readonly from: string }

export interface KeyList {
  readonly file: string
  readonly text: string
}

/**
 * Of several keys of one server, the first in this order is pinned, because the client requests key types in this
 * order.
 */
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

/**
 * Finds a pin in known_hosts files, under plain or hashed names, with or without a port. A key revoked in any of them
 * is never pinned.
 */
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
 * Finds a pin in a list as providers send it, or as ssh-keygen -l prints it: each line has a fingerprint and the name
 * or address of a server, in any order, separated by blanks, commas, semicolons or tabs. Quotation marks and brackets
 * around a word are ignored.
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

/** An existing pin stays. The same one is reported as present; a different one is left for a person to decide. */
export function decidedPin(before: string | undefined, found: PinFound): PinDecision {
  if (before === undefined || found.kind !== 'found') return found
  return { kind: before === found.fingerprint ? 'already' : 'other', from: found.from }
}

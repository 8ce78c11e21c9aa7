import { fingerprintOf, hostId, keyType, matchHostKey } from './known-hosts.ts'

/** Larger lists are refused, because a list is stored with every recording whose host key was found in it. */
export const MOST_LIST_BYTES = 1024 * 1024

/** Where a host key was found: the list, and the line in it (from 1). */
interface ListEntry {
  readonly sha256: string
  readonly line: number
}

/** A recorded decision about a host key, from the comment of its known_hosts line. */
interface KeyDecision {
  /** YYYY-MM-DD; null in a file written by hand. */
  readonly day: string | null
  /** How the key or the list was verified, in a person’s words. */
  readonly words: string
  /** The list that the key was compared with; null where there was none. */
  readonly list: ListEntry | null
}

const DECISION = /^(?:(\d{4}-\d{2}-\d{2}) )?(?:list:([0-9a-f]{64}):(\d{1,6}) )?(.*)$/s

export function readDecision(comment: string): KeyDecision {
  const [, day = null, sha256, line, words = ''] = DECISION.exec(comment) ?? []
  return { day, words, list: sha256 === undefined ? null : { sha256, line: Number(line) } }
}

export const decisionComment = ({ day, words, list }: KeyDecision): string =>
  [day, list === null ? null : `list:${list.sha256}:${list.line}`, words].filter((part) => part !== null).join(' ')

/**
 * One line of a list and the fingerprint of the host key in it; null where the line contains none, or does not exist.
 */
export function listedKey(list: string, line: number): { readonly text: string; readonly fingerprint: string } | null {
  const text = list.split('\n')[line - 1]?.trim() ?? ''
  const read = readLine(text)
  return read === null ? null : { text, fingerprint: read.fingerprint }
}

/** Whether a text contains a private key, pasted by mistake (RFC 7468; PuTTY’s own format). */
export const holdsPrivateKey = (text: string): boolean =>
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|^PuTTY-User-Key-File-/m.test(text)

/**
 * Why a text is refused as a list, or null. A list becomes evidence, so it must contain no secret and remain small.
 */
export const listProblem = (text: string): string | null =>
  Buffer.byteLength(text) > MOST_LIST_BYTES
    ? 'the list is larger than 1 MiB'
    : holdsPrivateKey(text)
      ? 'the text holds a private key; give host keys or fingerprints, which are public'
      : null

/** The names and addresses of a node. */
interface Named {
  readonly node: string
  readonly address: string
  readonly port: number
}

/** A key that a node presented. */
export interface KeyToMatch extends Named {
  readonly fingerprint: string
}

/** The content of one line: a fingerprint, and its owner where the line names one. */
interface ListedKey {
  readonly fingerprint: string
  /** Null where the line names no owner; it may then be the key of any host that presented it. */
  readonly isOf: ((node: Named) => boolean) | null
  /** Hosts in a comment such as root@host. Keys are often generated in images, so an unknown host shows nothing. */
  readonly mentions: readonly string[]
}

/**
 * Finds the line (from 1) of a pasted text that contains exactly the key that a node presented. Accepts `SHA256:…`
 * alone or after a name, the output of `ssh-keygen -lf`, public keys, and known_hosts lines. A line that names
 * another host does not match, nor does one that marks a key as revoked or as an authority. A line without an owner
 * matches only where exactly one node presented that key and no comment in it names another node of `fleet`;
 * otherwise a node could be accepted by its neighbor’s line.
 */
export function matchKeys(
  text: string,
  keys: readonly KeyToMatch[],
  fleet: readonly Named[] = keys,
): ReadonlyMap<string, number> {
  const names = namesOf(fleet)
  const shownBy = new Map<string, number>()
  for (const { fingerprint } of keys) shownBy.set(fingerprint, (shownBy.get(fingerprint) ?? 0) + 1)
  const open = new Map<string, KeyToMatch[]>()
  for (const key of keys) open.set(key.fingerprint, [...(open.get(key.fingerprint) ?? []), key])
  const found = new Map<string, number>()
  for (const [index, line] of text.split('\n').entries()) {
    const read = readLine(line.trim())
    if (read === null) continue
    const left: KeyToMatch[] = []
    for (const key of open.get(read.fingerprint) ?? []) {
      const isOf =
        read.isOf === null ? shownBy.get(read.fingerprint) === 1 && !namesAnother(read, key, names) : read.isOf(key)
      if (isOf) found.set(key.node, index + 1)
      else left.push(key)
    }
    if (open.has(read.fingerprint)) open.set(read.fingerprint, left)
  }
  return found
}

/** Every name and address of a fleet, each with the nodes that have it. */
function namesOf(fleet: readonly Named[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  for (const { node, address } of fleet)
    for (const name of [node.toLowerCase(), address.toLowerCase()])
      names.set(name, (names.get(name) ?? new Set()).add(node))
  return names
}

const namesAnother = (
  { mentions }: ListedKey,
  { node }: Named,
  names: ReadonlyMap<string, ReadonlySet<string>>,
): boolean => mentions.some((name) => names.get(name)?.has(node) === false)

const mentionsIn = (comment: readonly string[]): readonly string[] =>
  comment.flatMap((word) => /@(.+)$/.exec(word)?.[1]?.toLowerCase() ?? [])

function readLine(line: string): ListedKey | null {
  if (line === '' || line.startsWith('#') || line.startsWith('@')) return null
  return publicKey(line) ?? printedFingerprint(line)
}

/** `type base64 comment`, or a known_hosts line, which adds a column of hosts in front. */
function publicKey(line: string): ListedKey | null {
  const fields = line.split(/[ \t]+/)
  const at = fields.slice(0, 2).findIndex((type, index) => type !== '' && keyType(decoded(fields[index + 1])) === type)
  if (at < 0) return null
  const blob = decoded(fields[at + 1])
  const names = (host: string, port: number): boolean => matchHostKey(line, host, port, blob).kind === 'match'
  // A pattern matches the address of a connection; the node’s own name must be listed itself.
  const isPattern = /[*?!]/.test(fields[0] ?? '')
  return {
    fingerprint: fingerprintOf(blob),
    isOf: at === 0 ? null : ({ node, address, port }) => names(address, port) || (!isPattern && names(node, port)),
    mentions: mentionsIn(fields.slice(at + 2)),
  }
}

const decoded = (base64: string | undefined): Uint8Array =>
  base64 !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : new Uint8Array()

const FINGERPRINT = /(?:^|[\s,;|"'(])(SHA256:[A-Za-z0-9+/]{43})=?(?![A-Za-z0-9+/=])/
/** Words before a fingerprint that name no host, as `ssh` and `ssh-keygen` print them. */
const OVERFLOW_ID = /^(?:\d+|key|fingerprint|is|rsa|dsa|ecdsa|ed25519|ssh-[a-z0-9-]+|ecdsa-sha2-[a-z0-9-]+|\(.*\))$/i

/** `[bits] SHA256:… [comment or hosts] [(TYPE)]`, or a name before it. */
function printedFingerprint(line: string): ListedKey | null {
  const match = FINGERPRINT.exec(line)
  if (match === null) return null
  const fingerprint = match[1] ?? ''
  const end = match.index + match[0].length
  const before = words(line.slice(0, match.index))
  // A comment such as root@host or “no comment” names no host to compare with; a single word without @ is a column of
  // hosts.
  const after = words(line.slice(end).replace(/\([A-Z0-9-]+\)\s*$/, ''))
  const [host] = after
  const named = [...before, ...(after.length === 1 && host !== undefined && !host.includes('@') ? [host] : [])]
  return {
    fingerprint,
    isOf: named.length === 0 ? null : (node) => named.some((name) => isNameOf(name, node)),
    mentions: mentionsIn(after),
  }
}

const words = (text: string): readonly string[] =>
  text
    .split(/[\s,;|="']+/)
    .map((word) => word.replace(/:$/, ''))
    .filter((word) => /[A-Za-z0-9]/.test(word) && !OVERFLOW_ID.test(word))

function isNameOf(name: string, { node, address, port }: Named): boolean {
  const lower = name.toLowerCase()
  return [hostId(address, port), hostId(address, 22), hostId(node, port), hostId(node, 22)].includes(lower)
}

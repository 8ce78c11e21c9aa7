import { readFile, stat } from 'node:fs/promises'
import type { HostKey } from '../../../schemas/types.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { listedKey, MOST_LIST_BYTES, readDecision } from '../../core/fleet/host-key-list.ts'
import {
  fingerprintOf,
  type HostKeyMatch,
  keyType,
  matchHostKey,
  onRecordFor,
  parseKnownHosts,
} from '../../core/fleet/known-hosts.ts'
import type { ConnectTarget, HostKeyTrust } from '../../core/ports/ports.ts'

/** A target without its jump hosts: one server that we log in to. */
export type Hop = Omit<ConnectTarget, 'jumps'>

/** The expected host key of a server, before connecting: the inline fingerprint and the text of every file. */
export interface LoadedTrust {
  readonly fingerprint: string | null
  readonly files: readonly TrustFile[]
}

export interface TrustFile {
  readonly path: string
  readonly text: string
  readonly how: 'known-hosts' | 'decision'
  /** The lists named by its decisions, by digest; a missing or altered list is not included. */
  readonly lists?: ReadonlyMap<string, string>
}

const LARGEST = 16 * 1024 * 1024

/** Reads the files of a trust. A missing file counts as empty, as for ssh(1); an unreadable one is a failure. */
export async function loadTrust(trust: HostKeyTrust): Promise<Outcome<LoadedTrust>> {
  const named = [
    ...trust.knownHostsFiles.map((path) => ({ path, how: 'known-hosts' as const })),
    ...(trust.decisionsFile === undefined ? [] : [{ path: trust.decisionsFile, how: 'decision' as const }]),
  ]
  const files: TrustFile[] = []
  for (const { path, how } of named) {
    try {
      const bytes = await readFile(path)
      if (bytes.length > LARGEST) return fail('input.refused', `${path} is larger than 16 MiB`)
      const text = bytes.toString('utf8')
      files.push(how === 'decision' ? { path, how, text, lists: await loadLists(path, text) } : { path, how, text })
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException).code !== 'ENOENT')
        return fail('input.not-found', `${path} could not be read`)
    }
  }
  return ok({ fingerprint: trust.fingerprint ?? null, files })
}

/** Location of the lists that decisions of a file name: next to it, each named by its digest. */
export const listPath = (decisionsFile: string, digest: string): string => `${decisionsFile}.lists/${digest}.txt`

/** The lists that decisions name, where they exist and match their digest. */
async function loadLists(path: string, text: string): Promise<ReadonlyMap<string, string>> {
  const named = new Set(parseKnownHosts(text).flatMap(({ comment }) => readDecision(comment).list?.sha256 ?? []))
  const lists = new Map<string, string>()
  for (const digest of named) {
    const file = listPath(path, digest)
    const size = await stat(file).then(
      (found) => found.size,
      () => null,
    )
    if (size === null || size > MOST_LIST_BYTES) continue
    const bytes = await readFile(file).catch(() => null)
    if (bytes !== null && sha256(bytes) === digest) lists.set(digest, bytes.toString('utf8'))
  }
  return lists
}

/**
 * How a key is trusted by a line of a file. A decision counts as a comparison with a list only while the list exists,
 * unaltered, and the named line contains this very key; otherwise it counts as a plain decision.
 */
export function trustBy(
  { path, how, lists }: TrustFile,
  line: number,
  comment: string,
  fingerprint: string,
): HostKey['trust'] {
  const place = `${path} line ${line}`
  if (how === 'known-hosts') return { how, detail: place.slice(0, 500) }
  const { day, words, list } = readDecision(comment)
  const text = list === null ? undefined : lists?.get(list.sha256)
  if (list !== null && text !== undefined && listedKey(text, list.line)?.fingerprint === fingerprint)
    return { how: 'list', detail: (day === null ? words : `${words} (${day})`).slice(0, 500), list }
  return { how, detail: `${place}${comment === '' ? '' : `: ${comment}`}`.slice(0, 500) }
}

/** The list in which a trusted key was found, as stored; null where it was not found in one. */
export const listBehind = ({ trust: { list } }: HostKey, files: readonly TrustFile[]): string | null =>
  (list === undefined ? [] : files).flatMap(({ lists }) => lists?.get(list?.sha256 ?? '') ?? [])[0] ?? null

/**
 * Decides whether a shown host key is the node's, before any authentication data is sent. A revocation in any file has
 * priority; then the inline fingerprint, where there is one, and recorded decisions decide; otherwise any file that
 * contains the key.
 */
export function decideHostKey(trust: LoadedTrust, host: string, port: number, key: Uint8Array): Outcome<HostKey> {
  const type = keyType(key)
  if (type === null) return fail('ssh.host-key-unknown', 'the server showed an unreadable host key')
  const fingerprint = fingerprintOf(key)
  const shown = `${type} ${fingerprint}`
  const matches = trust.files.map((file) => ({ file, match: matchHostKey(file.text, host, port, key) }))
  for (const { file, match } of matches)
    if (match.kind === 'revoked')
      return fail('ssh.host-key-revoked', `${shown}, marked in ${file.path} line ${match.line}`)
  if (trust.fingerprint === fingerprint)
    return ok({
      type,
      fingerprint,
      trust: { how: 'fingerprint', detail: 'equals the fingerprint in the fleet file' },
    })
  for (const { file, match } of matches) {
    // With an inline fingerprint, only a recorded decision counts, because a person made it later.
    if (match.kind !== 'match' || (trust.fingerprint !== null && file.how !== 'decision')) continue
    return ok({ type, fingerprint, trust: trustBy(file, match.line, match.comment, fingerprint) })
  }
  if (trust.fingerprint !== null)
    return fail('ssh.host-key-changed', `${shown} was shown; on record in the fleet file: ${trust.fingerprint}`)
  for (const { file, match } of matches)
    if (match.kind === 'changed')
      return fail('ssh.host-key-changed', `${shown} was shown; on record in ${file.path} ${listed(match)}`)
  for (const { file, match } of matches)
    if (match.kind === 'host-ca')
      return fail(
        'ssh.no-common-algorithm',
        `${file.path} line ${match.line} names a certificate authority; only the system ssh program reads host certificates`,
      )
  const others = matches.map(({ file, match }) =>
    match.kind === 'unknown' && match.onRecord.length > 0 ? ` (${file.path} contains ${listed(match)})` : '',
  )
  return fail('ssh.host-key-unknown', shown + others.join(''))
}

const listed = (match: Extract<HostKeyMatch, { kind: 'changed' | 'unknown' }>): string =>
  match.onRecord.map(({ line, type, fingerprint }) => `line ${line}: ${type} ${fingerprint}`).join(', ')

/**
 * Key types on record, in file order: offered first, so that the server shows the key that can be compared (as ssh(1)
 * does).
 */
export const typesOnRecord = (trust: LoadedTrust, host: string, port: number): readonly string[] => [
  ...new Set(trust.files.flatMap(({ text }) => onRecordFor(text, host, port).types)),
]

/**
 * True when only `@cert-authority` lines could verify this server. ssh2 cannot negotiate certificate host keys
 * (`*-cert-v01@openssh.com`), so such a server is left to the system ssh program.
 */
export function onlyAuthorities(trust: LoadedTrust, host: string, port: number): boolean {
  if (trust.fingerprint !== null) return false
  const onRecord = trust.files.map(({ text }) => onRecordFor(text, host, port))
  return onRecord.some(({ authority }) => authority) && onRecord.every(({ types }) => types.length === 0)
}

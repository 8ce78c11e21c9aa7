import { readFile } from 'node:fs/promises'
import type { HostKey } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { fingerprintOf, type HostKeyMatch, keyType, matchHostKey, onRecordFor } from '../../core/known-hosts.ts'
import type { ConnectTarget, HostKeyTrust } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'

/** A target without its jumps: one server that we log in to. */
export type Hop = Omit<ConnectTarget, 'jumps'>

/** What is known about a server's host key before we connect: the inline fingerprint and the text of every file. */
export interface LoadedTrust {
  readonly fingerprint: string | null
  readonly files: readonly { readonly path: string; readonly text: string; readonly how: 'known-hosts' | 'decision' }[]
}

const LARGEST = 16 * 1024 * 1024

/** Reads the files of a trust. A file that does not exist is empty, as for ssh(1); one that cannot be read is a failure. */
export async function loadTrust(trust: HostKeyTrust): Promise<Outcome<LoadedTrust>> {
  const named = [
    ...trust.knownHostsFiles.map((path) => ({ path, how: 'known-hosts' as const })),
    ...(trust.decisionsFile === undefined ? [] : [{ path: trust.decisionsFile, how: 'decision' as const }]),
  ]
  const files: LoadedTrust['files'][number][] = []
  for (const { path, how } of named) {
    try {
      const bytes = await readFile(path)
      if (bytes.length > LARGEST) return fail('input.refused', `${path} is larger than 16 MiB`)
      files.push({ path, how, text: bytes.toString('utf8') })
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException).code !== 'ENOENT')
        return fail('input.not-found', `${path} could not be read`)
    }
  }
  return ok({ fingerprint: trust.fingerprint ?? null, files })
}

/**
 * Decides whether a shown host key is the node's, before anything is sent that could authenticate us. A revocation in any file
 * beats everything; then the inline fingerprint, where there is one, and recorded decisions decide; else any file that holds the key.
 */
export function decideHostKey(trust: LoadedTrust, host: string, port: number, key: Uint8Array): Outcome<HostKey> {
  const type = keyType(key)
  if (type === null) return fail('ssh.host-key-unknown', 'the server showed a key that could not be read')
  const fingerprint = fingerprintOf(key)
  const shown = `${type} ${fingerprint}`
  const trusted = (how: HostKey['trust']['how'], detail: string): Outcome<HostKey> =>
    ok({ type, fingerprint, trust: { how, detail: detail.slice(0, 500) } })
  const matches = trust.files.map((file) => ({ file, match: matchHostKey(file.text, host, port, key) }))
  for (const { file, match } of matches)
    if (match.kind === 'revoked')
      return fail('ssh.host-key-revoked', `${shown}, marked in ${file.path} line ${match.line}`)
  if (trust.fingerprint === fingerprint) return trusted('fingerprint', 'equals the fingerprint in the fleet file')
  for (const { file, match } of matches) {
    // Beside an inline fingerprint only a recorded decision counts: it was made later, and on purpose.
    if (match.kind !== 'match' || (trust.fingerprint !== null && file.how !== 'decision')) continue
    const comment = file.how === 'decision' && match.comment !== '' ? `: ${match.comment}` : ''
    return trusted(file.how, `${file.path} line ${match.line}${comment}`)
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
    match.kind === 'unknown' && match.onRecord.length > 0 ? ` (${file.path} holds ${listed(match)})` : '',
  )
  return fail('ssh.host-key-unknown', shown + others.join(''))
}

const listed = (match: Extract<HostKeyMatch, { kind: 'changed' | 'unknown' }>): string =>
  match.onRecord.map(({ line, type, fingerprint }) => `line ${line}: ${type} ${fingerprint}`).join(', ')

/** Key types on record, in file order: offered first, so that the server shows the key we can compare (as ssh(1) does). */
export const typesOnRecord = (trust: LoadedTrust, host: string, port: number): readonly string[] => [
  ...new Set(trust.files.flatMap(({ text }) => onRecordFor(text, host, port).types)),
]

/**
 * True when nothing but `@cert-authority` lines could vouch for this server. ssh2 cannot negotiate certificate host keys
 * (`*-cert-v01@openssh.com`), so such a server is left to the system ssh program.
 */
export function onlyAuthorities(trust: LoadedTrust, host: string, port: number): boolean {
  if (trust.fingerprint !== null) return false
  const onRecord = trust.files.map(({ text }) => onRecordFor(text, host, port))
  return onRecord.some(({ authority }) => authority) && onRecord.every(({ types }) => types.length === 0)
}

import type { HostKey } from '../../../schemas/types.ts'
import type { Failure } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { offerOf, type SshOffer } from '../../core/ssh-offer.ts'
import { trustBy } from './host-key.ts'
import type { CopiedFile } from './openssh-config.ts'

/** What the system ssh program wrote to its own log (`-E`, LogLevel DEBUG2), as far as we use it. Read from OpenSSH 9.2 and 10.0. */
export interface OpensshLog {
  readonly shown: { readonly type: string; readonly fingerprint: string; readonly certificate: string | null } | null
  /** The file that contained the host key. */
  readonly foundIn: { readonly path: string; readonly line: number; readonly authority: boolean } | null
  readonly authenticated: boolean
  readonly commandSent: boolean
  readonly exitStatus: number | null
  readonly serverVersion: string
  readonly authMethod: string
  readonly algorithms: Readonly<Record<string, string>>
  /** The server's SSH_MSG_KEXINIT, from the first key exchange; null where the log does not have it. */
  readonly offer: SshOffer | null
  /** Why it ended, if it ended by itself before or during the login. */
  readonly failure: Failure
}

/** Log text in, facts out. Its lines come partly from the server (version, banners), so only exact forms count. */
export function readOpensshLog(whole: string): OpensshLog {
  const text = whole.replace(/^debug2: .*(\r?\n|$)/gm, '')
  const first = (pattern: RegExp): RegExpExecArray | null => pattern.exec(text)
  const key = first(/^debug1: Server host (?:key|certificate): (\S+) (SHA256:[A-Za-z0-9+/]{43})(?:, (serial .*))?$/m)
  const found = first(/^debug1: Found (CA )?key in (.+):(\d+)$/m)
  const accepted = [...text.matchAll(/^debug1: Server accepts key: .* (\S+) (SHA256:[A-Za-z0-9+/]{43})(?: .*)?$/gm)].at(
    -1,
  )
  const method = first(/^(?:Authenticated to .* using|debug1: Authentication succeeded) [("]*([a-z-]+)/m)
  const exit = first(/^debug1: Exit status (\d{1,3})$/m)
  return {
    shown: key === null ? null : { type: key[1] ?? '', fingerprint: key[2] ?? '', certificate: key[3] ?? null },
    foundIn:
      found === null ? null : { authority: found[1] !== undefined, path: found[2] ?? '', line: Number(found[3]) },
    authenticated: method !== null,
    commandSent: /^debug1: Sending command: /m.test(text),
    exitStatus: exit === null ? null : Number(exit[1]),
    serverVersion: plain(
      first(/^debug1: Remote protocol version [\d.]+, remote software version (.*)$/m)?.[1] ?? 'unknown',
    ).trim(),
    authMethod:
      method?.[1] === 'publickey' && accepted !== undefined
        ? `publickey ${accepted[1]} ${accepted[2]}`
        : (method?.[1] ?? ''),
    algorithms: algorithmsOf(first),
    offer: offerIn(whole),
    failure: failureOf(text, key === null ? '' : `${key[1]} ${key[2]}`),
  }
}

function algorithmsOf(first: (pattern: RegExp) => RegExpExecArray | null): Record<string, string> {
  const way = (direction: string): RegExpExecArray | null =>
    first(new RegExp(`^debug1: kex: ${direction} cipher: (\\S+) MAC: (\\S+) compression: (\\S+)$`, 'm'))
  const [to, from] = [way('client->server'), way('server->client')]
  const values: Readonly<Record<string, string | undefined>> = {
    kex: first(/^debug1: kex: algorithm: (\S+)$/m)?.[1],
    hostKey: first(/^debug1: kex: host key algorithm: (\S+)$/m)?.[1],
    cipherToNode: to?.[1],
    cipherFromNode: from?.[1],
    macToNode: to?.[2]?.replace(/[<>]/g, ''),
    macFromNode: from?.[2]?.replace(/[<>]/g, ''),
    compressionToNode: to?.[3],
    compressionFromNode: from?.[3],
  }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, plain(value)]])),
  )
}

const PROPOSAL = [
  'KEX algorithms',
  'host key algorithms',
  'ciphers ctos',
  'ciphers stoc',
  'MACs ctos',
  'MACs stoc',
  'compression ctos',
  'compression stoc',
]

/** The program cuts a line of its log at 1023 characters (MSGBUFSIZ in log.c): a list that may be cut is not used. */
const CUT = 1000

/** The lines that follow “peer server KEXINIT proposal” (kex.c, kex_buf2prop), in its order. */
function offerIn(text: string): SshOffer | null {
  const [, after] = text.split(/^debug2: peer server KEXINIT proposal\r?\n/m, 2)
  if (after === undefined) return null
  const lines = after.split(/\r?\n/, PROPOSAL.length)
  return offerOf(
    PROPOSAL.map((name, at) => {
      const start = `debug2: ${name}: `
      const line = lines[at] ?? ''
      return line.startsWith(start) && line.length < CUT ? line.slice(start.length) : undefined
    }),
  )
}

/** In the order of a connection: the first match is the cause, what follows is its consequence. */
const CAUSES: readonly (readonly [RegExp, Failure['code']])[] = [
  [
    /^.*(Could not resolve hostname|Connection refused|No route to host|Network is unreachable|Connection timed out).*$/m,
    'ssh.unreachable',
  ],
  [/^.*timed out during banner exchange.*$/m, 'ssh.timed-out'],
  [/^.*(no matching .+ found|no mutual signature algorithm).*$/m, 'ssh.no-common-algorithm'],
  [/^.*(REVOKED HOST KEY|marked as revoked|Certificate .*revoked).*$/m, 'ssh.host-key-revoked'],
  [/^.*REMOTE HOST IDENTIFICATION HAS CHANGED.*$/m, 'ssh.host-key-changed'],
  [
    /^.*(Host key verification failed|key is known for .* strict checking|No matching CA found).*$/m,
    'ssh.host-key-unknown',
  ],
  [/^Load key .*(passphrase|error in libcrypto).*$/m, 'ssh.passphrase-needed'],
  [/^.*(UNPROTECTED PRIVATE KEY FILE|Load key .*).*$/m, 'ssh.no-credential'],
  [/^.*(Permission denied \(.*|Too many authentication failures).*$/m, 'ssh.auth-refused'],
  [/^.*(open failed|exec request failed|stdio forwarding failed).*$/m, 'ssh.channel-refused'],
  [
    /^.*(Bad configuration option|Bad owner or permissions|Bad stdio forwarding|terminating, \d+ bad).*$/m,
    'input.refused',
  ],
]

/**
 * The server would accept the key, and ssh then had nothing more to try: the key file is encrypted, and batch mode
 * prompts for nothing.
 */
const LOCKED =
  /^debug1: Server accepts key: (.+?) \S+ SHA256:\S+(?: .*)?\r?\ndebug1: No more authentication methods to try\.$/m

function failureOf(text: string, shown: string): Failure {
  const locked = LOCKED.exec(text)
  if (locked !== null) return { code: 'ssh.passphrase-needed', detail: plain(locked[1] ?? '') }
  const lines = text.replace(/^debug1: (?!connect to address).*$/gm, '')
  for (const [pattern, code] of CAUSES) {
    const said = pattern.exec(lines)?.[0]
    if (said !== undefined)
      return { code, detail: code.startsWith('ssh.host-key') ? shown : plain(said.replace(/^debug1: /, '').trim()) }
  }
  const last = lines.trim().split('\n').at(-1) ?? ''
  return { code: 'ssh.lost', detail: last === '' ? 'the connection ended before the login was complete' : plain(last) }
}

/** The host key as a recording states it. `files` are the originals of the copies that ssh was given. */
export function trustedKey(log: OpensshLog, files: readonly CopiedFile[]): HostKey | null {
  if (log.shown === null) return null
  const { type, fingerprint, certificate } = log.shown
  const file = files.find(({ copy }) => copy === log.foundIn?.path)
  if (log.foundIn === null || file === undefined)
    return { type, fingerprint, trust: { how: 'fingerprint', detail: 'equals the fingerprint in the fleet file' } }
  const { line } = log.foundIn
  if (log.foundIn.authority)
    return {
      type,
      fingerprint,
      trust: {
        how: 'host-ca',
        detail: `${file.path} line ${line}; certificate ${plain(certificate ?? '')}`.slice(0, 500),
      },
    }
  const comment = (file.text.split('\n')[line - 1] ?? '').trim().split(/\s+/).slice(3).join(' ')
  return { type, fingerprint, trust: trustBy(file, line, plain(comment), fingerprint) }
}

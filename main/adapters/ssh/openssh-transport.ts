import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostKey } from '../../../schemas/types.ts'
import { err, type Failure, fail, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { offerOf, type SshOffer } from '../../core/fleet/ssh-methods.ts'
import type { Connection, ConnectTarget, RemoteProcess, Transport } from '../../core/ports/ports.ts'
import { listBehind, trustBy } from './host-key.ts'
import { type CopiedFile, findSsh, type OpensshSetup, writeSetup } from './openssh-config.ts'

/** The one command that a connection of this adapter can run: the ssh program receives it when it connects. */
const COMMAND = 'sh -s'
const POLL_MS = 20
/** ssh has its own connection limits; this one also ends a server that stalls during the login. */
const LOGIN_MS = 45_000

/**
 * SSH by the system's OpenSSH client, started with an argument list and without a shell. It supports what ssh2 lacks:
 * post-quantum key exchange, user and host certificates, FIDO and PKCS#11 keys, ProxyCommand. It writes its log to a
 * separate file, so that a node's stderr and ssh's own messages never mix; host key, algorithms and login method are
 * read from the log.
 */
export function createOpensshTransport(options: { readonly userConfig?: readonly string[] } = {}): Transport {
  const connect: Transport['connect'] = async (target, signal) => {
    const ssh = findSsh()
    if (ssh === null) return fail('ssh.client-missing', 'no ssh program in PATH')
    const setup = await writeSetup(ssh, target, options)
    if (!setup.ok) return setup
    const child = startSsh(ssh, [...setup.value.args, COMMAND])
    const watched = watch(child, setup.value)
    const cancel = (): void => void child.kill('SIGTERM')
    signal.addEventListener('abort', cancel, { once: true })
    void watched.ended.then(() => signal.removeEventListener('abort', cancel))
    if (signal.aborted) cancel()
    const login = await untilLog(watched, ({ authenticated }) => authenticated)
    const hostKey = login.log === null ? null : trustedKey(login.log, setup.value.files)
    if (login.log === null || !login.log.authenticated || hostKey === null) {
      child.kill('SIGTERM')
      if (signal.aborted) return fail('run.cancelled', 'while logging in')
      if (login.timedOut) return fail('ssh.timed-out', `no login within ${LOGIN_MS / 1000} s`)
      return err(explain(target, login.log, login.hopTexts))
    }
    const { log } = login
    const connection: Connection = {
      hostKey,
      hostKeyList: listBehind(hostKey, setup.value.files),
      session: {
        transport: 'openssh',
        authMethod: log.authMethod.slice(0, 100),
        serverVersion: log.serverVersion.slice(0, 255),
        algorithms: log.algorithms,
        ...(target.jumps.length === 0 ? {} : { jump: target.jumps.map(({ node }) => node.name) }),
      },
      offer: log.offer,
      exec: async (command) => {
        if (command !== COMMAND) return fail('bug', `the ssh program was started for “${COMMAND}”`)
        const sent = await untilLog(watched, ({ commandSent }) => commandSent)
        if (sent.log?.commandSent === true) return ok(remoteProcess(child, watched))
        child.kill('SIGTERM')
        const failure = sent.log?.failure
        return failure?.code === 'ssh.channel-refused'
          ? err(failure)
          : fail('ssh.lost', failure?.detail ?? 'the connection ended before the command started')
      },
      close: () => void child.kill('SIGTERM'),
    }
    return ok(connection)
  }
  return { connect }
}

/** English messages, and no helper program that could open a prompt on a screen. */
export const startSsh = (ssh: string, args: readonly string[]): ChildProcessWithoutNullStreams => {
  const child = spawn(ssh, args, {
    env: { ...process.env, LC_ALL: 'C', SSH_ASKPASS_REQUIRE: 'never' },
    windowsHide: true,
  })
  child.stdin.on('error', () => {})
  return child
}

interface Logs {
  /** null while ssh has not written anything. */
  readonly log: OpensshLog | null
  readonly hopTexts: readonly string[]
}

/** The program and its logs. When it ends, the logs are read a last time and its folder is deleted. */
interface Watched {
  readonly read: () => Promise<Logs>
  readonly ended: Promise<Logs>
  readonly hasEnded: () => boolean
}

export function watch(child: ChildProcessWithoutNullStreams, setup: OpensshSetup): Watched {
  const read = async (): Promise<Logs> => {
    const [text = '', ...hopTexts] = await Promise.all(
      [setup.log, ...setup.hopLogs].map((path) => readFile(path, 'utf8').catch(() => '')),
    )
    return { log: text === '' ? null : readOpensshLog(text), hopTexts }
  }
  let last: Logs | null = null
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const ended = closed.then(async () => {
    last = await read()
    await setup.remove()
    return last
  })
  return { read: async () => last ?? (await read()), ended, hasEnded: () => last !== null }
}

/** Reads the log until it shows the expected event, the program has ended, or time is up. */
async function untilLog(
  watched: Watched,
  done: (log: OpensshLog) => boolean,
): Promise<Logs & { readonly timedOut: boolean }> {
  for (let waited = 0; ; waited += POLL_MS) {
    const over = watched.hasEnded()
    const logs = over ? await watched.ended : await watched.read()
    if (over || (logs.log !== null && done(logs.log))) return { ...logs, timedOut: false }
    if (waited >= LOGIN_MS) return { ...logs, timedOut: true }
    await sleep(POLL_MS)
  }
}

/** Why there was no login. A failed jump host is the cause of any entry in the target's own log. */
function explain(target: ConnectTarget, log: OpensshLog | null, hopTexts: readonly string[]): Failure {
  for (const [index, text] of hopTexts.entries()) {
    const hop = readOpensshLog(text)
    if (hop.authenticated && hop.failure.code !== 'ssh.channel-refused') continue
    const name = target.jumps[index]?.node.name ?? ''
    const failure = refine(hop.failure, target.jumps[index]?.trust.fingerprint)
    return {
      code: failure.code.startsWith('ssh.host-key') ? failure.code : 'ssh.jump-failed',
      detail: `jump host ${name}: ${failure.detail}`,
    }
  }
  return log === null
    ? { code: 'ssh.lost', detail: 'the ssh program reported nothing' }
    : refine(log.failure, target.trust.fingerprint)
}

/** With a fingerprint on record, a key that ssh calls unknown is a different key. */
const refine = (failure: Failure, onRecord: string | undefined): Failure =>
  failure.code === 'ssh.host-key-unknown' && onRecord !== undefined
    ? { code: 'ssh.host-key-changed', detail: `${failure.detail} was shown; on record in the fleet file: ${onRecord}` }
    : failure

function remoteProcess(child: ChildProcessWithoutNullStreams, watched: Watched): RemoteProcess {
  return {
    write: (data) => void (child.stdin.writable && child.stdin.write(data)),
    end: () => void child.stdin.end(),
    onStdout: (listener) => void child.stdout.on('data', listener),
    onStderr: (listener) => void child.stderr.on('data', listener),
    // ssh exits with 255 both for a command with that exit code and for a lost connection; only its log distinguishes them.
    closed: watched.ended.then(({ log }) => ({
      exitCode: log?.exitStatus ?? null,
      lost: (log?.exitStatus ?? null) === null,
    })),
    kill: () => {
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), 500).unref()
    },
  }
}

/** The facts that are used from the log of the system ssh program (`-E`, LogLevel DEBUG2). Forms of OpenSSH 9.2 and 10.0. */
interface OpensshLog {
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

/** Reads facts from the text of a log. Its lines come partly from the server (version, banners), so only exact forms count. */
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
 * The server would accept the key, and ssh then had nothing more to try: the key file is encrypted, and batch mode does
 * not prompt.
 */
const LOCKED =
  /^debug1: Server accepts key: (.+?) \S+ SHA256:\S+(?: .*)?\r?\ndebug1: No more authentication methods to try\.$/m

function failureOf(text: string, shown: string): Failure {
  const locked = LOCKED.exec(text)
  if (locked !== null) return { code: 'ssh.passphrase-needed', detail: plain(locked[1] ?? '') }
  const lines = text.replace(/^debug1: (?!connect to address).*$/gm, '')
  for (const [pattern, code] of CAUSES) {
    const line = pattern.exec(lines)?.[0]
    if (line !== undefined)
      return { code, detail: code.startsWith('ssh.host-key') ? shown : plain(line.replace(/^debug1: /, '').trim()) }
  }
  const last = lines.trim().split('\n').at(-1) ?? ''
  return { code: 'ssh.lost', detail: last === '' ? 'the connection ended before the login was complete' : plain(last) }
}

/** The host key as a recording states it. `files` are the originals of the copies that ssh was given. */
function trustedKey(log: OpensshLog, files: readonly CopiedFile[]): HostKey | null {
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

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { type Failure, fail } from '../../core/failure.ts'
import type { Connection, ConnectTarget, RemoteProcess, Transport } from '../../core/ports.ts'
import { err, ok } from '../../core/result.ts'
import { listBehind } from './host-key.ts'
import { findSsh, type OpensshSetup, writeSetup } from './openssh-config.ts'
import { type OpensshLog, readOpensshLog, trustedKey } from './openssh-log.ts'

/** The one command that a connection of this adapter can run: the ssh program receives it when it connects. */
const COMMAND = 'sh -s'
const POLL_MS = 20
/** ssh has its own connection limits; this one also ends a server that stalls during the login. */
const LOGIN_MS = 45_000

/**
 * SSH by the system's OpenSSH client: an argument list, never a shell. For what ssh2 cannot do: post-quantum key
 * exchange, user and host certificates, FIDO and PKCS#11 keys, ProxyCommand. It writes its log to a separate file, so
 * that a node's stderr and ssh's own messages never mix; host key, algorithms and login method are read from there.
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
export interface Watched {
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
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
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
    // ssh exits with 255 both for a command that did and for a lost connection; only its log tells them apart.
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

import type { Duplex } from 'node:stream'
import ssh2, { type AnyAuthMethod, type Client, type NegotiatedAlgorithms, type ServerHostKeyAlgorithm } from 'ssh2'
import type { HostKey, Session } from '../../../schemas/types.ts'
import { err, type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import type { SshOffer } from '../../core/fleet/ssh-methods.ts'
import { decideHostKey, type Hop, type LoadedTrust, typesOnRecord } from './host-key.ts'
import type { Login } from './login.ts'
import { CONNECT_MS } from './socket.ts'
import { offerInExchange, signAtOnce, silenceAfterEnd } from './ssh2-internals.ts'

export interface OpenClient {
  readonly client: Client
  readonly hostKey: HostKey
  readonly session: Omit<Session, 'privilege' | 'jump'>
  readonly offer: SshOffer | null
}

/** Host key algorithms by kind of key, in order of preference. */
export const HOST_KEY_KINDS: readonly (readonly ServerHostKeyAlgorithm[])[] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
]
const HOST_KEY_ALGORITHMS = HOST_KEY_KINDS.flat()

/**
 * Key exchange, host key decision and login over an open stream. The host key is decided inside the key exchange: when
 * it is not the node's, the connection ends before a user name or a signature is sent. One login is attempted, never
 * more.
 */
export function openClient(
  target: Hop,
  trust: LoadedTrust,
  login: Login,
  stream: Duplex,
  signal: AbortSignal,
  {
    decide = (key) => decideHostKey(trust, target.node.address, target.node.port, key),
    hostKeyTypes = HOST_KEY_ALGORITHMS,
    heard = () => undefined,
  }: {
    readonly decide?: (key: Uint8Array) => Outcome<HostKey>
    readonly hostKeyTypes?: readonly ServerHostKeyAlgorithm[]
    /** Called when the server showed its host key. */
    readonly heard?: () => void
  },
): Promise<Outcome<OpenClient>> {
  const { address, port, user } = target.node
  return new Promise((resolve) => {
    const client = new ssh2.Client()
    // A jump host carries many connections, each of which watches it.
    client.setMaxListeners(0)
    let hostKey: HostKey | null = null
    let refused: Failure | null = null
    let negotiated: NegotiatedAlgorithms | null = null
    let offer: SshOffer | null = null
    const deadline = startDeadline(() =>
      finish(
        fail('ssh.timed-out', `no ${negotiated === null ? 'key exchange' : 'login'} within ${CONNECT_MS / 1000} s`),
      ),
    )
    const steps = loginSteps(target.node, login, deadline.pause, (method) =>
      finish(fail('ssh.answer-needed', `the server requests “${method}”`)),
    )

    const finish = (outcome: Outcome<OpenClient>): void => {
      deadline.stop()
      signal.removeEventListener('abort', cancel)
      if (!outcome.ok) {
        client.destroy()
        stream.destroy()
      }
      resolve(outcome)
    }
    const cancel = (): void => finish(fail('run.cancelled', 'while logging in'))

    client.on('handshake', (algorithms) => {
      negotiated ??= algorithms
      deadline.restart()
    })
    client.on('error', (problem) =>
      finish(err(refused ?? explain(problem, negotiated !== null, steps.tried(), serverVersion(client)))),
    )
    client.on('close', () =>
      finish(
        err(
          refused ?? {
            code: 'ssh.lost',
            detail: negotiated === null ? BEFORE_LOGIN : 'the server ended the connection during the login',
          },
        ),
      ),
    )
    client.on('ready', () => {
      if (hostKey === null || negotiated === null) return finish(fail('bug', 'logged in without a decided host key'))
      const session = {
        transport: 'ssh2',
        authMethod: steps.method().slice(0, 100),
        serverVersion: serverVersion(client),
        algorithms: named(negotiated),
      } as const
      finish(ok({ client, hostKey, session, offer }))
    })
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) return cancel()

    try {
      client.connect({
        sock: stream,
        username: user,
        ident: 'barewitness',
        readyTimeout: 0,
        keepaliveInterval: 15_000,
        keepaliveCountMax: 3,
        agentForward: false,
        algorithms: {
          serverHostKey: preferred(hostKeyTypes, typesOnRecord(trust, address, port)),
          compress: ['zlib@openssh.com', 'none'],
        },
        hostVerifier: (key: Buffer): boolean => {
          heard()
          offer ??= offerInExchange(client)
          const decision = decide(key)
          // A re-keyed connection must keep showing the key that was decided.
          if (decision.ok && (hostKey === null || hostKey.fingerprint === decision.value.fingerprint))
            hostKey = decision.value
          else
            refused = decision.ok
              ? { code: 'ssh.host-key-changed', detail: 'another host key was shown within the session' }
              : decision.error
          return refused === null
        },
        authHandler: (left, partial, next) =>
          void steps
            .next(left as readonly string[] | null, partial)
            .then(next as (method: AnyAuthMethod | false) => void),
      })
      signAtOnce(client, login, steps.used)
      silenceAfterEnd(client)
    } catch (problem) {
      finish(fail('bug', plain(String(problem))))
    }
  })
}

/** Key exchange up to the host key, which is refused: no authentication data is sent. */
export async function readHostKey(target: Hop, stream: Duplex, signal: AbortSignal): Promise<Outcome<Uint8Array>> {
  let shown: Uint8Array | null = null
  const none: LoadedTrust = { fingerprint: null, files: [] }
  const look = (key: Uint8Array): Outcome<HostKey> => {
    shown = Uint8Array.from(key)
    return fail('ssh.host-key-unknown', 'read only')
  }
  const refused = await openClient(target, none, { keys: [], agent: null, ask: null }, stream, signal, { decide: look })
  if (shown !== null) return ok(shown)
  return refused.ok ? fail('bug', 'logged in while reading a host key') : refused
}

const BEFORE_LOGIN = 'the server ended the connection before the key exchange was complete'

/** True when a server disconnected before any authentication: reconnecting cannot count as a second login. */
export const endedEarly = ({ code, detail }: Failure): boolean => code === 'ssh.lost' && detail.startsWith(BEFORE_LOGIN)

/** Types on record first (as ssh(1) does), so that the server shows a key that can be compared. */
function preferred(all: readonly ServerHostKeyAlgorithm[], types: readonly string[]): ServerHostKeyAlgorithm[] {
  const known = (one: string): boolean =>
    types.includes(one) || (one.startsWith('rsa-sha2') && types.includes('ssh-rsa'))
  return [...all.filter(known), ...all.filter((one) => !known(one))]
}

/** A server's own name, as in OpenSSH_9.6p1; null before it sent one. */
export function softwareVersion(client: Client): string | null {
  const version = (client as unknown as { _remoteVer?: string })._remoteVer
  return version === undefined ? null : plain(version)
}

const serverVersion = (client: Client): string => softwareVersion(client) ?? 'unknown'

const named = (n: NegotiatedAlgorithms): Record<string, string> => ({
  kex: n.kex,
  hostKey: n.serverHostKey,
  cipherToNode: n.cs.cipher,
  cipherFromNode: n.sc.cipher,
  macToNode: n.cs.mac === '' ? 'implicit' : n.cs.mac,
  macFromNode: n.sc.mac === '' ? 'implicit' : n.sc.mac,
  compressionToNode: n.cs.compress,
  compressionFromNode: n.sc.compress,
})

/** Maps ssh2's error to a failure code. `level` is the part of ssh2 that failed. */
function explain(problem: Error & { level?: string }, exchanged: boolean, tried: string, server: string): Failure {
  const detail = plain(problem.message)
  const missing = /no matching (.+)/i.exec(problem.message)
  if (missing !== null)
    return { code: 'ssh.no-common-algorithm', detail: `no common ${plain(missing[1] ?? '')}; the server is ${server}` }
  if (problem.level === 'client-authentication')
    return {
      code: 'ssh.auth-refused',
      detail: tried === '' ? 'the server accepts none of the available login methods' : `tried: ${tried}`,
    }
  if (problem.level === 'agent') return { code: 'ssh.auth-refused', detail: `the SSH agent did not sign: ${detail}` }
  return { code: 'ssh.lost', detail: exchanged ? detail : `${BEFORE_LOGIN} (${detail})` }
}

function startDeadline(expired: () => void) {
  let timer = setTimeout(expired, CONNECT_MS)
  const restart = (): void => {
    clearTimeout(timer)
    timer = setTimeout(expired, CONNECT_MS)
  }
  return {
    restart,
    stop: (): void => clearTimeout(timer),
    /** Stops the clock while a person types. */
    pause: async <T>(work: Promise<T>): Promise<T> => {
      clearTimeout(timer)
      const value = await work
      restart()
      return value
    },
  }
}

/**
 * The steps of one login, in order: one key after the other; then, if the server requires more or there is no key, what
 * a person types. A prompt worded by a server is marked as such: otherwise it could request the passphrase of a signing
 * key. In unattended runs, `nobodyThere` is called with the method that the server requested, and nothing is sent for it.
 */
export function loginSteps(
  { name, user: username }: { readonly name: string; readonly user: string },
  login: Login,
  pause: <T>(work: Promise<T>) => Promise<T>,
  nobodyThere: (method: string) => void = () => undefined,
) {
  const queue: AnyAuthMethod[] =
    login.agent === null
      ? login.keys.map((key) => ({ type: 'publickey', username, key }))
      : [{ type: 'agent', username, agent: only(login) }]
  const methods: string[] = []
  let last = ''
  let prompted = false
  let triedTyping = false
  const ask = login.ask
  const where = `The node ${plain(name)}, as ${plain(username)},`
  const question = async (text: string): Promise<string | null> => {
    prompted = true
    return ask === null ? null : await pause(ask(`${text}. What you type is sent to that node: `))
  }
  const interactive: AnyAuthMethod = {
    type: 'keyboard-interactive',
    username,
    prompt: (_name, _instructions, _lang, prompts, answer) =>
      void (async () => {
        const answers: string[] = []
        for (const { prompt } of prompts) {
          const typed = await question(`${where} asks: ${quote(prompt, 200)}`)
          if (typed === null) return nobodyThere('keyboard-interactive')
          answers.push(typed)
        }
        last = 'keyboard-interactive'
        answer(answers)
      })(),
  }
  const next = async (left: readonly string[] | null, partial: boolean): Promise<AnyAuthMethod | false> => {
    if (partial && last !== '') methods.push(last)
    const key = partial ? undefined : queue.shift()
    if (key !== undefined) return key
    if (ask === null || (login.keys.length > 0 && !partial && !triedTyping) || prompted) return false
    const offered = (method: string): boolean => left === null || left.includes(method)
    if (!triedTyping && offered('keyboard-interactive')) {
      triedTyping = true
      return interactive
    }
    triedTyping = true
    if (left?.includes('password') !== true) return false
    const password = await question(`${where} requests the password`)
    if (password === null) {
      nobodyThere('password')
      return false
    }
    last = 'password'
    return { type: 'password', username, password }
  }
  return {
    next,
    /** Called by the signer with the key in use. */
    used: (method: string): void => {
      last = method
    },
    method: (): string => [...methods, last].join(' + '),
    tried: (): string => last,
  }
}

/** The agent, reduced to the keys selected for use. */
function only(login: Login): NonNullable<Login['agent']> {
  const agent = login.agent
  return Object.assign(Object.create(agent), {
    getIdentities: (done: (problem: null, keys: unknown) => void) => done(null, [...login.keys]),
  })
}

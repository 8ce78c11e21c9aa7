import type { Duplex } from 'node:stream'
import ssh2, { type Channel, type Client, type ClientChannel } from 'ssh2'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { fingerprintOf, keyType } from '../../core/fleet/known-hosts.ts'
import type { MethodsHeard } from '../../core/fleet/ssh-methods.ts'
import type { ByteStream, Connection, ConnectTarget, Dialed, RemoteProcess, Transport } from '../../core/ports/ports.ts'
import { type Hop, listBehind, loadTrust } from './host-key.ts'
import { atJump, createJumpPool, forward, type Loan } from './jump-pool.ts'
import { planLogin, type Unlocked } from './login.ts'
import { CONNECT_MS, openSocket, pause } from './socket.ts'
import { endedEarly, HOST_KEY_KINDS, type OpenClient, openClient, readHostKey, softwareVersion } from './ssh2-client.ts'
import { keepaliveTimes, offerInExchange, silenceAfterEnd } from './ssh2-internals.ts'

/** Connections that end before the server's first line are due to its MaxStartups: wait and retry, at most so often. */
const RETRIES = 2

/** How a server was reached. `release` returns the last jump host. */
interface Way {
  readonly release: () => void
  readonly through: readonly string[]
  /** Of the one direct TCP connection: to the server itself, or to the first jump host. */
  readonly remoteAddress: string | null
  /** How long opening it took; null through jump hosts. */
  readonly tcpMs: number | null
  /** Stops the connection from keeping this program running. Jump hosts are shared, and keep it running until the last node returned them. */
  readonly leave: () => void
}

type OpenHop = OpenClient & Way & { readonly hostKeyList: string | null }

/** The type of key that a failure about a host key names first. */
const shownType = (outcome: Outcome<unknown>): string => (outcome.ok ? '' : outcome.error.detail)

/**
 * SSH in this process, by ssh2. Unsupported methods (post-quantum key exchange, certificates, FIDO keys) fail with their
 * name.
 */
export function createSsh2Transport(): {
  /** As in Transport; `heard` is called at the first reply of the server. */
  readonly connect: (target: ConnectTarget, signal: AbortSignal, heard?: () => void) => ReturnType<Transport['connect']>
  /**
   * The host key a server shows, as on the wire. The connection ends there; jump hosts on the path are logged in to.
   */
  readonly scan: (target: ConnectTarget, signal: AbortSignal) => Promise<Outcome<Uint8Array>>
} {
  const pool = createJumpPool<OpenHop>()
  const unlocked: Unlocked = new Map()

  const borrow = async (jumps: readonly Hop[], signal: AbortSignal): Promise<Outcome<Loan<OpenHop>>> => {
    const hop = jumps.at(-1)
    if (hop === undefined) return fail('bug', 'no jump host given')
    const key = jumps.map(({ node }) => `${node.user}@${node.address}:${node.port}`).join('>')
    // The pool receives the jump host's own failure, which decides whether a retry is safe.
    const loan = await pool.borrow(key, async () => {
      const opened = await openHop(hop, jumps.slice(0, -1), signal)
      if (opened.ok) opened.value.client.once('close', opened.value.release)
      return opened
    })
    return loan.ok ? loan : atJump(hop, loan.error)
  }

  /** Opens one server, through its jump hosts where it has some. */
  const openHop = async (
    target: Hop,
    jumps: readonly Hop[],
    signal: AbortSignal,
    heard: () => void = () => undefined,
  ): Promise<Outcome<OpenHop>> => {
    const trust = await loadTrust(target.trust)
    if (!trust.ok) return trust
    const login = await planLogin(target.credentials, unlocked)
    if (!login.ok) return login
    const once = async (hostKeyTypes?: (typeof HOST_KEY_KINDS)[number]): Promise<Outcome<OpenHop>> => {
      const way = await openWay(target, jumps, signal)
      if (!way.ok) return way
      const { stream, ...reached } = way.value
      const opened = await openClient(
        target,
        trust.value,
        login.value,
        stream,
        signal,
        hostKeyTypes === undefined ? { heard } : { hostKeyTypes, heard },
      )
      if (opened.ok) {
        const hostKeyList = listBehind(opened.value.hostKey, trust.value.files)
        return ok({ ...opened.value, ...reached, hostKeyList })
      }
      reached.release()
      return opened
    }
    let opened = await once()
    for (let attempt = 1; !opened.ok && endedEarly(opened.error) && attempt <= RETRIES && !signal.aborted; attempt++) {
      heard()
      await pause(attempt * (700 + Math.random() * 600), signal)
      opened = await once()
    }
    if (opened.ok || opened.error.code !== 'ssh.host-key-changed' || target.trust.fingerprint === undefined)
      return opened
    // A pasted fingerprint does not state its key type, and a server has several keys: the others are checked before
    // the key counts as changed. No authentication data is sent in any of these connections.
    for (const kind of HOST_KEY_KINDS) {
      if (kind.some((type) => shownType(opened).startsWith(type)) || signal.aborted) continue
      const other = await once(kind)
      if (other.ok) return other
    }
    return opened
  }

  const openWay = async (
    target: Hop,
    jumps: readonly Hop[],
    signal: AbortSignal,
  ): Promise<Outcome<Way & { readonly stream: Duplex }>> => {
    const last = jumps.at(-1)
    if (last === undefined) {
      const opened = await openSocket(target.node.address, target.node.port, signal)
      if (!opened.ok) return opened
      const { socket, tcpMs } = opened.value
      return ok({
        stream: socket,
        release: () => {},
        through: [],
        remoteAddress: socket.remoteAddress ?? null,
        tcpMs,
        leave: () => void socket.unref(),
      })
    }
    const loan = await borrow(jumps, signal)
    if (!loan.ok) return loan
    const stream = await forward(loan.value.jump.client, last.node.name, target)
    if (!stream.ok) {
      loan.value.giveBack()
      return stream
    }
    return ok({
      stream: stream.value,
      release: loan.value.giveBack,
      through: jumps.map((hop) => hop.node.name),
      remoteAddress: loan.value.jump.remoteAddress,
      tcpMs: null,
      leave: () => undefined,
    })
  }

  const connect = async (
    target: ConnectTarget,
    signal: AbortSignal,
    heard?: () => void,
  ): ReturnType<Transport['connect']> => {
    const opened = await openHop(target, target.jumps, signal, heard)
    if (!opened.ok) return opened
    const { client, hostKey, hostKeyList, session, offer, release, through, tcpMs, remoteAddress, leave } = opened.value
    const cancel = (): void => void client.destroy()
    signal.addEventListener('abort', cancel, { once: true })
    client.once('close', () => {
      signal.removeEventListener('abort', cancel)
      release()
    })
    const connection: Connection = {
      hostKey,
      hostKeyList,
      session: through.length === 0 ? session : { ...session, jump: through },
      offer,
      exec: (command) => startCommand(client, command),
      dial: (host, port) => dial(client, host, port),
      askMethods: (target, late) => askMethods(client, target, late),
      timePath: async () => ({
        tcpMs,
        keepaliveMs: await keepaliveTimes(client),
        jumps: through.length,
        remoteAddress,
      }),
      close: () => {
        client.end()
        setTimeout(() => client.destroy(), 500).unref()
        // Written data is still sent; the end of the connection by the server is not awaited.
        leave()
      },
    }
    return ok(connection)
  }
  const scan = async (target: ConnectTarget, signal: AbortSignal): Promise<Outcome<Uint8Array>> => {
    const way = await openWay(target, target.jumps, signal)
    if (!way.ok) return way
    const shown = await readHostKey(target, way.value.stream, signal)
    way.value.release()
    return shown
  }
  return { connect, scan }
}

/**
 * Starts one command on a logged-in ssh2 client. Fails with `ssh.channel-refused` where the server refuses it, and with
 * `ssh.timed-out` where it does not reply.
 */
function startCommand(client: Client, command: string): Promise<Outcome<RemoteProcess>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fail('ssh.timed-out', 'the node did not start the command')), CONNECT_MS)
    const finish = (outcome: Outcome<RemoteProcess>): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    client.once('close', () => finish(fail('ssh.lost', 'the connection ended before the command started')))
    try {
      client.exec(command, (problem, channel) =>
        finish(
          problem === undefined
            ? ok(remoteProcess(client, channel))
            : fail('ssh.channel-refused', plain(problem.message)),
        ),
      )
    } catch {
      finish(fail('ssh.lost', 'the connection had ended'))
    }
  })
}

/**
 * A channel as a remote process. Both streams must have listeners; `lost` means that no exit status arrived, as after a
 * signal.
 */
function remoteProcess(client: Client, channel: ClientChannel): RemoteProcess {
  const closed = new Promise<{ exitCode: number | null; lost: boolean }>((resolve) => {
    let exit: { exitCode: number | null; lost: boolean } = { exitCode: null, lost: true }
    channel.on('exit', (code: number | null) => {
      exit = { exitCode: code, lost: code === null }
    })
    channel.on('close', () => resolve(exit))
    channel.on('error', () => resolve(exit))
    // Data that arrived with the end of the connection is delivered first.
    client.once('close', () => setImmediate(() => resolve(exit)))
  })
  return {
    write: (data) => void (channel.writable && channel.write(data)),
    end: () => void channel.end(),
    onStdout: (listener) => void channel.on('data', listener),
    onStderr: (listener) => void channel.stderr.on('data', listener),
    closed,
    // Closing a channel does not stop the program on the node (the collector's own watchdog does); requesting it first
    // gives it a chance to end.
    kill: () => {
      try {
        channel.signal('TERM')
        channel.close()
      } catch {
        // The connection is already closed, which is the goal.
      }
      client.end()
      setTimeout(() => client.destroy(), 500).unref()
    },
  }
}

const NOTHING: Omit<MethodsHeard, 'outcome'> = { version: null, hostKey: null, offer: null, methods: [] }
/** More names than any server has; each is short by RFC 4251, section 6. */
const MOST_METHODS = 16

/**
 * Queries a server of the node, through the open connection, for the methods it offers a user: key exchange, one `none`
 * request (RFC 4252, section 5.2), and the end of the connection. Nothing else is sent, and where the request succeeds,
 * the connection is ended before any session.
 * The server's host key is recorded and not verified, which the rule against logging in to unverified hosts allows: a
 * `none` request contains no password, key, signature or token, so that an impostor learns a user name from the fleet
 * file, and nothing to log in with. `late` ends the wait.
 */
async function askMethods(
  through: Client,
  target: { readonly host: string; readonly port: number; readonly user: string },
  late: Promise<unknown>,
): Promise<MethodsHeard> {
  const opened = await openChannel(through, target.host, target.port)
  if (!opened.ok) return { outcome: opened.why, ...NOTHING }
  const { channel } = opened
  return await new Promise((resolve) => {
    const client = new ssh2.Client()
    let hostKey: MethodsHeard['hostKey'] = null
    let offer: MethodsHeard['offer'] = null
    let isOver = false
    let isHeard = false
    const finish = (outcome: MethodsHeard['outcome'], methods: readonly string[] = []): void => {
      if (isOver) return
      isOver = true
      const version = softwareVersion(client)
      client.end()
      client.destroy()
      channel.destroy()
      resolve({ outcome, version, hostKey, offer, methods })
    }
    client.on('ready', () => finish('accepted'))
    client.on('error', (problem) =>
      finish(isHeard && softwareVersion(client) === null ? 'not-ssh' : outcomeOf(problem)),
    )
    client.on('close', () => finish(isHeard && softwareVersion(client) === null ? 'not-ssh' : 'closed'))
    through.once('close', () => finish('lost'))
    void late.then(() => finish('silent'))
    try {
      client.connect({
        sock: channel,
        username: target.user,
        ident: 'barewitness',
        readyTimeout: 0,
        keepaliveInterval: 0,
        agentForward: false,
        algorithms: { serverHostKey: HOST_KEY_KINDS.flat(), compress: ['none'] },
        hostVerifier: (key: Buffer): boolean => {
          hostKey ??= { type: keyType(key) ?? 'unknown', fingerprint: fingerprintOf(key) }
          offer ??= offerInExchange(client)
          return true
        },
        authHandler: (left) => {
          // The first call precedes all requests; the methods left after our one request are the reply.
          if (left === null) return { type: 'none', username: target.user }
          finish(
            'methods',
            (left as readonly string[]).slice(0, MOST_METHODS).map((name) => plain(name, 64)),
          )
          return false
        },
      })
      // A server may send lines before its version (RFC 4253, section 4.2); other protocols send only such lines.
      channel.once('data', () => {
        isHeard = true
      })
      silenceAfterEnd(client)
    } catch {
      finish('closed')
    }
  })
}

const outcomeOf = ({ message }: Error): MethodsHeard['outcome'] =>
  /no matching /i.test(message) ? 'no-common' : 'closed'

/** SSH_OPEN_CONNECT_FAILED (RFC 4254, section 5.1): the server tried, and no program accepted the connection. */
const CONNECT_FAILED = 2

/** An IPv4 or IPv6 address without a scope. */
const isLiteral = (host: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || /^[0-9a-f]*:[0-9a-f:]*$/i.test(host)

type Opened =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly why: 'refused' | 'failed' | 'lost' }

/**
 * A channel from the node to one of its own addresses (RFC 4254, section 7.2). Servers that forbid forwarding and those
 * at their channel limit refuse alike (“open failed”): nothing was observed then.
 */
function openChannel(client: Client, host: string, port: number): Promise<Opened> {
  // A name would be resolved by the node, and could lead anywhere.
  if (!isLiteral(host)) return Promise.resolve({ ok: false, why: 'failed' })
  return new Promise((resolve) => {
    client.once('close', () => resolve({ ok: false, why: 'lost' }))
    try {
      client.forwardOut('127.0.0.1', 0, host, port, (problem, channel) => {
        if (problem !== undefined) {
          const { reason } = problem as Error & { readonly reason?: number }
          return resolve({ ok: false, why: reason === CONNECT_FAILED ? 'failed' : 'refused' })
        }
        // A channel without an error listener would end our process.
        channel.on('error', () => {})
        resolve({ ok: true, channel })
      })
    } catch {
      resolve({ ok: false, why: 'lost' })
    }
  })
}

/** A channel as openChannel() opens it, as a stream of bytes. */
export async function dial(client: Client, host: string, port: number): Promise<Dialed> {
  const opened = await openChannel(client, host, port)
  if (!opened.ok) return opened
  const { channel } = opened
  const closed = new Promise<'ended' | 'lost'>((done) => {
    // Channels end a moment before their connection reports it.
    const end = (): void => void setImmediate(() => done('ended'))
    channel.once('end', end)
    channel.once('close', end)
    client.once('close', () => done('lost'))
  })
  const stream: ByteStream = {
    write: (data) => void (channel.writable && channel.write(data)),
    onData: (listener) => void channel.on('data', listener),
    closed,
    close: () => void channel.destroy(),
  }
  return { ok: true, stream }
}

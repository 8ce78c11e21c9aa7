import type { Duplex } from 'node:stream'
import { fail, type Outcome } from '../../core/failure.ts'
import type { Connection, ConnectTarget, Transport } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { dial } from './dial.ts'
import { type Hop, listBehind, loadTrust } from './host-key.ts'
import { atJump, createJumpPool, forward, type Loan } from './jump-pool.ts'
import { planLogin, type Unlocked } from './login.ts'
import { askMethods } from './none-request.ts'
import { startCommand } from './remote-process.ts'
import { openSocket } from './socket.ts'
import { endedEarly, HOST_KEY_KINDS, type OpenClient, openClient, readHostKey } from './ssh2-client.ts'
import { keepaliveTimes } from './ssh2-internals.ts'

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
}
type OpenHop = OpenClient & Way & { readonly hostKeyList: string | null }

/** The type of key that a failure about a host key names first. */
const shownType = (outcome: Outcome<unknown>): string => (outcome.ok ? '' : outcome.error.detail)

/**
 * SSH in this process, by ssh2. What it cannot do (post-quantum key exchange, certificates, FIDO keys) fails by name.
 */
export function createSsh2Transport(): {
  /** As in Transport; `heard` is called at the first sign of the server. */
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
    // The pool sees the jump host's own failure, by which it knows whether a retry is safe.
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
    })
  }

  const connect = async (
    target: ConnectTarget,
    signal: AbortSignal,
    heard?: () => void,
  ): ReturnType<Transport['connect']> => {
    const opened = await openHop(target, target.jumps, signal, heard)
    if (!opened.ok) return opened
    const { client, hostKey, hostKeyList, session, offer, release, through, tcpMs, remoteAddress } = opened.value
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

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

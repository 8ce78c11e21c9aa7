import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import ssh2, { type AuthContext, type Connection, type Server, type ServerChannel } from 'ssh2'
import { DEMO_SERVER } from '../../../schemas/version.ts'
import { framesOf } from '../../core/collector/frames.ts'
import type { SshServerObservation, SshServersObservation } from '../../core/fleet/ssh-methods.ts'
import type { Clock } from '../../core/ports/ports.ts'
import type { Probe } from '../../core/recording/probe.ts'
import { concat, u16, u24 } from '../../core/tls/client-hello.ts'
import type { PortObservation, TlsObservation } from '../../core/tls/server-reply.ts'
import { offerLists, offerRecorded, type RecordedAnswer } from './recorded-node.ts'

const GREETINGS: Readonly<Record<NonNullable<PortObservation['says']>, string>> = {
  http: 'HTTP/1.1 400 Bad Request\r\n\r\n',
  ssh: 'SSH-2.0-OpenSSH\r\n',
  greeting: '220 ready\r\n',
  other: '-ERR unknown command\r\n',
}

/** The captures from which a demo server replays the ports of the recorded node. */
interface RecordedPorts {
  readonly tls: RecordedAnswer | undefined
  readonly ssh: RecordedAnswer | undefined
  /** The host key of its SSH servers: that of the forwarding server, because they are on one host. */
  readonly hostKeyPem: string
}

/**
 * Makes a demo server forward to the ports of the recorded node. Each new connection to a port gets the recorded reply
 * to its next ClientHello, in order. Ports of SSH servers lead to a server that offers the recorded methods and refuses
 * every login. Forwarding is refused where the recorded node refused it, and where it has no such captures.
 */
function forwardRecorded(client: Connection, { tls, ssh, hostKeyPem }: RecordedPorts): void {
  const ports = read<TlsObservation>(tls)?.asked ?? []
  const servers = read<SshServersObservation>(ssh)?.asked ?? []
  // Without a listener, ssh2 refuses like a server that forwards nothing; our rejection looks like a port without a listener.
  if (ports.every(({ outcome }) => outcome === 'refused') && servers.every(isUnheard)) return
  const turns = new Map<PortObservation, number>()
  client.on('tcpip', (accept, reject, { destIP, destPort }) => {
    const at = ({ host, port }: { readonly host: string; readonly port: number }): boolean =>
      host === destIP && port === destPort
    const server = servers.find(at)
    const port = ports.find(at)
    if (server !== undefined && !isUnheard(server)) {
      const channel = accept()
      channel.on('error', () => {})
      return actServer(channel, server, hostKeyPem)
    }
    if (port === undefined || port.outcome === 'failed') return reject()
    const turn = turns.get(port) ?? 0
    turns.set(port, turn + 1)
    const channel = accept()
    channel.on('error', () => {})
    channel.once('data', () => answerForward(channel, port, turn))
  })
}

const read = <T>(recorded: RecordedAnswer | undefined): T | null =>
  recorded === undefined ? null : (JSON.parse(Buffer.from(recorded.stdout).toString()) as T)

const isUnheard = ({ answers }: SshServerObservation): boolean =>
  answers.every(({ outcome }) => outcome !== 'methods' && outcome !== 'accepted')

/**
 * An SSH server over the channel: the recorded name, proposal and methods. Accounts that the recorded one accepted are
 * accepted, and no channel opens.
 */
function actServer(
  channel: ServerChannel,
  { version, offer, answers }: SshServerObservation,
  hostKeyPem: string,
): void {
  const server = new ssh2.Server(
    { hostKeys: [hostKeyPem], ident: version ?? 'none', algorithms: { compress: ['none'] } },
    (client) => {
      if (offer !== null) offerLists(client, offer)
      client.on('error', () => {})
      client.on('authentication', (context) => {
        const answer = answers.find(({ user }) => user === context.username) ?? answers[0]
        if (context.method === 'none' && answer?.outcome === 'accepted') context.accept()
        else context.reject([...(answer?.methods ?? [])] as Parameters<typeof context.reject>[0])
      })
    },
  )
  // ssh2 uses only methods that every duplex stream has.
  server.injectSocket(channel as unknown as Socket)
}

function answerForward(
  channel: ServerChannel,
  { outcome, says, hellos = [], certificates = [] }: PortObservation,
  turn: number,
): void {
  if (outcome === 'silent') return
  if (outcome === 'plain') channel.write(GREETINGS[says ?? 'other'])
  if (outcome === 'tls') {
    const hello = hellos[turn % Math.max(1, hellos.length)]
    channel.write(Buffer.from(hello?.reply ?? '', 'base64'))
    if (hello !== undefined && !['1.3', 'weak'].includes(hello.hello)) channel.write(certificateRecord(certificates))
  }
  channel.end()
}

/** A Certificate message (RFC 5246, section 7.4.2) in separate records. */
function certificateRecord(certificates: readonly string[]): Uint8Array {
  const entries = certificates.flatMap((one) => {
    const der = Buffer.from(one, 'base64')
    return [Uint8Array.from(u24(der.length)), Uint8Array.from(der)]
  })
  const list = concat(entries)
  const message = concat([Uint8Array.from([11, ...u24(list.length + 3), ...u24(list.length)]), list])
  const records: Uint8Array[] = []
  for (let at = 0; at < message.length; at += 16_384) {
    const part = message.subarray(at, at + 16_384)
    records.push(Uint8Array.from([22, 3, 3, ...u16(part.length)]), part)
  }
  return concat(records)
}

interface DemoServerOptions {
  readonly hostKeyPem: string
  /** The one public key that may log in, as on the wire. */
  readonly clientKey: Uint8Array
  /** By "probe/command". */
  readonly answers: ReadonlyMap<string, RecordedAnswer>
  readonly probes: readonly Probe<unknown>[]
  readonly privilege: 'root' | 'sudo' | 'none'
  /** The clock of the node; this computer's where absent. */
  readonly clock?: Pick<Clock, 'now'>
  /**
   * Called for each session; its result is awaited before each capture, for servers that take as long as a real
   * node.
   */
  readonly pace?: () => (answers: number) => Promise<void>
  readonly port?: number
}

/** A loopback SSH server that behaves as `demoServer` describes. */
export function startDemoServer(
  options: DemoServerOptions,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const clients = new Set<Connection>()
  const server = demoServer(options, clients)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed())
          for (const client of clients) client.end()
        })
      resolve({ port, close })
    })
  })
}

/**
 * A server that replays recorded captures to the collector. It reads the script that it receives, and for each command
 * writes the frames that a node with those captures would. Nothing is executed. Host key, login and transport are real.
 * It does not listen yet. `clients`: filled with the connected clients.
 */
export function demoServer(options: DemoServerOptions, clients: Set<Connection>): Server {
  const known = new Set(
    options.probes.flatMap(({ id, commands }) => Object.keys(commands).map((command) => `${id}/${command}`)),
  )
  // Compression stays off: ssh2's server throws from a timer when a client disconnects in the middle of a compressed
  // channel.
  return new ssh2.Server(
    { hostKeys: [options.hostKeyPem], ident: DEMO_SERVER, algorithms: { compress: ['none'] } },
    (client) => {
      // Otherwise every echo waits for Nagle's algorithm and a delayed acknowledgement, and a demo node seems thousands
      // of km away.
      withNoDelay(client).setNoDelay(true)
      clients.add(client)
      client.on('authentication', (context) => authenticate(context, options.clientKey))
      client.on('session', (accept) => {
        const session = accept()
        session.on('exec', (acceptExec, _reject, info) => {
          const channel = acceptExec()
          channel.on('error', () => {})
          if (info.command === 'sh -s') replay(channel, options, known)
          else refuse(channel)
        })
      })
      offerRecorded(client, options.answers.get('ssh.offers/offers'))
      forwardRecorded(client, {
        tls: options.answers.get('tls.listeners/listeners'),
        ssh: options.answers.get('ssh.servers/servers'),
        hostKeyPem: options.hostKeyPem,
      })
      client.on('close', () => clients.delete(client))
      client.on('error', () => clients.delete(client))
    },
  )
}

// @types/ssh2 names this method on clients only.
const withNoDelay = (client: Connection): Connection & { readonly setNoDelay: (on: boolean) => void } =>
  client as Connection & { readonly setNoDelay: (on: boolean) => void }

function authenticate(context: AuthContext, clientKey: Uint8Array): void {
  if (isOurs(context, clientKey)) context.accept()
  else context.reject(['publickey'])
}

/** The one key that may log in: offered (no signature yet), or signed with. */
function isOurs(context: AuthContext, clientKey: Uint8Array): boolean {
  if (context.method !== 'publickey') return false
  const shown = context.key.data
  if (shown.length !== clientKey.length || !timingSafeEqual(shown, clientKey)) return false
  if (context.signature === undefined || context.blob === undefined) return true
  const key = ssh2.utils.parseKey(shown)
  return !(key instanceof Error) && key.verify(context.blob, context.signature, context.hashAlgo) === true
}

function refuse(channel: ServerChannel): void {
  channel.stderr.write('This demo node responds to the collector only.\n')
  channel.exit(1)
  channel.end()
}

/** The commands of the script, line by line: see main/core/collector/script.ts. */
interface Asked {
  readonly index: number
  readonly key: string
  readonly asRoot: boolean
  readonly maxBytes: number
}

function replay(channel: ServerChannel, options: DemoServerOptions, known: ReadonlySet<string>): void {
  let text = ''
  let echo: boolean | null = null
  channel.on('data', (chunk: Buffer) => {
    if (echo === true) return void channel.write(chunk)
    if (echo === false) return
    text += chunk.toString('latin1')
    const end = /\n(exec cat|exit 0)\n/.exec(text)
    if (end === null) return
    echo = end[1] === 'exec cat'
    const rest = Buffer.from(text.slice(end.index + end[0].length), 'latin1')
    void answer(channel, text.slice(0, end.index), options, known).then((whole) => {
      if (whole && echo === true) {
        if (rest.length > 0) channel.write(rest)
        channel.on('end', () => finish(channel))
      } else finish(channel)
    })
  })
}

function finish(channel: ServerChannel): void {
  channel.exit(0)
  channel.end()
}

/** Writes every frame; false when the recorded session ended early. */
async function answer(
  channel: ServerChannel,
  script: string,
  options: DemoServerOptions,
  known: ReadonlySet<string>,
): Promise<boolean> {
  const nonce = /^N=([0-9a-f]{24})$/m.exec(script)?.[1] ?? ''
  const granted = options.privilege === 'root' || /^R='sudo -n'$/m.test(script)
  const now = (): number =>
    Math.floor((options.clock === undefined ? Date.now() : Date.parse(options.clock.now())) / 1000)
  channel.write(`${nonce} H 1 ${options.privilege === 'root' ? 0 : 1000} ${now()} t h\n`)
  const lines = script.split('\n').flatMap(readLine)
  const rest = options.pace?.()
  for (const asked of lines) {
    await rest?.(lines.length)
    if (channel.destroyed) return false
    const recorded = known.has(asked.key) ? options.answers.get(asked.key) : undefined
    if (recorded?.status === 'lost') return false
    const frames = framesOf(nonce, { index: asked.index, ...frameOf(asked, recorded, granted, options.privilege) })
    channel.write(frames.stdout)
    channel.stderr.write(frames.stderr)
  }
  channel.write(`${nonce} Z ${now()}\n`)
  channel.stderr.write(`${nonce} Z 0\n`)
  return true
}

function readLine(line: string): readonly Asked[] {
  const found = /^(?:x .* \|\| )?([cdpq]) (\d+) \d+ (\d+) .* # (\S+\/\S+)$/.exec(line)
  return found === null
    ? []
    : [
        {
          asRoot: /[pq]/.test(found[1] ?? ''),
          index: Number(found[2]),
          maxBytes: Number(found[3]),
          key: found[4] ?? '',
        },
      ]
}

const NOTHING = new Uint8Array()
const bytesOf = (text: string): Uint8Array => Buffer.from(text)

function frameOf(
  asked: Asked,
  recorded: RecordedAnswer | undefined,
  granted: boolean,
  privilege: DemoServerOptions['privilege'],
): { exit: string; stdout: Uint8Array; stderr: Uint8Array } {
  if (asked.asRoot && (!granted || recorded?.status === 'not-run'))
    return { exit: 'n', stdout: NOTHING, stderr: NOTHING }
  if (asked.asRoot && privilege === 'none')
    return { exit: '1', stdout: NOTHING, stderr: bytesOf('sudo: a password is required\n') }
  if (recorded === undefined) return { exit: '127', stdout: NOTHING, stderr: bytesOf('sh: not found\n') }
  const { stdout, stderr, exitCode, status } = recorded
  if (status === 'timed-out') return { exit: '124', stdout, stderr }
  if (status === 'no-path') return { exit: 'a', stdout, stderr }
  // One byte over the limit is how the script detects truncated output.
  if (status === 'truncated')
    return {
      exit: String(exitCode),
      stdout: Buffer.concat([stdout, Buffer.alloc(asked.maxBytes, ' ')]).subarray(0, asked.maxBytes),
      stderr,
    }
  return { exit: String(exitCode), stdout: stdout.subarray(0, asked.maxBytes), stderr }
}

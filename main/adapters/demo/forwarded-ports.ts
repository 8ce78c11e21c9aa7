import type { Socket } from 'node:net'
import ssh2, { type Connection, type ServerChannel } from 'ssh2'
import type { SshServerObservation, SshServersObservation } from '../../core/ssh-methods.ts'
import { concat, u16, u24 } from '../../core/tls/client-hello.ts'
import type { PortObservation, TlsObservation } from '../../core/tls/server-reply.ts'
import { offerLists, type RecordedAnswer } from './recorded-node.ts'

const GREETINGS: Readonly<Record<NonNullable<PortObservation['says']>, string>> = {
  http: 'HTTP/1.1 400 Bad Request\r\n\r\n',
  ssh: 'SSH-2.0-OpenSSH\r\n',
  greeting: '220 ready\r\n',
  other: '-ERR unknown command\r\n',
}

/** What a demo server needs to replay the ports of the recorded node. */
export interface RecordedPorts {
  readonly tls: RecordedAnswer | undefined
  readonly ssh: RecordedAnswer | undefined
  /** What its SSH servers show: they are one host with the forwarding server. */
  readonly hostKeyPem: string
}

/**
 * Lets a demo server forward to the ports of the recorded node: each new connection to a port gets the recorded reply
 * to its next ClientHello, in order; behind ports of SSH servers is one that offers the recorded methods and refuses
 * every login. Nodes that refused forwarding refuse it here too, and so do those without a record.
 */
export function forwardRecorded(client: Connection, { tls, ssh, hostKeyPem }: RecordedPorts): void {
  const ports = read<TlsObservation>(tls)?.asked ?? []
  const servers = read<SshServersObservation>(ssh)?.asked ?? []
  // ssh2 by itself refuses like a server that forwards nothing; our rejection reads like a port without a listener.
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
    channel.once('data', () => answer(channel, port, turn))
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
        const said = answers.find(({ user }) => user === context.username) ?? answers[0]
        if (context.method === 'none' && said?.outcome === 'accepted') context.accept()
        else context.reject([...(said?.methods ?? [])] as Parameters<typeof context.reject>[0])
      })
    },
  )
  // It uses only what every duplex stream has.
  server.injectSocket(channel as unknown as Socket)
}

function answer(
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

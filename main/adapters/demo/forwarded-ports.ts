import type { Connection, ServerChannel } from 'ssh2'
import type { PortObservation, TlsObservation } from '../../core/tls/observation.ts'
import { concat, u16, u24 } from '../../core/tls/wire.ts'
import type { RecordedAnswer } from './recorded-node.ts'

const GREETINGS: Readonly<Record<NonNullable<PortObservation['says']>, string>> = {
  http: 'HTTP/1.1 400 Bad Request\r\n\r\n',
  ssh: 'SSH-2.0-OpenSSH\r\n',
  greeting: '220 ready\r\n',
  other: '-ERR unknown command\r\n',
}

/**
 * Lets a demo server forward to the ports of the recorded node: each new connection to a port gets what the recorded one got to its next
 * ClientHello, in order. Nodes that refused to forward refuse here too, and so do those without a record.
 */
export function forwardRecorded(client: Connection, recorded: RecordedAnswer | undefined): void {
  const { asked } =
    recorded === undefined
      ? { asked: [] }
      : (JSON.parse(Buffer.from(recorded.stdout).toString()) as Pick<TlsObservation, 'asked'>)
  // ssh2 refuses by itself as a server does that forwards nothing; a rejection of ours reads as a port where nobody answers.
  if (asked.every(({ outcome }) => outcome === 'refused')) return
  const turns = new Map<PortObservation, number>()
  client.on('tcpip', (accept, reject, { destIP, destPort }) => {
    const port = asked.find(({ host, port: number }) => host === destIP && number === destPort)
    if (port === undefined || port.outcome === 'failed') return reject()
    const turn = turns.get(port) ?? 0
    turns.set(port, turn + 1)
    const channel = accept()
    channel.on('error', () => {})
    channel.once('data', () => answer(channel, port, turn))
  })
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

/** A Certificate message (RFC 5246 §7.4.2) in records of its own. */
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

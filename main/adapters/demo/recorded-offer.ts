import type { Connection } from 'ssh2'
import { OFFER_LISTS, type SshOffer } from '../../core/ssh-offer.ts'
import type { RecordedAnswer } from './recorded-node.ts'

interface Names {
  array: readonly string[]
}

interface Offer {
  totalSize: number
  copyAllTo: (buffer: Uint8Array, at: number) => void
  readonly lists: {
    readonly kex: Names
    readonly serverHostKey: Names
    readonly cs: { readonly cipher: Names; readonly mac: Names; readonly compress: Names }
    readonly sc: { readonly cipher: Names; readonly mac: Names; readonly compress: Names }
  }
}

/**
 * Lets a demo server propose in its key exchange what the recorded node proposed, including algorithms that ssh2 lacks:
 * a client of this program never selects those. Host key and compression stay the real ones of this server. ssh2 has no
 * option for it; where its private field is absent, the server proposes its own defaults.
 */
export function offerRecorded(client: Connection, recorded: RecordedAnswer | undefined): void {
  if (recorded !== undefined) offerLists(client, JSON.parse(Buffer.from(recorded.stdout).toString()) as SshOffer)
}

/** The same from the lists themselves. */
export function offerLists(client: Connection, lists: Readonly<Partial<SshOffer>>): void {
  const offer = (client as unknown as { _protocol?: { _offer?: Offer } })._protocol?._offer
  if (offer === undefined || typeof offer.copyAllTo !== 'function') return
  const own: Readonly<Record<string, readonly string[]>> = {
    hostKey: offer.lists.serverHostKey.array,
    compressionToNode: offer.lists.cs.compress.array,
    compressionFromNode: offer.lists.sc.compress.array,
  }
  const names = [...OFFER_LISTS.map((key) => own[key] ?? lists[key] ?? []), [], []]
  const bytes = Buffer.concat(
    names.map((list) => {
      const text = Buffer.from(list.join(','), 'latin1')
      const length = Buffer.alloc(4)
      length.writeUInt32BE(text.length)
      return Buffer.concat([length, text])
    }),
  )
  // These decide the negotiated algorithms, so they contain only proposed ones.
  const { kex, cs, sc } = offer.lists
  for (const [held, key] of [
    [kex, 'kex'],
    [cs.cipher, 'cipherToNode'],
    [sc.cipher, 'cipherFromNode'],
    [cs.mac, 'macToNode'],
    [sc.mac, 'macFromNode'],
  ] as const)
    held.array = held.array.filter((name) => lists[key]?.includes(name) === true)
  // The object is shared by all connections of this server, which all propose the same.
  offer.totalSize = bytes.length
  offer.copyAllTo = (buffer, at) => buffer.set(bytes, at)
}

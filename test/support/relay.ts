import { connect as connectTcp, createServer, type Socket } from 'node:net'

/** A machine in between: it takes TCP connections at once, and hands every byte on as a long way would. */
export interface RelaySettings {
  readonly to: { readonly host: string; readonly port: number }
  /** Held back in each direction. */
  readonly oneWayMs: number
  /** Up to so much more, as chance has it. */
  readonly jitterMs?: number
  /** So much of what passes is lost at first, and sent again after 200 ms: TCP hides losses, and they show as late bytes. */
  readonly lossShare?: number
  readonly seed?: number
}

export interface Relay {
  readonly port: number
  readonly close: () => Promise<void>
}

const RETRANSMISSION_MS = 200

export function startRelay(settings: RelaySettings): Promise<Relay> {
  const random = chance(settings.seed ?? 1)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (near) => {
    const far = connectTcp({ ...settings.to, noDelay: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    pass(near, far, settings, random)
    pass(far, near, settings, random)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed())
          for (const socket of sockets) socket.destroy()
        })
      resolve({ port: typeof address === 'object' && address !== null ? address.port : 0, close })
    })
  })
}

/** In order, as TCP does: what is late holds up what comes after it. */
function pass(
  from: Socket,
  to: Socket,
  { oneWayMs, jitterMs = 0, lossShare = 0 }: RelaySettings,
  random: () => number,
) {
  const held: { readonly due: number; readonly work: () => void }[] = []
  // Timers of different lengths may ring in another order than they are due.
  const letGo = (): void => {
    const now = performance.now()
    while (held[0] !== undefined && held[0].due <= now) held.shift()?.work()
    if (held[0] !== undefined) setTimeout(letGo, held[0].due - now + 0.5)
  }
  const later = (work: () => void): void => {
    const lost = random() < lossShare ? RETRANSMISSION_MS : 0
    const due = Math.max(held.at(-1)?.due ?? 0, performance.now() + oneWayMs + random() * jitterMs + lost)
    held.push({ due, work })
    if (held.length === 1) letGo()
  }
  from.on('data', (chunk) => later(() => to.writable && to.write(chunk)))
  from.on('close', () => later(() => to.destroy()))
}

/** The same numbers each time (mulberry32). */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

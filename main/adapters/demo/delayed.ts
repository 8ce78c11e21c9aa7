import { connect, createServer, type Socket } from 'node:net'

/**
 * A loopback port that forwards everything to another one, delayed by half of the given time each way: a demo node that
 * appears far away to the echo. The connection itself opens at once, since any device in front of a node could open it.
 */
export function startDelayed(
  to: number,
  milliseconds: number,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const open = new Set<Socket>()
  // Half open: an end of stream is forwarded as late as the data before it.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const node = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })
    for (const socket of [client, node]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    passOn(client, node, milliseconds / 2)
    passOn(node, client, milliseconds / 2)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed())
          for (const socket of open) socket.destroy()
        })
      resolve({ port: typeof address === 'object' && address !== null ? address.port : 0, close })
    })
  })
}

/** Timers of one length fire in the order they were started, so that the bytes stay in order. */
function passOn(from: Socket, to: Socket, milliseconds: number): void {
  from.on('data', (bytes) => void setTimeout(() => to.writable && to.write(bytes), milliseconds))
  from.on('end', () => void setTimeout(() => to.end(), milliseconds))
  from.on('close', (broken) => broken && to.destroy())
}

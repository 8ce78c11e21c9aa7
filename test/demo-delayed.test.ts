import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startDelayed } from '../main/adapters/demo/demo-fleet.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A port that sends everything back. */
async function echoing(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('everything comes back in order, and never sooner than the delay', async () => {
  const delayed = await startDelayed(await echoing(), 40)
  ends.push(delayed.close)
  const client = connect(delayed.port, '127.0.0.1')
  await once(client, 'connect')
  // A timer may fire up to a millisecond early by the clock of another.
  let passed = false
  setTimeout(() => {
    passed = true
  }, 38)
  const sent = Array.from({ length: 200 }, (_, index) => `line ${index}\n`)
  for (const line of sent) client.write(line)
  client.end()
  const passedAtFirst: boolean[] = []
  let back = ''
  for await (const chunk of client) {
    passedAtFirst.push(passed)
    back += String(chunk)
  }
  expect(back).toBe(sent.join(''))
  expect(passedAtFirst[0]).toBe(true)
})

test('closing it ends the connections that are open', async () => {
  const delayed = await startDelayed(await echoing(), 40)
  const client = connect(delayed.port, '127.0.0.1')
  client.on('error', () => {})
  await once(client, 'connect')
  const closed = once(client, 'close')
  await delayed.close()
  await closed
})

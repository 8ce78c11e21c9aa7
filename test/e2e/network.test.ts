import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { buildShellApp, openWindow, whyNoWindow } from '../support/open-window.ts'

/** An address of this computer that is not the loopback: pages' peer connections leave that one out. */
const ownAddress = (): string | null =>
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address ?? null

const unreachable = whyNoWindow() ?? (ownAddress() === null ? 'this computer has no network address' : null)

/** Not covered by the content security policy: peer connections and hints, each a way to send a few bytes to any host. */
describeUnless(unreachable, 'a page that calls out', () => {
  test('5, 19: no name is looked up and no packet leaves, over UDP or TCP', async () => {
    const address = ownAddress() ?? ''
    const heard: string[] = []
    const udp = createSocket('udp4', (bytes) => heard.push(`udp ${bytes.length}`))
    await new Promise<void>((resolve) => udp.bind(0, address, resolve))
    const tcp = createServer((socket) => {
      heard.push('tcp')
      socket.destroy()
    })
    await new Promise<void>((resolve) => tcp.listen(0, address, resolve))
    const ports = [udp.address().port, (tcp.address() as { port: number }).port] as const
    const folder = mkdtempSync(join(tmpdir(), 'barewitness-net-'))
    const log = join(folder, 'net.json')
    const opened = await openWindow({ folder: buildShellApp(), switches: [`--log-net-log=${log}`] })
    try {
      await opened.page.evaluate(
        async ([host, [stun, turn]]) => {
          for (const rel of ['dns-prefetch', 'preconnect', 'prefetch', 'modulepreload']) {
            const link = document.createElement('link')
            link.rel = rel
            link.href = `http://hint-${rel}.example.invalid:${turn}/`
            document.head.append(link)
          }
          const peer = new RTCPeerConnection({
            iceServers: [
              { urls: `stun:${host}:${stun}` },
              { urls: 'stun:spoken.example.invalid' },
              { urls: `turn:${host}:${turn}?transport=tcp`, username: 'a', credential: 'b' },
            ],
          })
          peer.createDataChannel('a')
          await peer.setLocalDescription(await peer.createOffer())
          await new Promise((resolve) => setTimeout(resolve, 4000))
        },
        [address, ports] as const,
      )
    } finally {
      await opened.close()
      udp.close()
      tcp.close()
    }
    const { constants, events } = JSON.parse(readFileSync(log, 'utf8')) as {
      constants: { logEventTypes: Record<string, number> }
      events: { type: number; params?: Record<string, unknown> }[]
    }
    rmSync(folder, { recursive: true, force: true })
    const names = new Map(Object.entries(constants.logEventTypes).map(([name, type]) => [type, name]))
    const outward = events.flatMap(({ type, params }) => {
      const name = names.get(type) ?? ''
      // Whether there is IPv6 is found out by choosing a route to this address. Nothing is sent to it.
      if (String(params?.address).startsWith('[2001:4860:4860::8888]')) return []
      return params !== undefined && /^(TCP_CONNECT|UDP_CONNECT|HOST_RESOLVER_\w*(JOB|TASK)|DNS_TRANSACTION)/.test(name)
        ? [`${name} ${JSON.stringify(params)}`]
        : []
    })
    expect({ heard, outward }).toEqual({ heard: [], outward: [] })
  })
})

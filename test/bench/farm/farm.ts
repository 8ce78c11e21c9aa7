import { randomUUID } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { resolve } from 'node:path'
import ssh2, { type Connection, type Server } from 'ssh2'
import { demoKey } from '../../../main/adapters/demo/demo-fleet.ts'
import { nodeAnswers, nodeSettings } from '../../../main/adapters/demo/recorded-node.ts'
import { demoServer } from '../../../main/adapters/demo/server.ts'
import { BOOT_KEY } from '../../../main/app/collect/captures.ts'
import { catalog } from '../../../main/catalog/definition/index.ts'
import { addressOf, behaviourOf, type Faults, indexOf, nameOf } from './behaviour.ts'

export interface FarmOptions {
  readonly nodes: number
  /** What a node takes for its answers, in seconds, and how much of it varies from session to session: 0.3 is ± 30 %. */
  readonly seconds: number
  readonly spread: number
  /** Looked at anew for each connection. */
  readonly faults: Faults
}

export interface Farm {
  readonly port: number
  readonly fingerprint: string
  /** The private key that may log in. */
  readonly login: string
  /** A fleet file of its nodes, as a value; `identityFile` holds the key. */
  readonly fleet: (identityFile: string) => unknown
  /** Sessions that were begun. */
  readonly sessions: () => number
  /** Connections that a node took so far. */
  readonly connections: (index: number) => number
  /** From now on every node is of another boot. */
  readonly reboot: () => void
  readonly close: () => Promise<void>
}

// From the folder that tests and benchmarks run in: this file is bundled, and then lies elsewhere.
const RECORDED = resolve('test/fixtures/nodes')
/** Which recorded nodes the emulated ones answer as, in turn. */
const BASES = ['demo-gpu-01', 'demo-gpu-02', 'demo-metal-04', 'demo-shared-05']
/** Timers of a session: one for each answer would keep the processor busy with nothing else. */
const STEPS = 25

/**
 * Emulated nodes: real SSH on loopback that replays recorded answers over the time a node takes, one host key for all of them. It
 * measures the client's scaling, memory and order of work, not what a node costs.
 */
export async function startFarm({ nodes, seconds, spread, faults }: FarmOptions): Promise<Farm> {
  const [key, login, other] = [demoKey(), demoKey(), demoKey()]
  const clients = new Set<Connection>()
  const sockets = new Set<Socket>()
  const taken = new Map<number, number>()
  let sessions = 0
  const answers = new Map(BASES.map((base) => [base, new Map(nodeAnswers(RECORDED, base))]))
  // One of them offers nothing that OpenSSH would take, which is to measure beside us.
  for (const given of answers.values()) given.delete('ssh.offers/offers')
  const pace = () => {
    sessions += 1
    const whole = seconds * 1000 * (1 + (Math.random() * 2 - 1) * spread)
    const began = performance.now()
    let answered = 0
    return async (answers: number): Promise<void> => {
      answered += 1
      if (answered % Math.ceil(answers / STEPS) !== 0) return
      const due = began + (whole * answered) / answers
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    }
  }
  const answering = (base: string, clientKey: Uint8Array): Server =>
    demoServer(
      {
        hostKeyPem: key.pem,
        clientKey,
        answers: answers.get(base) ?? new Map(),
        probes: catalog.probes,
        privilege: nodeSettings(RECORDED, base).privilege ?? 'sudo',
        pace,
      },
      clients,
    )
  const servers = BASES.map((base) => answering(base, login.blob))
  const rejecting = answering(BASES[0] ?? '', other.blob)
  const flooding = floodServer(key.pem)
  const front = createServer({ noDelay: true }, (socket) => {
    const index = indexOf(socket.localAddress ?? '')
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    // It listens on every address of this computer, and answers on the farm’s alone.
    if (index === null || index >= nodes) return void socket.destroy()
    taken.set(index, (taken.get(index) ?? 0) + 1)
    const behaviour = behaviourOf(index, faults)
    if (behaviour === 'drops') return void socket.destroy()
    if (behaviour === 'hangs') return
    if (behaviour === 'rejects') return rejecting.injectSocket(socket)
    if (behaviour === 'floods') return flooding.injectSocket(socket)
    if (behaviour === 'resets') resetPartWay(socket)
    servers[index % servers.length]?.injectSocket(socket)
  })
  await new Promise<void>((listening) => front.listen(0, '0.0.0.0', listening))
  const address = front.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    fingerprint: key.fingerprint,
    login: login.pem,
    fleet: (identityFile) => ({
      name: 'Farm',
      nodes: Array.from({ length: nodes }, (_, index) => ({
        name: nameOf(index),
        address: addressOf(index),
        // Nothing listens on port 1.
        port: behaviourOf(index, faults) === 'refuses' ? 1 : port,
        user: 'bwaudit',
        sudo: true,
        hostKey: key.fingerprint,
        identityFile,
        agent: false,
        transport: 'ssh2',
      })),
    }),
    sessions: () => sessions,
    connections: (index) => taken.get(index) ?? 0,
    reboot: () => {
      for (const given of answers.values()) {
        const ids = given.get(BOOT_KEY)
        if (ids !== undefined) given.set(BOOT_KEY, { ...ids, stdout: ofAnotherBoot(ids.stdout) })
      }
    },
    close: () =>
      new Promise((closed) => {
        front.close(() => closed())
        for (const client of clients) client.end()
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const ofAnotherBoot = (ids: Uint8Array): Uint8Array =>
  Buffer.from(
    Buffer.from(ids)
      .toString('latin1')
      .replace(/(boot_id:)\S+/, `$1${randomUUID()}`),
    'latin1',
  )

/** In the middle of its answers, however fast they go. */
function resetPartWay(socket: Socket): void {
  const look = setInterval(() => socket.bytesWritten > 24 * 1024 && socket.resetAndDestroy(), 5)
  socket.once('close', () => clearInterval(look))
}

/** A node that lets anyone in and never stops talking. */
function floodServer(hostKeyPem: string): Server {
  // ssh2’s server throws from a timer when a client hangs up in the middle of a compressed channel.
  return new ssh2.Server({ hostKeys: [hostKeyPem], algorithms: { compress: ['none'] } }, (client) => {
    client.on('error', () => undefined)
    client.on('authentication', (context) => context.accept())
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec) => {
        const channel = acceptExec()
        let text = ''
        channel.on('error', () => undefined)
        channel.on('data', (chunk: Buffer) => {
          if (text === '') {
            text = chunk.toString('latin1')
            const nonce = /^N=([0-9a-f]{24})$/m.exec(text)?.[1] ?? ''
            channel.write(`${nonce} H 1 0 ${Math.floor(Date.now() / 1000)} t h\n${nonce} B 0 1.00\n`)
            flood()
          }
        })
        const line = Buffer.alloc(32 * 1024, 'x')
        const flood = (): void => {
          if (channel.destroyed) return
          if (channel.write(line)) setImmediate(flood)
          else channel.once('drain', flood)
        }
      })
    })
  })
}

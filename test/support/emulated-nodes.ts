import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Connection, Server } from 'ssh2'
import { demoKey } from '../../main/adapters/demo/demo-fleet.ts'
import { nodeAnswers, nodeSettings, type RecordedAnswer } from '../../main/adapters/demo/recorded-node.ts'
import { demoServer } from '../../main/adapters/demo/server.ts'
import { catalog } from '../../main/catalog/definition/index.ts'

export interface EmulatedNode {
  readonly name: string
  /** The recorded node that it answers as. */
  readonly recorded: string
}

export interface EmulatedFleet {
  readonly names: readonly string[]
  /** The table that an officer imports: addresses, login, host keys as the provider lists them, and places. */
  readonly csv: string
  /** Serial numbers as in the export of a provider's portal. */
  readonly inventory: string
  /** From now on the node answers as another recorded node; its own identity stays. */
  readonly becomes: (name: string, recorded: string) => void
  /** From now on the node drops every connection. */
  readonly goesAway: (name: string) => void
  readonly close: () => Promise<void>
}

const RECORDED = resolve('test/fixtures/nodes')
const PER_NETWORK = 200
const addressOf = (index: number): string => `127.79.${Math.floor(index / PER_NETWORK)}.${(index % PER_NETWORK) + 1}`
const fourDigits = (index: number): string => String(index + 1).padStart(4, '0')

/**
 * Nodes over SSH on loopback that replay recorded answers, each with an address, a host key, a boot and serial numbers of its own: what the
 * product takes for as many machines.
 */
export async function startEmulated(nodes: readonly EmulatedNode[]): Promise<EmulatedFleet> {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-emulated-'))
  const identityFile = join(folder, 'login')
  const login = demoKey()
  writeFileSync(identityFile, login.pem, { mode: 0o600 })
  const keys = nodes.map(() => demoKey())
  const clients = new Set<Connection>()
  const sockets = new Set<Socket>()
  const away = new Set<string>()
  const answering = (index: number, recorded: string): Server =>
    demoServer(
      {
        hostKeyPem: keys[index]?.pem ?? '',
        clientKey: login.blob,
        answers: ownAnswers(recorded, index),
        probes: catalog.probes,
        privilege: nodeSettings(RECORDED, recorded).privilege ?? 'sudo',
      },
      clients,
    )
  const servers = nodes.map(({ recorded }, index) => answering(index, recorded))
  const indexOf = new Map(nodes.map((_, index) => [addressOf(index), index]))
  const front = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    const index = indexOf.get(socket.localAddress ?? '')
    const name = index === undefined ? undefined : nodes[index]?.name
    // It listens on every address of this computer, and answers on those of its nodes alone.
    if (index === undefined || name === undefined || away.has(name)) return void socket.destroy()
    servers[index]?.injectSocket(socket)
  })
  await new Promise<void>((listening) => front.listen(0, '0.0.0.0', listening))
  const address = front.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const lines = nodes.map(
    ({ name }, index) =>
      `${name},${addressOf(index)},${port},bwaudit,yes,${identityFile},${keys[index]?.fingerprint},Ashburn,US,39.04,-77.49,60,provider contract`,
  )
  const place = (name: string): number => nodes.findIndex((one) => one.name === name)
  return {
    names: nodes.map(({ name }) => name),
    csv: [
      'name,address,port,user,sudo,identityFile,hostKey,site,country,latitude,longitude,radiusKm,declaredBy',
      ...lines,
      '',
    ].join('\n'),
    inventory: [
      'id,hostname,serial',
      ...nodes.map(({ name }, at) => `srv-${at + 1},${name},DEMO-S${fourDigits(at)}`),
      '',
    ].join('\n'),
    becomes: (name, recorded) => {
      servers[place(name)] = answering(place(name), recorded)
    },
    goesAway: (name) => void away.add(name),
    close: () =>
      new Promise((closed) => {
        front.close(() => {
          rmSync(folder, { recursive: true, force: true })
          closed()
        })
        for (const client of clients) client.end()
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const recordings = new Map<string, ReadonlyMap<string, RecordedAnswer>>()

/** Recorded answers with serial numbers, GPU ids and boots that no other emulated node has. */
function ownAnswers(recorded: string, index: number): ReadonlyMap<string, RecordedAnswer> {
  const base = recordings.get(recorded) ?? nodeAnswers(RECORDED, recorded)
  recordings.set(recorded, base)
  return new Map([...base].map(([key, answer]) => [key, { ...answer, stdout: owned(answer.stdout, index) }]))
}

function owned(stdout: Uint8Array, index: number): Uint8Array {
  const text = Buffer.from(stdout).toString('latin1')
  // Most answers name no machine: they are shared among all nodes.
  if (!/DEMO-[A-Z]\d{4}|GPU-de300000-0000|boot_id:/.test(text)) return stdout
  const four = fourDigits(index)
  return Buffer.from(
    text
      .replace(/(DEMO-[A-Z])\d{4}/g, `$1${four}`)
      .replace(/GPU-de300000-0000/g, `GPU-de30${four}-0000`)
      .replace(/(boot_id:[0-9a-f-]{32})[0-9a-f]{4}/g, `$1${four}`),
    'latin1',
  )
}

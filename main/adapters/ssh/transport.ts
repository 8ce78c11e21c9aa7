import { setMaxListeners } from 'node:events'
import { fail, type Outcome } from '../../core/base/failure.ts'
import type { ConnectTarget, Transport } from '../../core/ports/ports.ts'
import { loadTrust, onlyAuthorities } from './host-key.ts'
import { needsSystemClient } from './login.ts'
import { findSsh } from './openssh-config.ts'
import { createOpensshTransport } from './openssh-transport.ts'
import { bare, pause } from './socket.ts'
import { createSsh2Transport } from './ssh2-transport.ts'

/**
 * Both SSH clients behind one port, paced. A node names its client; `auto` is ssh2, except where only the system ssh
 * program supports the login (certificates, hardware keys, host certificates), or where ssh2 finds no common algorithm.
 * That second connection is not a second login: the first ended in the key exchange.
 */
export function createTransport(pacing: Partial<Pacing> = {}): Transport {
  const ssh2 = createSsh2Transport()
  const openssh = createOpensshTransport()
  const pacer = createPacer(pacing)

  // The system's program reports nothing until the login is complete, and a person may have to touch a key meanwhile.
  const bySystem = (
    target: ConnectTarget,
    signal: AbortSignal,
    heard: () => void,
  ): ReturnType<Transport['connect']> => {
    heard()
    return openssh.connect(target, signal)
  }
  const choose = async (
    target: ConnectTarget,
    signal: AbortSignal,
    heard: () => void,
  ): ReturnType<Transport['connect']> => {
    if (target.transport === 'openssh') return await bySystem(target, signal, heard)
    if (target.transport === 'ssh2') return await ssh2.connect(target, signal, heard)
    const why = await whyOpenssh(target)
    if (why !== null) {
      if (findSsh() === null) return fail('ssh.client-missing', why)
      return await bySystem(target, signal, heard)
    }
    const first = await ssh2.connect(target, signal, heard)
    if (first.ok || first.error.code !== 'ssh.no-common-algorithm' || findSsh() === null) return first
    return await bySystem(target, signal, heard)
  }
  return {
    connect: (target, signal) => {
      // One signal stops a whole fleet; Node would warn of a leak at eleven listeners.
      setMaxListeners(0, signal)
      return pacer.run(target, signal, (heard) => choose(target, signal, heard))
    },
  }
}

/** Why a target, or one of its jump hosts, requires the system ssh program; null when ssh2 is enough. */
async function whyOpenssh(target: ConnectTarget): Promise<string | null> {
  for (const hop of [...target.jumps, target]) {
    const trust = await loadTrust(hop.trust)
    if (trust.ok && onlyAuthorities(trust.value, hop.node.address, hop.node.port))
      return 'only a certificate authority is on record for the host key'
    const credentials = await needsSystemClient(hop.credentials)
    if (credentials !== null) return credentials
    if (hop.transport === 'openssh') return `${hop.node.name} selects the system ssh program`
  }
  return null
}

/** Pacing of connections. The defaults stay below what sshd, fail2ban and MaxStartups 10:30:100 treat as an attack. */
interface Pacing {
  /** New connections per second over the whole fleet. */
  readonly perSecond: number
  /** Logins in progress within one network (IPv4 /24, IPv6 /64, otherwise one name). */
  readonly perNetwork: number
  /** Logins in progress through one jump host. */
  readonly perJump: number
  /** How long a silent server delays others of its network: otherwise dead servers would, each for its whole time-out. */
  readonly patienceMs: number
}

const DEFAULTS: Pacing = { perSecond: 20, perNetwork: 4, perJump: 8, patienceMs: 3000 }

/**
 * Delays connections until they may start. `run` ends its claim when the login is complete, not when the session ends.
 * `work` calls `heard` at the first reply of the server.
 */
export function createPacer(pacing: Partial<Pacing> = {}): {
  readonly run: <T>(
    target: ConnectTarget,
    signal: AbortSignal,
    work: (heard: () => void) => Promise<Outcome<T>>,
  ) => Promise<Outcome<T>>
} {
  const limits = { ...DEFAULTS, ...pacing }
  const busy = new Map<string, number>()
  const waiting: { readonly key: string; readonly limit: number; readonly start: () => void }[] = []
  let nextStart = 0

  const admit = (): void => {
    for (let at = 0; at < waiting.length; ) {
      const one = waiting[at]
      if (one === undefined || (busy.get(one.key) ?? 0) >= one.limit) {
        at++
        continue
      }
      waiting.splice(at, 1)
      busy.set(one.key, (busy.get(one.key) ?? 0) + 1)
      one.start()
    }
  }
  const release = (key: string): void => {
    busy.set(key, (busy.get(key) ?? 1) - 1)
    admit()
  }
  /** Starts are spread by a random ±30 %, so that many nodes are never contacted in step. */
  const turn = async (signal: AbortSignal): Promise<void> => {
    const now = performance.now()
    const at = Math.max(now, nextStart)
    nextStart = at + (1000 / limits.perSecond) * (0.7 + Math.random() * 0.6)
    if (at > now && !signal.aborted) await pause(at - now, signal)
  }

  return {
    run: async (target, signal, work) => {
      const jump = target.jumps.at(-1)
      const key = jump === undefined ? networkOf(target.node.address) : `jump ${jump.node.address}:${jump.node.port}`
      await new Promise<void>((start) => {
        waiting.push({ key, limit: jump === undefined ? limits.perNetwork : limits.perJump, start })
        admit()
      })
      let holds = true
      const letGo = (): void => {
        if (holds) release(key)
        holds = false
      }
      let patience: ReturnType<typeof setTimeout> | undefined
      try {
        await turn(signal)
        if (signal.aborted) return fail('run.cancelled', 'before connecting')
        patience = setTimeout(letGo, limits.patienceMs)
        return await work(() => clearTimeout(patience))
      } finally {
        clearTimeout(patience)
        letGo()
      }
    },
  }
}

export function networkOf(address: string): string {
  const name = bare(address).toLowerCase()
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return `${name.slice(0, name.lastIndexOf('.'))}.0/24`
  return name.includes(':') ? `${name.split(':').slice(0, 4).join(':')}::/64` : name
}

import { fail, type Outcome } from '../../core/failure.ts'
import type { ConnectTarget } from '../../core/ports.ts'

/** Pacing of connections. The defaults stay below what sshd, fail2ban and MaxStartups 10:30:100 treat as an attack. */
export interface Pacing {
  /** New connections per second over the whole fleet. */
  readonly perSecond: number
  /** Logins in progress within one network (IPv4 /24, IPv6 /64, otherwise one name). */
  readonly perNetwork: number
  /** Logins in progress through one jump host. */
  readonly perJump: number
  /** How long a silent server delays others of its network: otherwise dead ones would, each for its whole time-out. */
  readonly patienceMs: number
}

const DEFAULTS: Pacing = { perSecond: 20, perNetwork: 4, perJump: 8, patienceMs: 3000 }

/**
 * Delays connections until they may start; `run` ends its claim when the login is complete, not when the session is.
 * `work` reports the first reply of the server.
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
    if (at > now && !signal.aborted) await sleep(at - now, signal)
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
  const name = address.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return `${name.slice(0, name.lastIndexOf('.'))}.0/24`
  return name.includes(':') ? `${name.split(':').slice(0, 4).join(':')}::/64` : name
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })

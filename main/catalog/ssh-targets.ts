import type { DeclaredNode } from '../../schemas/types.ts'
import { type AskedName, NO_SUCH_ACCOUNT } from '../core/ssh-methods.ts'
import type { PassedOver, TlsTarget } from '../core/tls/observation.ts'
import type { Listener } from './probes/listeners.ts'
import type { SshProcess } from './probes/ssh-processes.ts'
import type { TlsListeners } from './probes/tls-listeners.ts'
import { observedAt } from './tls-reading.ts'
import { ownersOf, socketKey, type TargetRules, targetOf, whyNotReached } from './tls-targets.ts'

/** How many listeners are queried, three connections each: see ssh.servers. */
export const MOST_SSH_SERVERS = 8

/** Programs that are SSH servers, by the name of their process. */
const SERVERS: ReadonlySet<string> = new Set(['sshd', 'dropbear', 'tinysshd', 'gitlab-sshd', 'lshd'])

/** What shows which sockets belong to SSH servers. */
export interface SshSigns {
  /** Ports at which the session's own server may listen. */
  readonly sshPorts: readonly number[]
  /** Processes of SSH servers; empty where they were not listed. */
  readonly processes: readonly SshProcess[]
  /** What the ports responded to TLS: an SSH server greets first. Null where they were not queried. */
  readonly tls: TlsListeners | null
}

/**
 * TCP sockets that belong to SSH servers: by the name of a process that holds them, by port, or by how they greeted. Sockets that a login
 * holds open, such as those of forwarded ports and displays, do not: the party that connects there reaches what that login chose. `named`
 * are the same sockets with their processes.
 */
export function sshListeners(
  listeners: readonly Listener[],
  named: readonly Listener[],
  { sshPorts, processes, tls }: SshSigns,
): readonly Listener[] {
  const owners = new Map(named.map((found) => [socketKey(found), found]))
  const sessions = new Set(processes.filter(({ isSession }) => isSession).map(({ pid }) => pid))
  const joined = listeners
    .filter(({ protocol }) => protocol === 'tcp')
    .map((found) => ({ ...found, ...ownersOf(owners.get(socketKey(found)) ?? found) }))
  return [...new Map(joined.map((found) => [socketKey(found), found])).values()]
    .filter((found) => {
      const greets = tls !== null && observedAt(tls, found).seen?.says === 'ssh'
      if (greets || found.port === 22 || sshPorts.includes(found.port)) return true
      const isForwarded = found.pids.length > 0 && found.pids.every((pid) => sessions.has(pid))
      return found.processes.some((name) => SERVERS.has(name)) && !isForwarded
    })
    .sort((a, b) => a.port - b.port || (socketKey(a) < socketKey(b) ? -1 : 1))
}

/** A socket of both families is one server where the same processes hold both. */
export const isTwin = (a: Listener, b: Listener): boolean =>
  a.port === b.port &&
  a.pids.length > 0 &&
  [...a.pids].sort().join() === [...b.pids].sort().join() &&
  targetOf(a).host === '127.0.0.1' &&
  targetOf(b).host === '::1'

/** Which SSH servers to ask, and why others are passed over. Only loopback addresses and the node's own are used to. */
export function sshTargets(
  servers: readonly Listener[],
  { own, loopback }: Omit<TargetRules, 'sshPort'>,
): { readonly ask: readonly TlsTarget[]; readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[] } {
  const asked = new Set(servers.map(socketKey))
  const hidden = new Set(
    loopback.filter((one) => !asked.has(socketKey(one))).map((one) => `${targetOf(one).host} ${one.port}`),
  )
  const found = new Map<string, { readonly target: TlsTarget; readonly why: PassedOver | null }>()
  for (const listener of servers) {
    if (servers.some((other) => isTwin(other, listener))) continue
    const target = targetOf(listener)
    const key = `${target.host} ${target.port}`
    const why = whyNotReached(listener, own, hidden)
    const before = found.get(key)
    // Two sockets that one address leads to: what responds there may be either.
    found.set(key, before === undefined ? { target, why } : { ...before, why: 'hidden' })
  }
  const open = [...found.values()].filter(({ why }) => why === null).map(({ target }) => target)
  return {
    ask: open.slice(0, MOST_SSH_SERVERS),
    passed: [
      ...[...found.values()].flatMap(({ target, why }) => (why === null ? [] : [{ ...target, why }])),
      ...open.slice(MOST_SSH_SERVERS).map((target) => ({ ...target, why: 'limit' as const })),
    ],
  }
}

const LOGIN_NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,31}\$?$/

/**
 * The names that each server is requested: root, a person of the fleet file where it names one and else the collecting account, and no one.
 */
export function askedNames({
  user,
  roster = [],
  accounts = [],
}: Pick<DeclaredNode, 'user' | 'roster' | 'accounts'>): readonly { readonly who: AskedName; readonly user: string }[] {
  const declared = [...accounts.map(({ account }) => account), ...roster, user].find(
    (name) => name !== 'root' && (name !== user || accounts.length + roster.length === 0) && LOGIN_NAME.test(name),
  )
  return [
    { who: 'root', user: 'root' },
    ...(declared === undefined && user === 'root' ? [] : [{ who: 'declared' as const, user: declared ?? user }]),
    { who: 'nobody', user: NO_SUCH_ACCOUNT },
  ]
}

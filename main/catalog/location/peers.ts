import type { Context, MaybeFactsOf } from '../../core/check.ts'
import { type Carried, type IpAddress, publicAddress } from '../../core/geo/addresses.ts'
import type { Parsed } from '../../core/probe.ts'
import { compare } from '../../core/recording.ts'
import { nonceEcho } from '../evidence/probes.ts'
import { networkListeners } from '../listeners/probes.ts'
import { auditdRemote, journalUpload, type LogTarget, rsyslogForwarding } from '../log-forwarding/probes.ts'
import { isNetworkMount } from '../mounts/kinds.ts'
import { type Mount, storageMounts, storageRemote } from '../mounts/probes.ts'
import { type Connections, networkConnections } from '../network/flows.ts'

/** What shows under which public addresses a node is reached, and where its data goes. */
export const ADDRESS_WANTS = {
  echo: nonceEcho,
  connections: networkConnections,
  listeners: networkListeners,
  mounts: storageMounts,
  remote: storageRemote,
  rsyslog: rsyslogForwarding,
  journal: journalUpload,
  audit: auditdRemote,
}

export type AddressFacts = MaybeFactsOf<typeof ADDRESS_WANTS>

/** A public address of a node, and how we know it. */
export interface OwnAddress {
  readonly address: IpAddress
  /** The rule by which an IPv6 address carries it; null where it was written as such. */
  readonly via: Carried['via'] | null
  readonly how: 'reached' | 'declared' | 'own'
}

const MOST_OWN = 8

/** The public addresses of a node: which the connection reached, which the fleet file gives, and which its own sockets have. */
export function publicAddresses(facts: AddressFacts, { node }: Pick<Context, 'node'>): readonly OwnAddress[] {
  const path = facts.echo.ok ? facts.echo.fact.path : null
  const sockets = [
    ...(facts.connections.ok ? facts.connections.fact.tcp.map(({ local }) => local.address) : []),
    ...(facts.listeners.ok ? facts.listeners.fact.listeners.map(({ address }) => address) : []),
  ]
  const own = (how: OwnAddress['how'], texts: readonly (string | null)[]): readonly OwnAddress[] =>
    texts
      .flatMap((text) => (text === null ? null : publicAddress(text)) ?? [])
      .map((found): OwnAddress => ({ ...found, how }))
      .sort((a, b) => compare(a.address.text, b.address.text))
  const all = [
    // Through a jump host, it is the jump host that was reached.
    ...own('reached', path !== null && path.jumps === 0 ? [path.remoteAddress] : []),
    ...own('declared', [node.address]),
    ...own('own', sockets),
  ]
  return [...firstOf(all, ({ address }) => address.text).values()].slice(0, MOST_OWN)
}

/** Somewhere that data of a node goes, as its kernel or its settings name it. */
export interface DataPeer {
  readonly what: 'connection' | 'mount' | 'drive' | 'log'
  /** An address, or a name: names are not looked up. */
  readonly host: string
  /** Null for names, and for addresses that are not public. */
  readonly address: IpAddress | null
  readonly isName: boolean
}

/**
 * Peers of connections that the node opened, of mounts, of drives over iSCSI, and receivers of logs; each once for each use. Connections that
 * others opened to a port of the node are left out, and so is what stays on the node. Backup tools: their settings are not read, their connections count.
 */
export function dataPeers(facts: AddressFacts): readonly DataPeer[] {
  const listened = facts.listeners.ok ? new Set(facts.listeners.fact.listeners.map(({ port }) => port)) : null
  const of = (what: DataPeer['what'], hosts: readonly string[]): readonly DataPeer[] =>
    hosts.flatMap((host) => peerOf(what, host) ?? [])
  const all = [
    ...of('connection', facts.connections.ok ? opened(facts.connections.fact, listened) : []),
    ...of('mount', facts.mounts.ok ? facts.mounts.fact.mounts.filter(isNetworkMount).flatMap(serversOf) : []),
    ...of('drive', facts.remote.ok ? facts.remote.fact.iscsi.map(({ portal }) => portal) : []),
    ...of('log', [facts.rsyslog, facts.journal, facts.audit].flatMap(receivers)),
  ]
  const once = firstOf(all, ({ what, host }) => `${what} ${host}`)
  return [...once.values()].sort((a, b) => compare(a.what, b.what) || compare(a.host, b.host))
}

/** By key, in the order of the first of each. */
function firstOf<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T> {
  const first = new Map<string, T>()
  for (const one of all) if (!first.has(keyOf(one))) first.set(keyOf(one), one)
  return first
}

/** Well-known ports (RFC 6335, 6): where listeners could not be listed, a connection at one of them was opened by the other end. */
const FIRST_USER_PORT = 1024

const opened = ({ tcp }: Connections, listened: ReadonlySet<number> | null): readonly string[] =>
  tcp
    .filter(({ local }) => (listened === null ? local.port >= FIRST_USER_PORT : !listened.has(local.port)))
    .map(({ peer }) => peer)

function peerOf(what: DataPeer['what'], text: string): DataPeer | null {
  const host = text.trim().replace(/^\[(.*)\]$/, '$1')
  const found = publicAddress(host)
  if (found !== null) return { what, host: found.address.text, address: found.address, isName: false }
  const isName = HOST_NAME.test(host) && host.length <= 253 && !/^localhost(\.|$)/i.test(host)
  return isName ? { what, host: host.toLowerCase(), address: null, isName } : null
}

/** RFC 1123, 2.1, and the underscores that people use; a last label of digits alone is an address. */
const HOST_NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]*[a-z][a-z0-9_-]*\.?$/i

/** Options in which a client of NFS (nfs(5)), SMB (mount.cifs(8)) or Ceph (ceph.rst) names the addresses that it uses. */
const ADDRESS_OPTION = /^(?:addr|ip|mon_addr)=(.+)$/

/** Hosts of `host:/path`, `//host/share`, `user@host:/path`, `a@tcp:b@tcp:/fs` (Lustre) and `a:6789,b:6789:/` (Ceph). */
export function serversOf({ source, options, fsType }: Mount): readonly string[] {
  const named = options.flatMap((option) => ADDRESS_OPTION.exec(option)?.[1]?.split('/') ?? [])
  if (named.length > 0) return named.map(withoutPort)
  const share = /^\/\/([^/]+)\//.exec(source)?.[1]
  if (share !== undefined) return [share]
  const hosts = /^(.+?):?\/[^/]?/.exec(source)?.[1] ?? ''
  if (fsType === 'lustre') return hosts.split(/[:,]/).map((one) => one.replace(/@[a-z0-9]+$/, ''))
  return hosts.split(',').map((one) => withoutPort(one.replace(/^[^@]*@/, '')))
}

const receivers = (reading: Parsed<{ readonly each: readonly LogTarget[] }>): readonly string[] =>
  reading.ok
    ? reading.fact.each.map(({ text }) => withoutPort(text.replace(/^@+|^[a-z]+:\/\//i, '').replace(/\/.*$/, '')))
    : []

/** `host:514` or `[2001:db8::1]:514`; an IPv6 address without brackets has no port. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\]/.exec(text)?.[1] ?? (text.split(':').length === 2 ? text.replace(/:\d*$/, '') : text)

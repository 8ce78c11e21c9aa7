import type { EchoTiming } from '../../../schemas/types.ts'
import { asin, sin } from '../../core/base/elementary.ts'
import { quote } from '../../core/base/plain-text.ts'
import { type Carried, type IpAddress, publicAddress } from '../../core/geo/addresses.ts'
import { type DrawnLand, type PackedAtlas, readAtlas, ringOf } from '../../core/geo/atlas.ts'
import { bordersOf } from '../../core/geo/borders.ts'
import type { Borders, Box } from '../../core/geo/geodesy.ts'
import type { Parsed } from '../../core/recording/probe.ts'
import { compare } from '../../core/recording/recording.ts'
import type { Context, MaybeFactsOf } from '../../core/rules/check.ts'
import { networkListeners } from '../data-protection/listeners/probes.ts'
import {
  auditdRemote,
  journalUpload,
  type LogTarget,
  rsyslogForwarding,
} from '../data-protection/log-forwarding/probes.ts'
import { isNetworkMount } from '../data-protection/mounts/kinds.ts'
import { type Mount, storageMounts, storageRemote } from '../data-protection/mounts/probes.ts'
import { type Connections, networkConnections } from '../data-protection/network/flows.ts'
import { nonceEcho } from '../operations/evidence/probes.ts'
import fine from './borders-10m.json' with { type: 'json' }
import coarse from './borders-50m.json' with { type: 'json' }

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

/** A public address of a node, and where it comes from. */
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

/** Rounded up, so that nothing is stated to be nearer than it may be. */
export const kilometres = (distance: number): string => `${(Math.ceil(distance * 10) / 10).toFixed(1)} km`
export const milliseconds = (time: number): string => `${time.toFixed(3)} ms`

/** What people typed, in a list: “a”, “b” and “c”. */
export function listed(names: readonly string[]): string {
  const quoted = [...new Set(names)].map((name) => quote(name))
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} and ${last}`
}

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A line of 0.2 mm at 1:10,000,000 is 2 km wide, and its manufacturers straightened what is narrower; the steps of the arcs add 0.3 km. */
const TOLERANCE_KM = 5

const packed: PackedAtlas = fine
const unpacked = once(() => bordersOf(readAtlas(packed), TOLERANCE_KM))

/**
 * Countries of the world by their land, for verdicts. Read when first asked. Land that several states hold or claim names each of them;
 * islands too small for 1:10,000,000 are missing.
 */
export const BORDERS: Borders = {
  landIn: (box: Box) => unpacked().landIn(box),
  toleranceKm: TOLERANCE_KM,
  codes: new Set(packed.shapes.flatMap(({ codes }) => codes)),
}

/** The same at 1:50,000,000, for drawing alone; of land with several codes, the first. */
export const drawnLand: () => DrawnLand = once(() => {
  const atlas = readAtlas(coarse)
  return atlas.shapes.map(({ codes, polygons }) => ({
    code: codes[0] ?? '',
    polygons: polygons.map((rings) => rings.map((ring) => ringOf(atlas, ring))),
  }))
})

/** The speed of light in vacuum, in km per ms (SI definition of the metre). Fibre is slower, so nothing responds from further away. */
export const LIGHT_KM_PER_MS = 299.792458
/**
 * How much a clock that NTP steers may run off: 500 parts per million (RFC 5905; `adjtimex(2)`). Programs can steer the monotonic clock
 * further, chrony while it takes out an offset up to 8.3 % (`maxslewrate`), and no clock that we can read shows. So it is assumed that none
 * does so while we time, and every result states this.
 */
const CLOCK_RATE = 1 + 5e-4

export type Timing =
  | { readonly ok: true; readonly milliseconds: number; readonly samples: number; readonly jitterMs: number }
  | { readonly ok: false; readonly reason: string }

const AGREEING = 3

/** What the estimate takes of a timing, from the collection or from a record. */
export interface Timed extends Pick<EchoTiming, 'mismatches'> {
  readonly bursts: readonly Pick<EchoTiming['bursts'][number], 'samples' | 'wallDriftMs'>[]
}

/** During a burst the two clocks of the measuring side must stay within this of each other, in ms; else it was suspended, or set. */
const LARGEST_DRIFT_MS = 50

/**
 * The round-trip time to argue from: the second smallest sample, so that one glitch of a clock cannot shrink it, where at least three
 * samples are within 0.3 ms or 5 % of it. Bursts during which the clock was set are left out. Nothing is subtracted for processing: that
 * would make the bound unsound.
 */
export function settledTime({ bursts, mismatches }: Timed): Timing {
  if (mismatches > 0) return { ok: false, reason: `${mismatches} of the nonces came back altered` }
  const steady = bursts.filter(({ wallDriftMs }) => Math.abs(wallDriftMs) <= LARGEST_DRIFT_MS)
  const samples = steady.flatMap((burst) => burst.samples)
  if (steady.length < bursts.length && samples.length === 0)
    return { ok: false, reason: 'the measuring side’s clock was set while it timed' }
  const ordered = [...samples].sort((a, b) => a - b)
  const second = ordered[1]
  if (second === undefined) return { ok: false, reason: `only ${samples.length} round trips were timed` }
  const near = ordered.filter((sample) => Math.abs(sample - second) <= Math.max(0.3, second * 0.05)).length
  if (near < AGREEING)
    return {
      ok: false,
      reason: `the round trips do not agree: ${near} of ${samples.length} are near the second smallest`,
    }
  const median = ordered[Math.floor(ordered.length / 2)] ?? second
  return { ok: true, milliseconds: second, samples: samples.length, jitterMs: median - second }
}

/** The least radius of curvature of WGS 84 (of the meridian, at the equator), in km, rounded down; and the same 440 m further down. */
const LEAST_RADIUS_KM = 6335.43
const DEEP_RADIUS_KM = 6334.99
/** Half of the equator, rounded up: no place is further away from another (20,003.93 km), and maps draw no circle. */
export const EVERYWHERE_KM = 20_040
/** Up to here the circle below bounds ways on the surface. */
const LAST_ON_CIRCLE_KM = 19_800

/** A straight line that joins places which are never further apart on the surface than so much. */
const straightKm = (surfaceKm: number): number =>
  2 * DEEP_RADIUS_KM * sin(Math.min(surfaceKm, LAST_ON_CIRCLE_KM) / (2 * LEAST_RADIUS_KM))
const LAST_STRAIGHT_KM = straightKm(LAST_ON_CIRCLE_KM)

/**
 * How far apart on the surface two places can be that a straight line of a length joins, through the earth. No shortest way on the surface
 * bends more sharply than a circle of the least radius of curvature, so that its ends are no nearer than those of an arc of that circle
 * which is as long (Schur’s comparison theorem). It holds for places on the surface or above it, and down to 440 m under the ellipsoid.
 */
const surfaceKm = (straight: number): number =>
  straight > LAST_STRAIGHT_KM ? EVERYWHERE_KM : 2 * LEAST_RADIUS_KM * asin(Math.max(0, straight) / (2 * DEEP_RADIUS_KM))

/**
 * How far away on the surface the answering party can be, at most: light there and back within the time, plus the error of our own place.
 * Light is given a straight line through the earth, which nothing in use takes: so the bound asks nothing of cables, satellites or tunnels.
 */
export const farthestKm = (milliseconds: number, ownErrorKm: number): number =>
  surfaceKm((milliseconds / 2) * LIGHT_KM_PER_MS * CLOCK_RATE) + ownErrorKm

/** The longest round trip that still bounds within `km`; not above nought where our own error is that large. */
export const neededMilliseconds = (km: number, ownErrorKm: number): number =>
  (2 * straightKm(km - ownErrorKm)) / (LIGHT_KM_PER_MS * CLOCK_RATE)

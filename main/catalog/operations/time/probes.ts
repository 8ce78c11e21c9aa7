import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { grepIsComplete, inOrder, lines, readJson } from '../../base/read-text.ts'
import type { ShownZone } from '../logs/journal.ts'

export interface NodeNow {
  /** Seconds since 1970, by the node's clock. */
  readonly seconds: number
  readonly zone: ShownZone
}

/** date(1): the moment at which it was queried, and the zone that local times on this node are written in. */
export const timeNow = defineProbe({
  id: 'time.now',
  title: 'The node’s clock and time zone',
  why: 'Log entries can be compared with the collection only if the server’s own time and time zone are known.',
  ignoredInDrift: {
    why: 'Time passes, and daylight-saving time begins and ends.',
    normalize: () => null,
  },
  commands: { now: run(['date', '+%s %z %Z']) },
  parse({ now }) {
    const [, seconds, sign, hours, minutes, name] =
      /^(\d{9,11}) ([+-])(\d{2})(\d{2}) ([A-Za-z0-9+:-]{1,12})\s*$/.exec(now.text) ?? []
    if (now.exitCode !== 0 || seconds === undefined || name === undefined) return unknown('the clock was not reported')
    const east = Number(hours) * 60 + Number(minutes)
    return known<NodeNow>({
      seconds: Number(seconds),
      zone: { minutes: sign === '-' && east > 0 ? -east : east, name },
    })
  },
})

export interface ChronyState {
  readonly synchronized: boolean
  readonly stratum: number
  /** When its last measurement was made, in seconds since 1970 by the node’s clock; zero where it has made none. */
  readonly measuredAt: number
  /** Estimated error against the source: offset of the system clock in seconds, always positive. */
  readonly offsetSeconds: number
  /** Sources that responded and were selected or combined (chronyc(1), sources: state * or +). */
  readonly usableSources: number
  /** Sources at link-local addresses, where clouds provide a clock; absent where there are none. */
  readonly nearby?: readonly string[]
}

// Without a host chronyc asks over a socket that it makes in /run/chrony, where it may.
const LOOPBACK = '127.0.0.1,::1'

/** chronyc(1) with -c: tracking has 14 comma-separated fields, the last the leap status; sources one line per source. */
export const timeChrony = defineProbe({
  id: 'time.chrony',
  title: 'Time service chrony',
  why: 'Shows the clock offset from its time sources and whether they respond.',
  ignoredInDrift: {
    why: 'The clock is corrected continuously, against one source or another.',
    normalize: ({ synchronized, nearby }: ChronyState) => ({ synchronized, nearby: inOrder(nearby ?? []) }),
  },
  commands: {
    tracking: run(['chronyc', '-h', LOOPBACK, '-n', '-c', 'tracking']),
    sources: run(['chronyc', '-h', LOOPBACK, '-n', '-c', 'sources']),
  },
  parse({ tracking, sources }) {
    if (tracking.exitCode !== 0 || sources.exitCode !== 0) return unknown('the time service did not respond')
    const fields = (lines(tracking.text)[0] ?? '').split(',')
    const [, , stratum = '', measured = '', offset = ''] = fields
    const leap = fields[13]
    if (
      fields.length !== 14 ||
      leap === undefined ||
      !/^\d{1,3}$/.test(stratum) ||
      ![measured, offset].every(isDecimal)
    ) {
      return unknown('the output of chronyc has an unexpected format')
    }
    const rows = lines(sources.text).map((line) => line.split(','))
    const states = rows.map(([, state]) => state ?? '')
    const nearby = rows.flatMap(([, , peer = '']) => (/^169\.254(\.\d{1,3}){2}$/.test(peer) ? [peer] : []))
    return known<ChronyState>({
      synchronized: !/not synchronised/i.test(leap),
      stratum: Number(stratum),
      measuredAt: Number(measured),
      offsetSeconds: Math.abs(Number(offset)),
      usableSources: states.filter((state) => state === '*' || state === '+').length,
      ...(nearby.length === 0 ? {} : { nearby: nearby.slice(0, 8) }),
    })
  },
})

const isDecimal = (text: string): boolean => /^-?\d{1,12}(\.\d{1,12})?(e[+-]?\d{1,2})?$/i.test(text)

export interface TimesyncState {
  readonly server: string
  /** Offset in the last response, in seconds and always positive; null when there was none. */
  readonly offsetSeconds: number | null
  readonly stratum: number | null
  /** Responses received since the service started. */
  readonly packets: number
  /** When the last response was received, in seconds since 1970 by the node’s clock; null when there was none. */
  readonly respondedAt: number | null
  /** It has marked the clock as synchronized since this boot (systemd-timesyncd.service(8), FILES; systemd 239 or newer). */
  readonly marked: boolean
}

const MARK = '/run/systemd/timesync/synchronized'

/**
 * The state of systemd-timesyncd from its bus interface (org.freedesktop.timesync1(5)), queried so that a service
 * that is not running is not started: timedatectl(1) would start systemd-timedated, and waits where that is not
 * possible.
 */
export const timeTimesyncd = defineProbe({
  id: 'time.timesyncd',
  title: 'Time service systemd-timesyncd',
  why: 'Shows which time server is used, its last response, and whether the clock is marked as synchronized.',
  ignoredInDrift: {
    why: 'The clock is corrected continuously, against one server of a pool or another.',
    normalize: () => null,
  },
  commands: {
    state: run([
      'busctl',
      '--system',
      '--json=short',
      '--auto-start=no',
      'call',
      'org.freedesktop.timesync1',
      '/org/freedesktop/timesync1',
      'org.freedesktop.DBus.Properties',
      'GetAll',
      's',
      'org.freedesktop.timesync1.Manager',
    ]),
    mark: run(['stat', '-c', '%Y', MARK], { needsPath: [MARK] }),
  },
  parse({ state, mark }) {
    if (state.exitCode !== 0) return unknown('the time service did not respond')
    return stateOf(state, mark.exitCode === 0 && /^\d{1,12}\s*$/.test(mark.text))
  },
})

/** `{"type":"a{sv}","data":[{"ServerName":{"type":"s","data":…},"NTPMessage":{"type":"(uuuuittayttttbtt)","data":[…]}}]}` */
function stateOf({ text }: Answer, marked: boolean): Parsed<TimesyncState> {
  const form = unknown('the output of the time service has an unexpected format')
  const document = readJson(text, 'busctl')
  const properties = document.ok ? member(member(document.fact, 'data'), 0) : null
  if (typeof properties !== 'object' || properties === null) return form
  const server = member(member(properties, 'ServerName'), 'data')
  const message = member(member(properties, 'NTPMessage'), 'data')
  if (typeof server !== 'string') return form
  // Before the first response, the property is absent or contains zeros.
  if (message === undefined)
    return known({ server, offsetSeconds: null, stratum: null, packets: 0, respondedAt: null, marked })
  if (!Array.isArray(message) || message.length !== FIELDS) return form
  const packets = whole(message[13])
  if (packets === null) return form
  // Microseconds since 1970: sent by us, received and sent by the server, received by us.
  const stamps = packets === 0 ? [] : message.slice(8, 12).map(whole)
  const received = stamps[3]
  return known({
    server,
    offsetSeconds: offset(stamps),
    stratum: packets === 0 ? null : whole(message[3]),
    packets,
    respondedAt: received == null ? null : received / 1e6,
    marked,
  })
}

/** Leap, version, mode, stratum, precision, two delays, reference, four time stamps, ignored, packets, jitter. */
const FIELDS = 15

const member = (of: unknown, name: string | number): unknown =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, name)
    ? (of as Readonly<Record<string | number, unknown>>)[name]
    : undefined

const whole = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

// RFC 5905 §8: theta = ((T2 - T1) + (T3 - T4)) / 2.
function offset([t1, t2, t3, t4]: readonly (number | null)[]): number | null {
  if (t1 == null || t2 == null || t3 == null || t4 == null) return null
  return Math.abs((t2 - t1 + (t3 - t4)) / 2e6)
}

export interface NtpPeers {
  /**
   * Sources by what the service does with them: its one reference (*, o), used next to it (+), or not used. `own`: its
   * reference is the clock that it keeps, to which it falls back without any other source.
   */
  readonly sources: readonly {
    readonly use: 'reference' | 'used' | 'unused' | 'own'
    readonly stratum: number
    readonly offsetMilliseconds: number
  }[]
}

/**
 * ntpq(8) -pn, of the reference implementation and of ntpsec: a line of headings, a line of equal signs, and one line for each source; its
 * first character states how it is used, and offset is in milliseconds. It asks the service on this server only.
 */
export const timeNtpq = defineProbe({
  id: 'time.ntpq',
  title: 'Time service ntpd',
  why: 'Shows the clock offset from its time sources and whether they respond.',
  ignoredInDrift: {
    why: 'The clock is corrected continuously, against one source or another.',
    normalize: () => null,
  },
  commands: { peers: run(['ntpq', '-pn']) },
  parse({ peers }) {
    const all = lines(peers.text)
    const head = all.findIndex((line) => /^=+\s*$/.test(line))
    if (peers.exitCode !== 0 || head < 0) return unknown('the time service did not respond')
    const rows = all.slice(head + 1).map(readSource)
    if (rows.includes(null)) return unknown('the output of ntpq has an unexpected format')
    return known<NtpPeers>({ sources: rows.filter((row) => row !== null) })
  },
})

function readSource(line: string): NtpPeers['sources'][number] | null {
  const words = line.slice(1).trim().split(/\s+/)
  const [stratum, offset] = [words[2] ?? '', words.at(-2) ?? '']
  if (words.length !== 10 || !/^\d{1,2}$/.test(stratum) || !/^[+-]?\d{1,12}(\.\d{1,9})?$/.test(offset)) return null
  const mark = line[0] ?? ' '
  const isReference = mark === '*' || mark === 'o'
  // The undisciplined local clock (refclock_local.c of both implementations), driver 1 in the address of a reference clock.
  const isOwn = words[1] === '.LOCL.' || /^(127\.127\.1\.\d|LOCAL\(\d)/.test(words[0] ?? '')
  return {
    use: isOwn ? (isReference ? 'own' : 'unused') : isReference ? 'reference' : mark === '+' ? 'used' : 'unused',
    stratum: Number(stratum),
    offsetMilliseconds: Math.abs(Number(offset)),
  }
}

export interface TimeSources {
  readonly sources: readonly {
    readonly kind: 'server' | 'pool' | 'peer' | 'refclock'
    /** `nts`: NTS, RFC 8915. `key`: a shared key. `none`: responses are not authenticated. */
    readonly authentication: 'nts' | 'key' | 'none'
  }[]
}

/** chrony.conf(5): server, pool, peer and refclock lines. The number after `key` names a key in another file, which is not read. */
export const timeSources = defineProbe({
  id: 'time.sources',
  title: 'Time sources configured in chrony',
  why: 'Shows whether the responses of time servers are authenticated.',
  commands: {
    lines: run([
      'grep',
      '-r',
      '-s',
      '-h',
      '-o',
      '-E',
      '--include=*.conf',
      '--include=*.sources',
      '^[[:space:]]*(server|pool|peer|refclock)[[:space:]].*',
      '/etc/chrony.conf',
      '/etc/chrony.d',
      '/etc/chrony/chrony.conf',
      '/etc/chrony/conf.d',
      '/etc/chrony/sources.d',
    ]),
  },
  parse(answers) {
    if (!grepIsComplete(answers.lines) && answers.lines.exitCode !== 2)
      return unknown('the settings of chrony could not be read')
    return known<TimeSources>({
      sources: lines(answers.lines.text).flatMap((line) => {
        const [, kind, rest = ''] = /^\s*(server|pool|peer|refclock)\s(.*)$/.exec(line) ?? []
        if (kind === undefined) return []
        const authentication = /\snts(\s|$)/.test(rest) ? 'nts' : /\skey\s+\d/.test(rest) ? 'key' : 'none'
        return [{ kind: kind as 'server' | 'pool' | 'peer' | 'refclock', authentication }]
      }),
    })
  },
})

import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'

export interface TimesyncState {
  readonly server: string
  /** Offset in the last response, in seconds and always positive; null when there was none. */
  readonly offsetSeconds: number | null
  readonly stratum: number | null
  /** Responses received since the service started. */
  readonly packets: number
  /** It has marked the clock as synchronized since this boot (systemd-timesyncd.service(8), FILES; systemd 239 or newer). */
  readonly marked: boolean
}

const MARK = '/run/systemd/timesync/synchronized'

/**
 * The state of systemd-timesyncd as its bus interface gives it (org.freedesktop.timesync1(5)), asked so that a service that does not run
 * is not started: timedatectl(1) would start systemd-timedated for what it shows, and waits where that cannot be.
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
  const properties = member(member(parsed(text), 'data'), 0)
  if (typeof properties !== 'object' || properties === null) return form
  const server = member(member(properties, 'ServerName'), 'data')
  const message = member(member(properties, 'NTPMessage'), 'data')
  if (typeof server !== 'string') return form
  // Before the first response there is no such property, or one of zeros.
  if (message === undefined) return known({ server, offsetSeconds: null, stratum: null, packets: 0, marked })
  if (!Array.isArray(message) || message.length !== FIELDS) return form
  const packets = whole(message[13])
  if (packets === null) return form
  // Microseconds since 1970: sent by us, received and sent by the server, received by us.
  const stamps = packets === 0 ? [] : message.slice(8, 12).map(whole)
  return known({
    server,
    offsetSeconds: offset(stamps),
    stratum: packets === 0 ? null : whole(message[3]),
    packets,
    marked,
  })
}

/** Leap, version, mode, stratum, precision, two delays, reference, four time stamps, ignored, packets, jitter. */
const FIELDS = 15

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

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

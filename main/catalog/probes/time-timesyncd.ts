import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { properties } from '../read-text.ts'

export interface TimesyncState {
  readonly server: string
  /** Offset in the last answer, in seconds and always positive; null when none was printed. */
  readonly offsetSeconds: number | null
  readonly stratum: number | null
  /** Answers received since the service started. */
  readonly packets: number
}

/** timedatectl(1) show-timesync prints the last NTP message, in systemd's form `{ Leap=0, …, Stratum=2, … }`. */
export const timeTimesyncd = defineProbe({
  id: 'time.timesyncd',
  title: 'Time service systemd-timesyncd',
  why: 'Shows which time server is used and what it last answered.',
  volatile: {
    why: 'The clock is corrected all the time, against one server of a pool or another.',
    steady: () => null,
  },
  commands: { state: run(['timedatectl', 'show-timesync']) },
  parse({ state }) {
    if (state.exitCode !== 0) return unknown('the time service did not answer')
    const message = properties(state.text).get('NTPMessage') ?? ''
    const field = (name: string): string | undefined => new RegExp(`\\b${name}=([^,}\\s]*)`).exec(message)?.[1]
    const packets = field('PacketCount') ?? '0'
    const stratum = field('Stratum')
    const stamps = ['OriginateTimestamp', 'ReceiveTimestamp', 'TransmitTimestamp', 'DestinationTimestamp'].map((name) =>
      milliseconds(new RegExp(`\\b${name}=([^,}]*)`).exec(message)?.[1]),
    )
    return known<TimesyncState>({
      server: properties(state.text).get('ServerName') ?? '',
      offsetSeconds: offset(stamps),
      stratum: stratum !== undefined && /^\d{1,3}$/.test(stratum) ? Number(stratum) : null,
      packets: /^\d{1,9}$/.test(packets) ? Number(packets) : 0,
    })
  },
})

// Printed as "Fri 2026-11-20 09:10:02 UTC" by default, in whole seconds.
function milliseconds(text: string | undefined): number | null {
  const [, date, time] = /(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?) UTC/.exec(text ?? '') ?? []
  const at = date === undefined || time === undefined ? Number.NaN : Date.parse(`${date}T${time.slice(0, 12)}Z`)
  return Number.isFinite(at) ? at : null
}

// RFC 5905 §8: theta = ((T2 - T1) + (T3 - T4)) / 2.
function offset(stamps: readonly (number | null)[]): number | null {
  const [t1, t2, t3, t4] = stamps
  if (t1 == null || t2 == null || t3 == null || t4 == null) return null
  return Math.abs((t2 - t1 + (t3 - t4)) / 2000)
}

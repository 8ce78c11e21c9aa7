import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface ChronyState {
  readonly synchronized: boolean
  readonly stratum: number
  /** Estimated error against the source: offset of the system clock in seconds, always positive. */
  readonly offsetSeconds: number
  /** Sources that responded and were selected or combined (chronyc(1), sources: state * or +). */
  readonly usableSources: number
  /** Sources at link-local addresses, where clouds keep a clock; left out where there are none. */
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
    const [, , stratum = '', , offset = ''] = fields
    const leap = fields[13]
    if (fields.length !== 14 || leap === undefined || !/^\d{1,3}$/.test(stratum) || !isDecimal(offset)) {
      return unknown('the output of chronyc has an unexpected format')
    }
    const rows = lines(sources.text).map((line) => line.split(','))
    const states = rows.map(([, state]) => state ?? '')
    const nearby = rows.flatMap(([, , peer = '']) => (/^169\.254(\.\d{1,3}){2}$/.test(peer) ? [peer] : []))
    return known<ChronyState>({
      synchronized: !/not synchronised/i.test(leap),
      stratum: Number(stratum),
      offsetSeconds: Math.abs(Number(offset)),
      usableSources: states.filter((state) => state === '*' || state === '+').length,
      ...(nearby.length === 0 ? {} : { nearby: nearby.slice(0, 8) }),
    })
  },
})

const isDecimal = (text: string): boolean => /^-?\d{1,12}(\.\d{1,12})?(e[+-]?\d{1,2})?$/i.test(text)

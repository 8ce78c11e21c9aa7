import type { VantageMeasurement } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import { sha256 } from '../../core/digest.ts'
import type { ConnectTarget } from '../../core/ports.ts'
import type { UnsignedVantage } from '../../core/vantage.ts'

/**
 * By node, the round trip from New York in ms: synthetic, and long enough that the times measured here, on however busy
 * a computer, never exclude them. Kansas City is some 1,760 km away, which takes light 12 ms there and back.
 */
const TIMES: Readonly<Record<string, number>> = {
  'demo-gpu-01': 17,
  'demo-gpu-02': 12,
  'demo-guest-03': 17,
  'demo-metal-04': 18,
  'demo-nosudo-06': 17,
}
const ROUND_TRIPS = 60
const MINUTE_MS = 60_000
const NOT_REACHED = { code: 'ssh.unreachable', detail: 'no route from this network (made up)' }

/**
 * What a second machine would have measured a few minutes earlier, for the servers that run now: their keys are
 * generated at each start.
 */
export function demoVantage(asOf: string, targets: readonly ConnectTarget[]): UnsignedVantage {
  const minutesBefore = (count: number): string => new Date(Date.parse(asOf) - count * MINUTE_MS).toISOString()
  return {
    schema: 'barewitness.vantage/1',
    id: `vantage-demo-${asOf.replaceAll(/\D/g, '')}`,
    recorder: VERSION,
    vantage: {
      name: 'Second office, New York (demo)',
      country: 'US',
      latitude: 40.7128,
      longitude: -74.006,
      radiusKm: 3,
      declaredBy: 'J. Lin (demo)',
    },
    startedAt: minutesBefore(4),
    endedAt: minutesBefore(2),
    demo: true,
    measurements: targets.map((target) => measured(target, minutesBefore(3))),
  }
}

function measured({ node, trust }: ConnectTarget, at: string): VantageMeasurement {
  const { name, address, port } = node
  const about = { node: name, address, port, at, path: null }
  const [time, hostKey] = [TIMES[name], trust.fingerprint]
  return time === undefined || hostKey === undefined
    ? { ...about, hostKey: null, echo: null, failure: NOT_REACHED }
    : { ...about, hostKey, echo: { bursts: [burst(time, at)], warmup: 5, mismatches: 0 }, failure: null }
}

const burst = (time: number, at: string) => ({
  at,
  samples: Array.from({ length: ROUND_TRIPS }, (_, index) => time + ((index * 7) % 10) / 50),
  nonces: sha256(new TextEncoder().encode('made up for the demo\n')),
  wallDriftMs: 0,
})

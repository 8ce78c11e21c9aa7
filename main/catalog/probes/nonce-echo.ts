import type { EchoBurst, PathTiming } from '../../../schemas/types.ts'
import { defineProbe, known, unknown } from '../../core/probe.ts'
import { asList, asRecord, type JsonValue, readJson } from '../read-text.ts'

export interface NonceEcho {
  /** Round-trip times in ms, by the collector's monotonic clock; nonces and moment are null in records of before version 2. */
  readonly bursts: readonly (Pick<EchoBurst, 'samples' | 'wallDriftMs'> & {
    readonly at: string | null
    readonly nonces: string | null
  })[]
  readonly warmup: number
  readonly mismatches: number
  /** What stands next to the echo; null where it was not measured. */
  readonly path: PathTiming | null
}

/**
 * Random nonces through the authenticated session and back. Only the party that holds the session keys can response, and not before the
 * nonce came.
 */
export const nonceEcho = defineProbe({
  id: 'location.nonce-echo',
  title: 'Round-trip time through the SSH session',
  why: 'The speed of light limits the distance of a responder with this round-trip time. Timed by the collector’s own clock.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  commands: { 'nonce-echo': { kind: 'measure', measure: 'nonce-echo' } },
  parse(answers) {
    const json = readJson(answers['nonce-echo'].text, 'the collector')
    if (!json.ok) return json
    const { bursts, samples, warmup, mismatches, path } = asRecord(json.fact)
    const read = bursts === undefined ? [readBurst({ samples: samples ?? null })] : asList(bursts).map(readBurst)
    if (!read.every((burst) => burst !== null) || !isCount(warmup) || !isCount(mismatches))
      return unknown('the collector’s timing record has an unexpected format')
    return known<NonceEcho>({ bursts: read, warmup, mismatches, path: readPath(path) })
  },
})

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0
const isTime = (value: unknown): value is number => typeof value === 'number' && value > 0 && Number.isFinite(value)

function readBurst(value: JsonValue): NonceEcho['bursts'][number] | null {
  const { at, samples, nonces, wallDriftMs } = asRecord(value)
  const times = asList(samples)
  if (!Array.isArray(samples) || !times.every(isTime)) return null
  return {
    at: typeof at === 'string' ? at : null,
    nonces: typeof nonces === 'string' ? nonces : null,
    samples: times.filter(isTime),
    wallDriftMs: typeof wallDriftMs === 'number' ? wallDriftMs : 0,
  }
}

function readPath(value: JsonValue | undefined): PathTiming | null {
  const { tcpMs, keepaliveMs, jumps, remoteAddress } = asRecord(value)
  if (!isCount(jumps)) return null
  return {
    tcpMs: isTime(tcpMs) ? tcpMs : null,
    keepaliveMs: asList(keepaliveMs).filter(isTime),
    jumps,
    remoteAddress: typeof remoteAddress === 'string' ? remoteAddress.slice(0, 100) : null,
  }
}

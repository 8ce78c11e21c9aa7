import { defineProbe, known, unknown } from '../../core/probe.ts'
import { asList, asRecord, readJson } from '../read-text.ts'

export interface NonceEcho {
  /** Round-trip times in ms, by the collector's monotonic clock. */
  readonly samples: readonly number[]
  readonly warmup: number
  readonly mismatches: number
}

/** Random nonces through the authenticated session and back. Only whoever holds the session keys can answer, and not before the nonce came. */
export const nonceEcho = defineProbe({
  id: 'location.nonce-echo',
  title: 'Round-trip time through the SSH session',
  why: 'Light bounds how far away something that answers so soon can be. Timed by the collector’s own clock.',
  commands: { 'nonce-echo': { kind: 'measure', measure: 'nonce-echo' } },
  parse(answers) {
    const json = readJson(answers['nonce-echo'].text, 'the collector')
    if (!json.ok) return json
    const { samples, warmup, mismatches } = asRecord(json.fact)
    const times = asList(samples)
    const isTime = (value: unknown): value is number => typeof value === 'number' && value > 0 && Number.isFinite(value)
    if (!times.every(isTime) || typeof warmup !== 'number' || typeof mismatches !== 'number')
      return unknown('the collector’s timing record has another form')
    return known<NonceEcho>({ samples: times.filter(isTime), warmup, mismatches })
  },
})

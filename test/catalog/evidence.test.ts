import { describe, expect, test } from 'vitest'
import { evidenceCollectionCompleteness } from '../../main/catalog/operations/evidence/completeness.ts'
import { captureKey, readProbe } from '../../main/core/recording/probe.ts'
import { conclude } from '../../main/core/rules/check.ts'
import { capturesOf, PROBES, readingsFrom } from './isolation-readings.ts'

const check = evidenceCollectionCompleteness(PROBES)

describe('how complete a collection was', () => {
  test.each([
    ['demo-gpu-01', 'satisfied'],
    // No GPU driver on it: a program that a server does not have leaves nothing unanswered.
    ['demo-guest-03', 'satisfied'],
    ['demo-nosudo-06', 'inconclusive'],
    ['fx-iso-part', 'not-satisfied'],
    // Probes that this node was never asked.
    ['fx-cloned', 'not-satisfied'],
  ])('%s: %s', (node, verdict) => {
    const { captures, context } = capturesOf(node)
    expect(conclude(check, readingsFrom(captures), context).verdict).toBe(verdict)
  })

  test('any one answer that was cut short is named', () => {
    const { captures, context } = capturesOf('demo-gpu-01')
    const whole = readingsFrom(captures)
    for (const [key, capture] of captures) {
      const probe = PROBES.find(({ id }) => id === capture.meta.probe)
      // A question whose program the server does not have stays without an answer, cut or not.
      if (probe === undefined || whole.get(probe.id)?.ok !== true) continue
      const cut = { ...capture, meta: { ...capture.meta, status: 'truncated' as const } }
      const spoiled = new Map([...captures, [key, cut]])
      const readings = new Map([...whole, [probe.id, readProbe(probe, spoiled)]])
      const { verdict, observations } = conclude(check, readings, context)
      // Evidence that is missing is no deviation of the evaluation: a node that was not reached at all is none either.
      expect(verdict, key).toBe('inconclusive')
      expect(observations[0]?.text).toContain(probe.id)
      expect(key).toBe(captureKey(capture.meta.probe, capture.meta.command))
    }
  })

  test('no plan, no claim', () => {
    const { context } = capturesOf('demo-gpu-01')
    expect(conclude(evidenceCollectionCompleteness([]), new Map(), context).verdict).toBe('inconclusive')
  })
})

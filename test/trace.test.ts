import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess, assessNode, termsOf } from '../main/core/conclusion/assess.ts'
import {
  NO_READING,
  NOT_COMPARED,
  READING_DIGITS,
  readingDigest,
  traceBytes,
  traceNode,
  traceOf,
} from '../main/core/history/trace.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { verdictLetters } from '../schemas/words.ts'
import { validator } from './support/deps.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'

const METAL = 'demo-metal-04'
const asOf = FIXTURE_TIME
const recorded = fixtureRecording(METAL, catalog.probes)
const judged = (loaded: LoadedRecording | null, node = METAL) => assessNode(catalog, node, loaded, termsOf({ asOf }))
const traceFrom = (loaded: LoadedRecording): Uint8Array => {
  const scope = { fleet: 'clinic', population: [METAL], frameworks: ['soc2' as const] }
  const assessment = assess({ catalog, scope, recordings: [loaded], asOf })
  const nodes = [traceNode(catalog, loaded, judged(loaded))]
  return traceBytes(traceOf(catalog, { run: 'r1', planned: null, assessment, nodes }))
}

describe('the trace of a run', () => {
  test('fits its schema, and has one letter for each check and one digest for each question', () => {
    const trace = JSON.parse(new TextDecoder().decode(traceFrom(recorded)))
    expect(validator.problems('trace', trace)).toEqual([])
    const [node] = trace.nodes
    expect(node.verdicts).toHaveLength(catalog.checks.length)
    expect(node.readings).toHaveLength(catalog.probes.length * READING_DIGITS)
    expect(node.verdicts).not.toContain('-')
    const { results } = judged(recorded)
    for (const [at, check] of trace.checks.entries()) {
      const { verdict } = results.find((found) => found.check === check) ?? { verdict: 'satisfied' }
      expect(node.verdicts[at]).toBe(verdictLetters[verdict])
    }
  })
  test('does not depend on the order of answers', () => {
    const turned = { ...recorded, captures: [...recorded.captures].reverse() }
    expect(traceFrom(turned)).toEqual(traceFrom(recorded))
  })
  test('changes with an answer, in the digest of that question alone', () => {
    const probe = 'os.identity'
    const changed = {
      ...recorded,
      captures: recorded.captures.filter(({ meta }) => meta.probe !== probe),
    }
    const [one, two] = [traceNode(catalog, recorded, judged(recorded)), traceNode(catalog, changed, judged(changed))]
    const ids = catalog.probes.map(({ id }) => id).sort()
    const differing = ids.filter(
      (_, at) =>
        one.readings.slice(at * READING_DIGITS, (at + 1) * READING_DIGITS) !==
        two.readings.slice(at * READING_DIGITS, (at + 1) * READING_DIGITS),
    )
    expect(differing).toEqual([probe])
  })
  test('of a node that was not collected states this, and compares nothing', () => {
    const none = traceNode(catalog, null, judged(null))
    expect(none).toMatchObject({ status: 'missing', recording: null, hostKey: null, accounts: null, keys: null })
    expect(new Set(none.verdicts)).toEqual(new Set(['t']))
    expect(none.readings.replaceAll('0', '')).toBe('')
  })
})

describe('what of a reading is compared', () => {
  const [probe] = catalog.probes
  if (probe === undefined) throw new Error('no probe')
  const { ignoredInDrift: _, ...steady } = probe
  test('not asked, no reading, wholly volatile and in part', () => {
    expect(readingDigest(steady, undefined)).toBe(NOT_COMPARED)
    expect(readingDigest(steady, { ok: false, reason: 'refused' })).toBe(NO_READING)
    expect(
      readingDigest({ ...steady, ignoredInDrift: { why: 'w', normalize: () => null } }, { ok: true, fact: 1 }),
    ).toBe(NOT_COMPARED)
    const parts = { ...steady, ignoredInDrift: { why: 'w', normalize: (fact: unknown) => (fact as { a: number }).a } }
    expect(readingDigest(parts, { ok: true, fact: { a: 1, b: 2 } })).toBe(
      readingDigest(parts, { ok: true, fact: { a: 1, b: 3 } }),
    )
    expect(readingDigest(parts, { ok: true, fact: { a: 2, b: 2 } })).not.toBe(
      readingDigest(parts, { ok: true, fact: { a: 1, b: 2 } }),
    )
  })
  test('maps, sets, bytes and large numbers take part', () => {
    const of = (fact: unknown): string => readingDigest(steady, { ok: true, fact })
    const facts = [
      new Map([['a', 1]]),
      new Map([['a', 2]]),
      new Set(['a']),
      new Set(['b']),
      new Uint8Array([1]),
      new Uint8Array([2]),
      1n,
      2n,
    ]
    expect(new Set(facts.map(of)).size).toBe(facts.length)
  })
})

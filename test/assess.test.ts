import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { assess, FRESH_DAYS } from '../main/core/conclusion/assess.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { bundled } from './support/bundled.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'

const metal = fixtureRecording('demo-gpu-01', catalog.probes)
const guest = fixtureRecording('demo-guest-03', catalog.probes)
const scope = {
  fleet: 'test',
  population: ['demo-gpu-01', 'demo-guest-03'],
  frameworks: ['hipaa' as const, 'soc2' as const],
}

const asOf = '2026-11-21T00:00:00.000Z'
const verdicts = (recordings: readonly LoadedRecording[], at = asOf) =>
  assess({ catalog, scope, recordings, asOf: at }).nodes.flatMap(({ results }) => results.map(({ verdict }) => verdict))

describe('assess', () => {
  test('the order of recordings, captures and population carries no meaning', () => {
    const shuffled = { ...metal, captures: [...metal.captures].reverse() }
    const one = assess({ catalog, scope, recordings: [metal, guest], asOf })
    const two = assess({
      catalog,
      scope: { ...scope, population: [...scope.population].reverse() },
      recordings: [guest, shuffled],
      asOf,
    })
    expect(canonicalJson(two)).toBe(canonicalJson(one))
  })

  test('the same bytes in every time zone and locale', async () => {
    const { program, folder } = await bundled('print-assessment-digest.ts')
    const run = async ([TZ, LC_ALL]: readonly [string, string]): Promise<string> => {
      const env = { ...process.env, TZ, LC_ALL, LANG: LC_ALL }
      return (await promisify(execFile)(process.execPath, [program], { env })).stdout.trim()
    }
    const places = [
      ['UTC', 'C'],
      ['Pacific/Chatham', 'tr_TR.UTF-8'],
      ['America/St_Johns', 'sv_SE.UTF-8'],
    ] as const
    const digests = await Promise.all(places.map(run))
    rmSync(folder, { recursive: true })
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(digests).size).toBe(1)
  })

  test('a declared node without a recording is not tested, on every check', () => {
    const [first, second] = assess({ catalog, scope, recordings: [metal], asOf }).nodes
    expect(first?.status).toBe('complete')
    expect(second?.status).toBe('missing')
    expect(new Set(second?.results.map(({ verdict }) => verdict))).toEqual(new Set(['not-tested']))
    expect(second?.results).toHaveLength(catalog.checks.length)
  })

  test('a recording without answers is not tested and names the failure', () => {
    const failure = { code: 'ssh.unreachable', detail: 'connection refused' }
    const dead = { recording: { ...metal.recording, outcome: { status: 'failed' as const, failure } }, captures: [] }
    const [node] = assess({ catalog, scope, recordings: [dead], asOf }).nodes
    expect(node?.failure).toEqual(failure)
    expect(new Set(node?.results.map(({ verdict }) => verdict))).toEqual(new Set(['not-tested']))
  })

  test(`evidence older than ${FRESH_DAYS} days, or from the future, supports nothing`, () => {
    expect(verdicts([metal, guest])).toContain('satisfied')
    const old = new Date(Date.parse(FIXTURE_TIME) + (FRESH_DAYS + 2) * 86_400_000).toISOString()
    const early = new Date(Date.parse(FIXTURE_TIME) - 1000).toISOString()
    for (const at of [old, early]) {
      expect(verdicts([metal, guest], at)).not.toContain('satisfied')
      expect(verdicts([metal, guest], at)).not.toContain('not-applicable')
    }
    expect(verdicts([metal, guest], old)).toContain('not-satisfied')
  })

  test('a deviation on old evidence stays one, with the day on which it was last observed', () => {
    const old = new Date(Date.parse(FIXTURE_TIME) + (FRESH_DAYS + 2) * 86_400_000).toISOString()
    const firstOf = (asOf: string) =>
      assess({ catalog, scope, recordings: [metal, guest], asOf }).nodes.flatMap(({ results }) =>
        results.filter(({ verdict }) => verdict === 'not-satisfied').map(({ observations }) => observations[0]?.text),
      )
    expect(new Set(firstOf(old))).toEqual(
      new Set(['Last observed as not satisfied on 2026-11-20, not retested since.']),
    )
    expect(firstOf(asOf).length).toBe(firstOf(old).length)
    expect(firstOf(asOf).join()).not.toContain('not retested since')
  })

  test('evidence of a moment that cannot be (hour 25) has no age and supports nothing', () => {
    const recording = { ...metal.recording, endedAt: '2026-05-14T25:15:00.000Z' }
    const whole = assess({ catalog, scope, recordings: [{ ...metal, recording }], asOf })
    expect(whole.nodes[0]).toMatchObject({ ageDays: null, stale: true })
    expect(whole.nodes[0]?.results.some(({ verdict }) => verdict === 'satisfied')).toBe(false)
    expect(canonicalJson(whole)).toContain('"ageDays":null')
  })

  test('evidence is as old as its oldest capture, whatever the recording states as its end', () => {
    const dated = (startedAt: string, status: 'done' | 'lost' = 'done') =>
      metal.captures.map((one, at) => (at === 0 ? { ...one, meta: { ...one.meta, startedAt, status } } : one))
    const nodeOf = (captures: typeof metal.captures) =>
      assess({ catalog, scope, recordings: [{ ...metal, captures }], asOf }).nodes[0]
    const daysAgo = (days: number): string => new Date(Date.parse(asOf) - days * 86_400_000).toISOString()
    const old = nodeOf(dated(daysAgo(FRESH_DAYS + 2)))
    expect(old).toMatchObject({ observedAt: daysAgo(FRESH_DAYS + 2), stale: true })
    expect(old?.results.some(({ verdict }) => verdict === 'satisfied')).toBe(false)
    expect(nodeOf(dated('2026-05-14T25:15:00.000Z'))).toMatchObject({ ageDays: null, stale: true })
    expect(nodeOf(dated(daysAgo(3)))).toMatchObject({ observedAt: daysAgo(3), stale: false })
    // The end of the recording dates what was collected within a day, and what supports nothing has no date.
    const end = metal.recording.endedAt
    expect(nodeOf(metal.captures)?.observedAt).toBe(end)
    expect(nodeOf(dated(daysAgo(FRESH_DAYS + 2), 'lost'))).toMatchObject({ observedAt: end, stale: false })
  })

  test('an answer to another command than the catalog’s is no answer, under any name', () => {
    const captures = metal.captures.map((one) => ({
      ...one,
      meta: { ...one.meta, argv: [...one.meta.argv, '--other'] },
    }))
    const [node] = assess({ catalog, scope, recordings: [{ ...metal, captures }], asOf }).nodes
    expect(verdicts([metal])).toContain('satisfied')
    expect(new Set(node?.results.map(({ verdict }) => verdict))).not.toContain('satisfied')
    expect(node?.results.flatMap(({ observations }) => observations.map(({ text }) => text)).join()).toContain(
      'it was asked in other words than this catalog has (',
    )
  })

  test('only recordings that it rests on make an assessment demo data', () => {
    const real = { ...guest, recording: { ...guest.recording, demo: false } }
    const alone = { ...scope, population: ['demo-guest-03'] }
    expect(assess({ catalog, scope: alone, recordings: [metal, real], asOf }).demo).toBe(false)
    expect(assess({ catalog, scope, recordings: [metal, real], asOf }).demo).toBe(true)
  })

  test('every reason cites captures that the recording holds', () => {
    const digests = new Set([...metal.captures, ...guest.captures].map(({ meta }) => meta.stdout.sha256))
    for (const node of assess({ catalog, scope, recordings: [metal, guest], asOf }).nodes) {
      for (const reason of [
        ...node.results.flatMap(({ observations }) => observations),
        ...(node.isolation?.observations ?? []),
      ]) {
        for (const { sha256 } of reason.captures) expect(digests.has(sha256)).toBe(true)
      }
    }
  })
})

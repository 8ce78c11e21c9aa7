import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cloudInit } from '../../main/catalog/access/provider-access/probes.ts'
import { locationCountry } from '../../main/catalog/definition/claims/other.ts'
import { assessLocation } from '../../main/catalog/location/argue.ts'
import { readDelay } from '../../main/catalog/location/discs.ts'
import type { Found } from '../../main/catalog/location/registry.ts'
import { placeIndication, placeResult } from '../../main/catalog/location/verdict.ts'
import { type NonceEcho, nonceEcho } from '../../main/catalog/operations/evidence/probes.ts'
import { known } from '../../main/core/recording/probe.ts'
import { type Context, conclude } from '../../main/core/rules/check.ts'
import type { DeclaredLocation, Place, VantageRecord } from '../../schemas/types.ts'
import { BANNED } from '../../schemas/words.ts'
import { BASELINE } from '../support/baseline.ts'
import { fixtures } from '../support/evaluated.ts'
import { times as repeated, sampled } from '../support/thorough.ts'

const NOW = '2026-11-20T09:12:00.000Z'
const KEY = `SHA256:${'A'.repeat(43)}`

const place = (name: string, latitude: number, longitude: number, radiusKm: number, country?: string): Place => ({
  name,
  latitude,
  longitude,
  radiusKm,
  declaredBy: 'test',
  ...(country === undefined ? {} : { country }),
})
const KANSAS = place('Kansas City desk', 39.0997, -94.5786, 2)
const ASHBURN = place('Ashburn', 39.0438, -77.4874, 60, 'US')
const FRANKFURT = place('Frankfurt', 50.1109, 8.6821, 60, 'DE')

const echoOf = (milliseconds: number, mismatches = 0): NonceEcho => ({
  bursts: [{ at: NOW, nonces: null, samples: Array<number>(30).fill(milliseconds), wallDriftMs: 0 }],
  warmup: 3,
  mismatches,
  path: null,
})

interface Case {
  readonly at?: Place
  readonly vantage?: Place
  readonly location?: DeclaredLocation
  readonly asOf?: string
  readonly hostKey?: string
}

const contextOf = ({ at, vantage, location, asOf = NOW, hostKey = KEY }: Case): Context => ({
  node: {
    name: 'n',
    address: '192.0.2.1',
    port: 22,
    user: 'u',
    sudo: false,
    ...(at === undefined ? {} : { location: at }),
    ...(vantage === undefined ? {} : { vantage }),
  },
  asOf,
  observedAt: NOW,
  hostKey,
  thresholds: BASELINE,
  ...(location === undefined ? {} : { location }),
})

const recordFrom = (vantage: Place, milliseconds: number, changes: { at?: string; hostKey?: string } = {}) =>
  ({
    schema: 'barewitness.vantage/1',
    id: `from-${vantage.latitude}`,
    recorder: '0.1.0',
    vantage,
    startedAt: NOW,
    endedAt: NOW,
    demo: false,
    measurements: [
      {
        node: 'n',
        address: '192.0.2.1',
        port: 22,
        hostKey: changes.hostKey ?? KEY,
        at: changes.at ?? NOW,
        echo: {
          bursts: [{ at: NOW, samples: Array<number>(30).fill(milliseconds), nonces: 'a'.repeat(64), wallDriftMs: 0 }],
          warmup: 3,
          mismatches: 0,
        },
        path: null,
        failure: null,
      },
    ],
    signature: { fingerprint: 'b'.repeat(64), at: NOW, cms: 'AAAA', chain: [] },
  }) as const satisfies VantageRecord

const signal = (of: Partial<Found>): Found => ({
  id: 'x',
  class: 'E5',
  hint: false,
  country: null,
  place: null,
  text: 'Somebody says so.',
  probe: null,
  ...of,
})

function verdict(one: Case, milliseconds: number | null, signals: readonly Found[]) {
  const context = contextOf(one)
  const delay = readDelay(milliseconds === null ? null : echoOf(milliseconds), context)
  const at = one.at ?? ASHBURN
  return placeResult(
    { region: { kind: 'disc', disc: { center: at, radiusKm: at.radiusKm } }, country: at.country },
    delay,
    signals,
    context,
  ).verdict
}

describe('the six verdicts', () => {
  const us = signal({ country: 'US' })
  const record = signal({ id: 'site-record', class: 'E6', country: 'US' })
  const abroad = signal({ id: 'y', country: 'DE' })
  const near: Case = { at: ASHBURN, vantage: place('next door', 39.04, -77.49, 2) }
  const far: Case = { at: ASHBURN, vantage: KANSAS }

  test.each<[string, Case, number | null, readonly Found[], string]>([
    ['light cannot have gone there', { at: FRANKFURT, vantage: KANSAS }, 12, [us], 'contradicted'],
    [
      'a bound and signed statement names another place',
      near,
      0.2,
      [signal({ class: 'E2', country: 'DE' })],
      'contradicted',
    ],
    ['one statement disagrees, though light bounds it', near, 0.2, [us, abroad], 'conflicting'],
    ['bounded, without disagreement', near, 0.2, [], 'bounded'],
    ['bounded, and only a hint disagrees', near, 0.2, [signal({ country: 'DE', hint: true })], 'bounded'],
    ['not excluded, and two kinds agree', far, 30, [us, record], 'corroborated'],
    ['not excluded, and one kind states it twice', far, 30, [us, us], 'uncorroborated'],
    ['two kinds agree, and no time was taken', { at: ASHBURN }, 30, [us, record], 'uncorroborated'],
    ['only hints agree', far, 30, [signal({ country: 'US', hint: true })], 'undetermined'],
    ['nothing at all', { at: ASHBURN }, null, [], 'undetermined'],
    [
      'one database alone is no second kind',
      far,
      30,
      [us, signal({ id: 'registry.1', class: 'E4', country: 'US' })],
      'uncorroborated',
    ],
  ])('%s', (_, one, milliseconds, signals, expected) => expect(verdict(one, milliseconds, signals)).toBe(expected))

  test('a country agrees only with a claim that names it', () => {
    const region = { kind: 'disc', disc: { center: ASHBURN, radiusKm: 60 } } as const
    expect(placeIndication(us, { region })).toBe('silent')
    expect(placeIndication(us, { region, country: 'US' })).toBe('inside')
    expect(placeIndication(abroad, { region })).toBe('outside')
    expect(placeIndication(us, { region: { kind: 'countries', codes: ['DE', 'FR'] } })).toBe('outside')
    expect(placeIndication(signal({ place: FRANKFURT }), { region })).toBe('outside')
    expect(placeIndication(signal({}), { region })).toBe('silent')
  })
})

describe('records of other vantages', () => {
  const DENVER = place('Denver', 39.7392, -104.9903, 1)
  const argued = (vantages: readonly VantageRecord[], echo: NonceEcho | null, one: Case = {}) => {
    const context = contextOf({ at: ASHBURN, vantage: KANSAS, location: { vantages }, ...one })
    return assessLocation(new Map(echo === null ? [] : [[nonceEcho.id, known(echo)]]), context)
  }

  test('a record narrows what the collection’s own time leaves open', () => {
    const { distanceBounds, results } = argued([recordFrom(place('Ashburn hall', 39.04, -77.49, 1), 0.2)], echoOf(30))
    expect(distanceBounds.map(({ record }) => record)).toEqual([null, 'from-39.04'])
    expect(results[0]).toMatchObject({ result: 'bounded', delay: 'inside' })
  })

  test.each<[string, VantageRecord, RegExp]>([
    ['of another host key', recordFrom(DENVER, 1, { hostKey: `SHA256:${'B'.repeat(43)}` }), /another host key/],
    ['too old', recordFrom(DENVER, 1, { at: '2026-10-01T00:00:00.000Z' }), /more than 30 days/],
    ['after this moment', recordFrom(DENVER, 1, { at: '2026-12-01T00:00:00.000Z' }), /, after 2026/],
  ])('%s is not used, and this is stated', (_, record, note) => {
    const { distanceBounds, notes } = argued([record], echoOf(30))
    expect(distanceBounds).toHaveLength(1)
    expect(notes.join(' ')).toMatch(note)
  })

  test('times that exclude each other are nothing against the node', () => {
    const { results, notes, reachable } = argued([recordFrom({ ...FRANKFURT, radiusKm: 2 }, 1)], echoOf(1))
    expect(results[0]).toMatchObject({ result: 'undetermined', delay: 'unusable' })
    expect(reachable).toBeNull()
    expect(notes.join(' ')).toContain('exclude each other')
  })

  test('without the collection’s own times they exclude a place and bound nothing', () => {
    const hall = recordFrom(place('Ashburn hall', 39.04, -77.49, 1), 0.2)
    expect(argued([hall], null).results[0]?.result).toBe('undetermined')
    expect(argued([hall], null, { at: FRANKFURT }).results[0]?.result).toBe('contradicted')
  })

  test('a vantage that is known to 51 km is shown and bounds nothing', () => {
    const { distanceBounds, results } = argued([], echoOf(0.2), { vantage: { ...ASHBURN, radiusKm: 51 } })
    expect(distanceBounds[0]).toMatchObject({ maxDistanceKm: null, milliseconds: null })
    expect(results[0]?.result).toBe('undetermined')
  })
})

describe('the dossier', () => {
  test('names vantage, time and reach where it contradicts, and who is bounded where it bounds', () => {
    const to = (at: Place, milliseconds: number, vantage: Place) =>
      assessLocation(new Map([[nonceEcho.id, known(echoOf(milliseconds))]]), contextOf({ at, vantage })).results[0]
        ?.text ?? ''
    expect(to(FRANKFURT, 12, KANSAS)).toMatch(
      /not in “Frankfurt”.*“Kansas City desk” took 12\.000 ms.*at most 1807\.9 km/,
    )
    expect(to(ASHBURN, 0.2, place('next door', 39.04, -77.49, 2))).toContain(
      'The SSH responder (holder of the session keys) is inside “Ashburn”',
    )
    expect(to(ASHBURN, 30, KANSAS)).toContain('would bound it inside')
  })

  test('a time in which light reaches everywhere is reported as such, and excludes nothing', () => {
    const readings = new Map([[nonceEcho.id, known(echoOf(90))]])
    const { distanceBounds, results, reachable } = assessLocation(
      readings,
      contextOf({ at: FRANKFURT, vantage: KANSAS }),
    )
    expect(distanceBounds[0]?.text).toContain('the SSH responder can be anywhere')
    expect(results[0]).toMatchObject({ result: 'undetermined', delay: 'undecided' })
    expect(reachable).toHaveLength(250)
  })

  test('the time that it asks for, as it is stated, bounds it inside', () => {
    const of = (milliseconds: number) => {
      const context = contextOf({ vantage: KANSAS, location: { residency: [{ region: 'US' }] } })
      return assessLocation(new Map([[nonceEcho.id, known(echoOf(milliseconds))]]), context).results[0]
    }
    const told = Number(of(30)?.needed?.milliseconds.toFixed(3))
    expect(told).toBeGreaterThan(6)
    expect(of(told)?.result).toBe('bounded')
    expect(of(told + 0.5)?.result).toBe('undetermined')
  })

  test('residency: every policy for this node, and none for others', () => {
    const residency = [
      { region: 'US' },
      { country: ['DE', 'FR'] as [string, string] },
      { region: 'EU', nodes: ['other'] },
    ]
    const context = contextOf({ vantage: KANSAS, location: { residency } })
    const { results, reachable } = assessLocation(new Map([[nonceEcho.id, known(echoOf(0.3))]]), context)
    expect(results.map(({ result: is }) => is)).toEqual(['bounded', 'contradicted'])
    expect(reachable).toEqual(['US'])
    expect(results[0]?.needed?.milliseconds).toBeGreaterThan(6)
  })

  test('old evidence contradicts and supports nothing', () => {
    const old = { asOf: '2027-02-01T00:00:00.000Z', vantage: KANSAS } as const
    const of = (residency: DeclaredLocation['residency'] & object) =>
      assessLocation(new Map([[nonceEcho.id, known(echoOf(0.3))]]), contextOf({ ...old, location: { residency } }))
        .results[0]?.result
    expect(of([{ region: 'US' }])).toBe('undetermined')
    expect(of([{ region: 'DE' }])).toBe('contradicted')
  })

  test('a gap to the TCP connection is reported as a responder nearer than the node', () => {
    const path = { tcpMs: 0.15, keepaliveMs: [0.2], jumps: 0, remoteAddress: '192.0.2.1' }
    const { frontEnd, notes } = assessLocation(
      new Map([[nonceEcho.id, known({ ...echoOf(59.9), path })]]),
      contextOf({ at: ASHBURN, vantage: KANSAS }),
    )
    expect(frontEnd?.exceeds).toBe(true)
    expect(notes.join(' ')).toContain('A system nearer than the node accepts the TCP connection')
  })

  test('no fixture’s dossier states more than was observed', () => {
    for (const { name, readings, context } of sampled(fixtures, 20)) {
      const dossier = JSON.stringify(assessLocation(readings, context))
      for (const banned of BANNED) expect(dossier, name).not.toMatch(banned)
    }
  })
})

describe('added delay', () => {
  const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true })
  const step = fc.oneof(degrees(0.5), degrees(5), degrees(60))
  const time = fc.oneof(fc.double({ min: 0.01, max: 4, noNaN: true }), fc.double({ min: 0.01, max: 130, noNaN: true }))
  const radius = fc.oneof(fc.double({ min: 0, max: 300, noNaN: true }), fc.double({ min: 300, max: 5000, noNaN: true }))
  const scene = fc.record({
    latitude: degrees(75),
    longitude: degrees(115),
    radius,
    steps: fc.tuple(step, step, step, step),
    times: fc.tuple(time, time),
    added: fc.tuple(time, time),
    said: fc.subarray(['US', 'DE', 'GB']),
  })

  test('never shrinks a disc, and never turns a contradicted place into one that is bounded inside', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(scene, ({ latitude, longitude, radius, steps: [a, b, c, d], times, added, said: countries }) => {
        const at = place('there', latitude, longitude, radius, 'US')
        const vantage = place('here', latitude + a / 5, longitude + b, 2)
        const second = place('beyond', latitude + c / 5, longitude + d, 2)
        const signals = countries.map((country) => signal({ country }))
        const asked = { region: { kind: 'disc', disc: { center: at, radiusKm: radius } }, country: 'US' } as const
        const answer = ([own, other]: readonly [number, number]) => {
          const context = contextOf({ at, vantage, location: { vantages: [recordFrom(second, other)] } })
          const delay = readDelay(echoOf(own), context)
          return {
            ...placeResult(asked, delay, signals, context),
            reaches: delay.usable.map(({ radiusKm }) => radiusKm),
          }
        }
        const [before, after] = [answer(times), answer([times[0] + added[0], times[1] + added[1]])]
        expect(after.reaches).toHaveLength(2)
        for (const [which, reach] of after.reaches.entries())
          expect(reach).toBeGreaterThanOrEqual(before.reaches[which] ?? Number.NaN)
        seen.add(before.verdict).add(after.verdict)
        if (before.delay === 'empty') return
        expect([before.delay, 'undecided']).toContain(after.delay)
        if (after.verdict === 'bounded') expect(before.verdict).toBe('bounded')
        if (after.verdict === 'contradicted') expect(before.verdict).toBe('contradicted')
      }),
      { numRuns: repeated(150, 500), seed: 8 },
    )
    for (const word of ['contradicted', 'bounded', 'conflicting']) expect(seen).toContain(word)
  })
})

describe('taking the collection’s own times away', () => {
  const times = fc.constantFrom(0.2, 3, 8, 30, 70)
  const vantages = fc.subarray([KANSAS, { ...ASHBURN, radiusKm: 2 }, { ...FRANKFURT, radiusKm: 2 }])
  const signals = fc.subarray([
    signal({ country: 'US' }),
    signal({ id: 'record', class: 'E6', country: 'US' }),
    signal({ id: 'signed', class: 'E2', country: 'US' }),
    signal({ id: 'abroad', country: 'DE' }),
  ])

  test('never leaves a place supported that was not before', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(undefined, KANSAS, { ...ASHBURN, radiusKm: 2 }, { ...ASHBURN, radiusKm: 51 }),
        times,
        vantages,
        times,
        signals,
        (vantage, own, others, told, found) => {
          const location = { vantages: others.map((other) => recordFrom(other, told)) }
          const context = contextOf({ at: ASHBURN, ...(vantage === undefined ? {} : { vantage }), location })
          const of = (echo: NonceEcho | null) => {
            const asked = { region: { kind: 'disc', disc: { center: ASHBURN, radiusKm: 60 } }, country: 'US' } as const
            return placeResult(asked, readDelay(echo, context), found, context).verdict
          }
          const [before, after] = [of(echoOf(own)), of(null)]
          if (after === 'bounded' || after === 'corroborated') expect(after).toBe(before)
          if (vantage === undefined) expect(after).toBe(before)
        },
      ),
      { numRuns: repeated(100, 400) },
    )
  })

  test('leaves records of others to bound where the collecting machine has no declared place', () => {
    const location = { vantages: [recordFrom(place('Ashburn hall', 39.04, -77.49, 1), 0.2)] }
    const { results, notes } = assessLocation(new Map(), contextOf({ at: ASHBURN, location }))
    expect(results[0]).toMatchObject({ result: 'bounded', delay: 'inside' })
    expect(notes.join(' ')).not.toContain('can only exclude')
  })
})

describe('a promised country', () => {
  const countryVerdict = (code: string, milliseconds: number, region: string | null = null) => {
    const check = locationCountry.of(code)
    if (check === null) throw new Error('no such country')
    const cloud = {
      present: region !== null,
      cloudName: region === null ? null : 'aws',
      region,
      availabilityZone: null,
    }
    const readings = new Map([
      [nonceEcho.id, known(echoOf(milliseconds)) as never],
      [cloudInit.id, known(cloud) as never],
    ])
    return conclude(check, readings, contextOf({ vantage: KANSAS })).verdict
  }
  test('is observed by light alone, contradicted by light alone, and left open where the provider stated otherwise', () => {
    expect(countryVerdict('US', 0.3)).toBe('satisfied')
    expect(countryVerdict('DE', 0.3)).toBe('not-satisfied')
    expect(countryVerdict('US', 30)).toBe('inconclusive')
    expect(countryVerdict('US', 0.3, 'eu-central-1')).toBe('inconclusive')
    expect(countryVerdict('DE', 0.3, 'eu-central-1')).toBe('not-satisfied')
    expect(locationCountry.of('ZZ')).toBeNull()
  })
})

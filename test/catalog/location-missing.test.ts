import { describe, expect, test } from 'vitest'
import { demoLocation } from '../../main/adapters/demo/demo-location.ts'
import { assessLocation } from '../../main/catalog/location/argue.ts'
import { locationProviderClaim, locationResidency } from '../../main/catalog/location/checks.ts'
import { REGION_LIST } from '../../main/catalog/location/provider-signals.ts'
import { LOCATION_WANTS } from '../../main/catalog/location/signals.ts'
import type { Parsed } from '../../main/core/recording/probe.ts'
import { conclude } from '../../main/core/rules/check.ts'
import type { ResidencyPolicy } from '../../schemas/types.ts'
import { concludeOn, fixtureOf, fixtures } from '../support/evaluated.ts'

const LOST: Parsed<never> = { ok: false, reason: 'not collected: the session ended before it answered' }
const RESIDENCY: readonly ResidencyPolicy[] = [{ region: 'US' }, { region: 'EU' }, { country: ['DE', 'US'] }]
const located = fixtures.filter(({ name }) => /^(demo-|fx-loc-|fx-iso-cloud)/.test(name))

/** The verdicts of a recorded node, for its place and for some policies. */
const verdicts = (
  readings: ReadonlyMap<string, Parsed<unknown>>,
  { context }: (typeof fixtures)[number],
): readonly string[] =>
  assessLocation(readings, { ...context, location: { ...context.location, residency: RESIDENCY } }).results.map(
    ({ result }) => result,
  )

test.each(located.map((one) => [one.name, one] as const))(
  '%s: an answer that is lost makes nothing agree',
  (_, one) => {
    const whole = verdicts(one.readings, one)
    for (const { id } of Object.values(LOCATION_WANTS)) {
      const without = verdicts(new Map([...one.readings, [id, LOST]]), one)
      for (const [at, verdict] of without.entries())
        if (whole[at] !== 'corroborated') expect(verdict, `${id}, answer ${at}`).not.toBe('corroborated')
    }
  },
)

test('an answer that could have named another place and is lost leaves an agreement asserted, and is named', () => {
  const one = fixtureOf('demo-gpu-02')
  const { location } = demoLocation(['demo-gpu-02'], () => '2026-11-01')
  const [whole] = assessLocation(one.readings, { ...one.context, location }).results
  expect(whole?.result).toBe('corroborated')
  const lost = new Map([...one.readings, [LOCATION_WANTS.lldpd.id, LOST]])
  const [without] = assessLocation(lost, { ...one.context, location }).results
  expect(without?.result).toBe('uncorroborated')
  expect(without?.text).toContain('Evidence that could name another place is missing: ')
})

describe('a residency policy', () => {
  const one = fixtureOf('demo-gpu-01')
  const residency = (policies: readonly ResidencyPolicy[] | undefined, readings = one.readings) => {
    const location = policies === undefined ? {} : { location: { residency: policies } }
    return conclude(locationResidency, readings, { ...one.context, ...location })
  }

  test('that was not declared asks for nothing, whatever the node answered or did not', () => {
    for (const policies of [undefined, []] as const)
      for (const readings of [one.readings, new Map()]) {
        const { verdict, observations } = residency(policies, readings)
        expect(verdict).toBe('not-applicable')
        expect(observations[0]?.text).toContain('The declared scope has no data-residency policy')
      }
    const { verdict, observations } = residency([{ region: 'EU', nodes: ['another'] }])
    expect(verdict).toBe('not-applicable')
    expect(observations[0]?.text).toContain('has 1 data-residency policy, and none of them names this node')
  })

  test('that was declared is never left out of account for want of an answer', () => {
    for (const policies of [[{ region: 'US' }], [{ region: 'US' }, { region: 'EU', nodes: ['another'] }]])
      expect(residency(policies, new Map()).verdict).toBe('inconclusive')
    expect(residency([{ region: 'EU', nodes: ['demo-gpu-01'] }]).verdict).not.toBe('not-applicable')
  })
})

test('a region that agrees is supported by a list of regions that is dated, and by an old one no more', () => {
  const on = (asOf: string, node = 'fx-iso-cloud-home') => concludeOn(locationProviderClaim, node, [], { asOf })
  const day = (days: number) => new Date(Date.parse(REGION_LIST.asOf) + days * 86_400_000).toISOString()
  expect(on(day(90)).verdict).toBe('satisfied')
  expect(on(day(90)).observations.at(-1)?.text).toMatch(/is dated \d{4}-\d{2}-\d{2}, 90 days before this assessment\.$/)
  expect(on(day(91)).verdict).toBe('inconclusive')
  expect(on(day(400), 'fx-iso-cloud-abroad').verdict).toBe('not-satisfied')
})

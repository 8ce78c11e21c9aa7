import { policiesFor, policyQuestion } from '../../main/catalog/location/answers.ts'
import { quote } from '../../main/core/base/plain-text.ts'
import type { Catalog, LocationArgument } from '../../main/core/rules/catalog.ts'
import type { DistanceBound, LocationResult, Place } from '../../schemas/types.ts'

type Verdict = LocationResult['result']
type Says = LocationResult['signals'][number]['indicates']

/** By the last digit of a node's name: what is said of its declared place, and of every policy. */
const SAID: Readonly<Record<string, readonly [Verdict, Verdict]>> = {
  '1': ['bounded', 'bounded'],
  '2': ['corroborated', 'corroborated'],
  '3': ['conflicting', 'conflicting'],
  '4': ['contradicted', 'contradicted'],
  '5': ['uncorroborated', 'uncorroborated'],
}

const OTHERWISE: readonly [Verdict, Verdict] = ['undetermined', 'undetermined']

const OFFICE: Place = {
  name: 'Auditor’s office (made up)',
  country: 'US',
  latitude: 39.1,
  longitude: -94.58,
  radiusKm: 2,
  declaredBy: 'made up for tests',
}

const NEAR: Place = { ...OFFICE, name: 'Branch office in Leesburg (made up)', latitude: 39.11, longitude: -77.56 }
const DENVER: Place = { ...OFFICE, name: 'Branch office in Denver (made up)', latitude: 39.74, longitude: -104.99 }

/** A made-up argument of where a node is, with every verdict, for tests of the window. Nothing is said of a node without a declared place. */
export const fakeLocation: Catalog['assessLocation'] = (readings, { node, location }): LocationArgument => {
  const { location: claim = null, name } = node
  if (claim === null)
    return { claim, results: [], distanceBounds: [], reachable: null, frontEnd: null, signals: [], notes: [] }
  const [place, policy] = SAID[name.at(-1) ?? ''] ?? OTHERWISE
  const banner = readings.get('host.banner')
  const answers: readonly (readonly [LocationResult['of'], string, Verdict])[] = [
    ['declared-place', claim.name, place],
    ...policiesFor(name, location?.residency ?? []).map(
      (one) => ['residency', policyQuestion(one).title, policy] as const,
    ),
  ]
  return {
    claim,
    results: answers.map(([of, title, verdict]) => answerOf(of, title, verdict)),
    distanceBounds: discsOf(place),
    reachable:
      place === 'undetermined' ? null : place === 'contradicted' || place === 'bounded' ? ['US'] : ['CA', 'MX', 'US'],
    frontEnd:
      place === 'corroborated'
        ? { echoMs: 40.12, tcpMs: 0.31, gapMs: 39.81, allowedMs: 5, exceeds: true }
        : { echoMs: 0.41, tcpMs: 0.31, gapMs: 0.1, allowedMs: 5, exceeds: false },
    signals: [
      {
        id: 'site-record',
        class: 'E6',
        hint: false,
        country: 'US',
        place: OFFICE,
        text: 'The provider’s record says, in line 2, that this machine stands in “ASH1”, hall 1, rack R07.',
        probe: null,
      },
      {
        id: 'cloud-init',
        class: 'E5',
        hint: false,
        country: 'US',
        place: null,
        text: `The node’s banner reads ${quote(banner?.ok === true ? String(banner.fact) : 'nothing')}, and its region is in US.`,
        probe: 'host.banner',
      },
      {
        id: 'timezone',
        class: 'E5',
        hint: true,
        country: 'DE',
        place: null,
        text: 'The time zone is set to one of DE.',
        probe: 'dmi.identity',
      },
    ],
    notes: ['The times bound whoever holds the keys of the SSH session.'],
  }
}

const OF_TIMES: Readonly<Partial<Record<Verdict, LocationResult['delay']>>> = {
  contradicted: 'outside',
  bounded: 'inside',
  uncorroborated: 'unusable',
  undetermined: 'unusable',
}

function answerOf(of: LocationResult['of'], title: string, result: Verdict): LocationResult {
  // Statements agree with the place that light contradicts: that is what makes it worth a look.
  const agrees: Says =
    result === 'undetermined' ? 'silent' : result === 'contradicted' && of === 'residency' ? 'outside' : 'inside'
  return {
    of,
    title,
    result,
    delay: OF_TIMES[result] ?? 'undecided',
    text:
      result === 'contradicted'
        ? `The answering party is not in ${quote(title)}: the second fastest round trip from ${quote(OFFICE.name)} took 0.41 ms, so that the answering party is at most 63.5 km away, and no part of the place is that near.`
        : `Made up for tests: what was read and timed leaves ${quote(title)} as it says here.`,
    signals: [
      { id: 'site-record', indicates: agrees },
      { id: 'cloud-init', indicates: result === 'conflicting' ? 'outside' : agrees },
      { id: 'timezone', indicates: 'outside' },
    ],
    needed: { vantage: OFFICE.name, milliseconds: 6.79 },
  }
}

function discsOf(verdict: Verdict): readonly DistanceBound[] {
  if (verdict === 'undetermined') return [disc(OFFICE, null)]
  if (verdict === 'contradicted') return [disc(OFFICE, 0.41)]
  if (verdict === 'bounded') return [disc(NEAR, 0.05)]
  if (verdict !== 'corroborated') return [disc(OFFICE, 40.12)]
  return [disc(OFFICE, 40.12), { ...disc(DENVER, 21.6), record: 'vantage-denver', signer: 'ab'.repeat(32) }]
}

const disc = (vantage: Place, milliseconds: number | null): DistanceBound => ({
  vantage,
  record: null,
  signer: null,
  at: '2026-11-20T09:12:00.000Z',
  milliseconds,
  samples: 30,
  maxDistanceKm: milliseconds === null ? null : milliseconds * 150 + vantage.radiusKm,
  estimateKm: milliseconds === null ? null : milliseconds * 100,
  tcpMs: 0.31,
  keepaliveMs: 0.38,
  text:
    milliseconds === null ? 'The round trips do not agree.' : 'The second fastest of 30 nonces came back in this time.',
})

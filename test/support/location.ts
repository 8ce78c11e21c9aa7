import type { DistanceBound, Location, LocationResult, LocationSignal, Place } from '../../schemas/types.ts'

export const placeOf = (name: string, latitude: number, longitude: number, radiusKm: number): Place => ({
  name,
  latitude,
  longitude,
  radiusKm,
  declaredBy: 'M. Ortiz',
})
export const ASHBURN = { ...placeOf('Ashburn', 39.04, -77.48, 60), country: 'US' }

/** What a round trip of so many milliseconds bounds. */
export const discFrom = (
  vantage: Place,
  milliseconds: number,
  changes: Partial<DistanceBound> = {},
): DistanceBound => ({
  vantage,
  record: null,
  signer: null,
  at: null,
  milliseconds,
  samples: 60,
  maxDistanceKm: (milliseconds / 2) * 299.792458 * 1.0005 + vantage.radiusKm,
  estimateKm: (milliseconds / 2) * 199.86,
  tcpMs: null,
  keepaliveMs: null,
  text: '',
  ...changes,
})

export const answerOf = (changes: Partial<LocationResult> = {}): LocationResult => ({
  of: 'declared-place',
  title: 'Ashburn',
  result: 'undetermined',
  delay: 'undecided',
  text: 'Nothing decides it.',
  signals: [],
  needed: null,
  ...changes,
})

export const signalOf = (changes: Partial<LocationSignal> = {}): LocationSignal => ({
  id: 'cloud-init',
  class: 'E5',
  hint: false,
  country: 'US',
  place: null,
  text: 'cloud-init names the region us-east-1.',
  probe: null,
  captures: [],
  ...changes,
})

export const locationOf = (changes: Partial<Location> = {}): Location => ({
  claim: ASHBURN,
  results: [answerOf()],
  distanceBounds: [],
  reachable: null,
  frontEnd: null,
  signals: [],
  notes: [],
  ...changes,
})

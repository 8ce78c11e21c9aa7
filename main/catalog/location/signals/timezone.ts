import { quote } from '../../../core/plain-text.ts'
import type { Parsed } from '../../../core/probe.ts'
import { type TimeZone, timezone } from '../../probes/timezone.ts'
import { type Found, hinted } from '../found.ts'
import { zoneCountry } from '../regions.ts'

/** The time zone that a person set. UTC, which servers of all countries have, is no evidence. */
export function timezoneSignals(reading: Parsed<TimeZone>): readonly Found[] {
  const zone = reading.ok ? reading.fact.zone : null
  const country = zone === null ? null : zoneCountry(zone)
  if (zone === null || country === null) return []
  return [hinted('timezone', country, `The time zone is set to ${quote(zone)}, one of ${country}.`, timezone, 'link')]
}

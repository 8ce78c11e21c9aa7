import { quote } from '../../../core/plain-text.ts'
import type { Parsed, Probe } from '../../../core/probe.ts'
import type { LldpPlace, LldpPlaces } from '../../lldp-place.ts'
import { netLldpNetworkd } from '../../probes/net-lldp-networkd.ts'
import { netLldpPlace } from '../../probes/net-lldp-place.ts'
import { named } from '../../steps.ts'
import { asserted, type Found, hinted } from '../found.ts'
import { countryInName } from '../place-names.ts'

/** A switch is at most this far from what it serves, and lldpd rounds coordinates: generous for both. */
const RADIUS_KM = 1

/**
 * What switches report about where they stand, which is the word of the party that set them up, and which switch and port that is. Their
 * names are hints. lldpd shows more, so that networkd is heard only where it does not respond.
 */
export function lldpSignals(lldpd: Parsed<LldpPlaces>, networkd: Parsed<LldpPlaces>): readonly Found[] {
  const [reading, probe] = lldpd.ok ? [lldpd, netLldpPlace] : [networkd, netLldpNetworkd]
  if (!reading.ok || reading.fact.neighbours.length === 0) return []
  const { neighbours } = reading.fact
  return [...neighbours.flatMap((one, at) => placed(one, at, probe)).slice(0, MOST), ...nameHint(neighbours, probe)]
}

const MOST = 16

function placed(one: LldpPlace, at: number, probe: Probe<unknown>): readonly Found[] {
  const { country, address, point } = one
  if (country === null && point === null) return []
  const where = [...(country === null ? [] : [country]), ...address].join(', ')
  const spot = point === null ? '' : `${point.latitude}, ${point.longitude}`
  const said = asserted(
    `lldp.${at + 1}`,
    country,
    `The switch ${quote(one.name || one.chassis)}, port ${quote(one.port)}, states over LLDP that it is at ${[where && quote(where, 300), spot].filter(Boolean).join(', ')}.`,
    probe,
  )
  if (point === null) return [said]
  const place = { name: 'As stated over LLDP', ...point, radiusKm: RADIUS_KM, declaredBy: 'the switch' }
  return [{ ...said, place: country === null ? place : { ...place, country } }]
}

/** Which switches and ports: evidence for a rack, and for a country only as far as names have a meaning. */
function nameHint(neighbours: readonly LldpPlace[], probe: Probe<unknown>): readonly Found[] {
  const countries = [...new Set(neighbours.flatMap(({ name }) => countryInName(name)?.country ?? []))]
  const cables = named(neighbours.map(({ device, name, chassis, port }) => `${device} → ${name || chassis} ${port}`))
  const [only, ...others] = countries
  return [
    hinted(
      'lldp.switches',
      only !== undefined && others.length === 0 ? only : null,
      `The cables lead to ${cables}. Names of switches are chosen by their operators.`,
      probe,
    ),
  ]
}

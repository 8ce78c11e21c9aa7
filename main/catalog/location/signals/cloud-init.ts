import { quote } from '../../../core/plain-text.ts'
import type { Parsed } from '../../../core/probe.ts'
import { type CloudInit, cloudInit } from '../../probes/cloud-init.ts'
import { asserted, type Found } from '../found.ts'
import { placeCountry } from '../regions.ts'

/** What the provider reported the server at first boot: a statement in a file that administrators of the server can change. */
export function cloudInitSignals(reading: Parsed<CloudInit>): readonly Found[] {
  if (!reading.ok) return []
  const { cloudName, region, availabilityZone } = reading.fact
  const where = region ?? availabilityZone
  if (cloudName === null || where === null) return []
  const country = placeCountry(cloudName, region, availabilityZone)
  const said = `cloud-init records that the provider ${quote(cloudName)} names the region ${quote(where)}`
  const text =
    country === null
      ? `${said}; the country of that region is not known to this catalog.`
      : `${said}, which is in ${country}.`
  return [asserted('cloud-init', country, text, cloudInit)]
}

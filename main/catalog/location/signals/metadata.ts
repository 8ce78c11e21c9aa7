import { quote } from '../../../core/plain-text.ts'
import type { Parsed, Probe } from '../../../core/probe.ts'
import type { DmiIdentity } from '../../probes/dmi-identity.ts'
import type { DmiTags } from '../../probes/dmi-tags.ts'
import {
  type MetadataPlace,
  type MetadataSigned,
  metadataAws,
  metadataAzure,
  metadataGcp,
  metadataHetzner,
  metadataOci,
  metadataVultr,
} from '../../probes/metadata.ts'
import { asserted, type Found, hinted } from '../found.ts'
import { placeCountry } from '../regions.ts'
import { signedIdentity } from './identity-document.ts'

/** The readings of each provider's service. */
export interface MetadataReadings {
  readonly aws: Parsed<MetadataSigned>
  readonly gcp: Parsed<MetadataPlace>
  readonly azure: Parsed<MetadataPlace>
  readonly oci: Parsed<MetadataPlace>
  readonly vultr: Parsed<MetadataPlace>
  readonly hetzner: Parsed<MetadataPlace>
}

interface Service {
  readonly id: keyof MetadataReadings
  readonly provider: string
  /** Its name among the tables of regions. */
  readonly cloud: string
  readonly probe: Probe<unknown>
  /** Whether the firmware names the same provider. */
  readonly fits: (firmware: DmiIdentity) => boolean
}

/** What each provider writes into the firmware of its machines (cloud-init, tools/ds-identify, has the same marks). */
const SERVICES: readonly Service[] = [
  {
    id: 'aws',
    provider: 'AWS',
    cloud: 'aws',
    probe: metadataAws,
    fits: ({ sysVendor, biosVersion }) => sysVendor === 'Amazon EC2' || /\.amazon$/.test(biosVersion),
  },
  {
    id: 'gcp',
    provider: 'Google Cloud',
    cloud: 'gce',
    probe: metadataGcp,
    fits: ({ sysVendor }) => sysVendor === 'Google',
  },
  {
    id: 'azure',
    provider: 'Azure',
    cloud: 'azure',
    probe: metadataAzure,
    fits: ({ chassisAssetTag }) => chassisAssetTag === '7783-7084-3265-9085-8269-3286-77',
  },
  {
    id: 'oci',
    provider: 'Oracle Cloud',
    cloud: 'oracle',
    probe: metadataOci,
    fits: ({ chassisAssetTag }) => chassisAssetTag === 'OracleCloud.com',
  },
  {
    id: 'vultr',
    provider: 'Vultr',
    cloud: 'vultr',
    probe: metadataVultr,
    fits: ({ sysVendor }) => sysVendor === 'Vultr',
  },
  {
    id: 'hetzner',
    provider: 'Hetzner',
    cloud: 'hetzner',
    probe: metadataHetzner,
    fits: ({ sysVendor }) => sysVendor === 'Hetzner',
  },
]

/**
 * What the metadata service stated, where it was queried. On a machine that its provider does not run as a cloud, anything may respond at
 * that address: a response counts only where the firmware names the same provider, and is shown else.
 */
export function metadataSignals(
  readings: MetadataReadings,
  identity: Parsed<DmiIdentity>,
  tags: Parsed<DmiTags>,
): readonly Found[] {
  return SERVICES.flatMap((service): readonly Found[] => {
    const reading = readings[service.id]
    if (!reading.ok) return []
    const { region, zone } = reading.fact
    const fits = identity.ok && service.fits(identity.fact)
    const signed = service.id === 'aws' && readings.aws.ok && fits ? readings.aws.fact.rsa2048 : null
    return [
      ...(region === null && zone === null ? [] : [told(service, fits, region, zone)]),
      ...(signed === null
        ? []
        : [signedIdentity(`metadata.${service.id}-signed`, signed, tags, service.probe, 'signed')]),
    ]
  })
}

function told(
  { id, provider, cloud, probe }: Service,
  fits: boolean,
  region: string | null,
  zone: string | null,
): Found {
  const said = `The metadata service, queried as that of ${provider}, returned ${[region, zone].flatMap((one) => (one === null ? [] : [quote(one)])).join(' and ')}`
  if (!fits)
    return hinted(
      `metadata.${id}`,
      null,
      `${said}. The firmware does not name ${provider}, so the responder is unknown: not counted.`,
      probe,
    )
  // Vultr states the country itself, in place of a zone.
  const own = id === 'vultr' && zone !== null && /^[A-Z]{2}$/.test(zone) ? zone : null
  const country = own ?? placeCountry(cloud, region, zone)
  return asserted(
    `metadata.${id}`,
    country,
    country === null
      ? `${said}; the country of that region is not known to this catalog.`
      : `${said}, which is in ${country}.`,
    probe,
  )
}

import { quote } from '../../core/base/plain-text.ts'
import { isSignedBy, readSigned } from '../../core/der/cms-plain.ts'
import type { Parsed, Probe } from '../../core/recording/probe.ts'
import { asRecord, asText, readJson } from '../base/read-text.ts'
import type { DmiIdentity, DmiTags } from '../hardware/machine/dmi.ts'
import {
  type IdentityDocument,
  identityDocument,
  type MetadataPlace,
  type MetadataSigned,
  metadataAws,
  metadataAzure,
  metadataGcp,
  metadataHetzner,
  metadataOci,
  metadataVultr,
} from './probes.ts'
import data from './provider-certificates.json' with { type: 'json' }
import { placeCountry } from './provider-signals.ts'
import { asserted, type Found, hinted } from './registry.ts'

/**
 * With what providers sign the identity documents of machines, region by region, as they publish it. Regions that are not here cannot be
 * verified. Each is signed on its own, and none has a chain: that it is the provider’s depends on the page it was published on.
 */
interface ProviderCertificate {
  readonly provider: string
  readonly region: string
  /** Over `der`. */
  readonly sha256: string
  /** Base64. */
  readonly der: string
}

export const PROVIDER_CERTIFICATES: readonly ProviderCertificate[] = data.certificates
/** The list with its day and its source. */
export const PROVIDER_CERTIFICATE_LIST: typeof data = data

/** An identity document, and what is behind it. */
interface Identity {
  readonly instance: string
  readonly region: string
  readonly zone: string | null
  /** The provider certificate that its signature is under; null where none is on record for its region. */
  readonly signer: ProviderCertificate | null
}

/**
 * Reads a signed identity document of EC2. A signature under the certificate of one region does not count for a
 * document that names another. Returns the reason where the signature is invalid, or where it is no such document.
 */
export function readIdentity(
  rsa2048: string,
  certificates: readonly ProviderCertificate[] = PROVIDER_CERTIFICATES,
): { readonly ok: true; readonly identity: Identity } | { readonly ok: false; readonly reason: string } {
  const signed = readSigned(new Uint8Array(Buffer.from(rsa2048, 'base64')))
  const content = signed?.content ?? null
  if (signed === null || content === null)
    return { ok: false, reason: 'it is not a signed document of a supported format' }
  const document = readJson(new TextDecoder().decode(content), 'the provider')
  const { instanceId, region, availabilityZone } = asRecord(document.ok ? document.fact : undefined)
  const [instance, place] = [asText(instanceId), asText(region)]
  if (instance === null || place === null || !/^i-[0-9a-f]{8,17}$/.test(instance) || !/^[a-z0-9-]{4,40}$/.test(place))
    return { ok: false, reason: 'it names no machine and region' }
  const signer = certificates.find((one) => one.provider === 'aws' && one.region === place) ?? null
  if (signer !== null && !isSignedBy(signed, content, new Uint8Array(Buffer.from(signer.der, 'base64'))))
    return {
      ok: false,
      reason: `its signature does not verify with the certificate that the provider publishes for ${place}`,
    }
  return {
    ok: true,
    identity: { instance, region: place, zone: asText(availabilityZone)?.slice(0, 60) ?? null, signer },
  }
}

/** The signed identity document that cloud-init keeps, where it keeps one. */
export function identityDocumentSignals(reading: Parsed<IdentityDocument>, tags: Parsed<DmiTags>): readonly Found[] {
  const rsa2048 = reading.ok ? reading.fact.rsa2048 : null
  return rsa2048 === null ? [] : [signedIdentity('identity-document', rsa2048, tags, identityDocument)]
}

/** A signed document, wherever it was found. */
const signedIdentity = (
  id: string,
  rsa2048: string,
  tags: Parsed<DmiTags>,
  probe: Probe<unknown>,
  ...commands: readonly string[]
): Found => {
  const { country, text, isBound } = identityStatement(readIdentity(rsa2048), tags)
  return { ...asserted(id, country, text, probe, ...commands), ...(isBound ? { class: 'E2' } : {}) }
}

/**
 * What a document states. It counts as the provider’s statement about this machine (E2) only where its signature is
 * valid and it names the machine that the firmware names; otherwise it may be the document of another machine, or one
 * placed here by an administrator. It must also name an ordinary zone of its region: a document from a Local or
 * Wavelength Zone names the parent region, but the machine is elsewhere. A machine in an Outpost cannot be
 * distinguished from one in the parent zone (docs.aws.amazon.com, “How AWS Outposts works”: an Outpost extends one
 * zone); its document counts regardless, and the text states this. A document with an invalid signature is no
 * evidence of a place.
 */
export function identityStatement(
  read: ReturnType<typeof readIdentity>,
  tags: Parsed<DmiTags>,
): { readonly country: string | null; readonly text: string; readonly isBound: boolean } {
  const found = (country: string | null, text: string, isBound = false) => ({ country, text, isBound })
  if (!read.ok) return found(null, `There is a signed identity document, but ${read.reason}. It names no place here.`)
  const { instance, region, zone, signer } = read.identity
  const country = placeCountry('aws', region, zone)
  const statement = `An identity document states that the machine ${quote(instance)} runs in the region ${quote(region)}${country === null ? '' : ` in ${country}`}`
  if (signer === null)
    return found(country, `${statement}. This catalog has no certificate of that region to verify its signature.`)
  const signed = `${statement}. Its signature verifies with the certificate that AWS publishes for that region (SHA-256 ${signer.sha256.slice(0, 16)}…)`
  const board = tags.ok ? tags.fact.board : null
  if (board !== instance) {
    const other = board === null ? 'the firmware names no machine' : `the firmware names ${quote(board)}`
    return found(country, `${signed}, but ${other}: it may be the document of another machine.`)
  }
  const bound = `${signed}, and the firmware names the same machine`
  if (isOrdinaryZone(region, zone)) return found(country, `${bound}. ${OUTPOSTS}`, true)
  const where = zone === null ? 'It names no zone' : `Its zone ${quote(zone)} is no ordinary one of that region`
  return found(
    country,
    `${bound}. ${where}, and such machines may be outside that region: it counts as a statement only.`,
  )
}

const OUTPOSTS =
  'A machine in an AWS Outpost, which may be in another country, has the same kind of document: the customer has to confirm that it is in no Outpost.'

/** Ordinary zones are called as their region with one letter behind it; Local and Wavelength Zones have a place between the two. */
const isOrdinaryZone = (region: string, zone: string | null): boolean =>
  zone?.length === region.length + 1 && zone.startsWith(region) && /[a-z]$/.test(zone)

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

/** The marks of each provider in the firmware of its machines (cloud-init, tools/ds-identify, uses the same). */
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
 * What the metadata service stated, where it was queried. On a machine that its provider does not run as a cloud,
 * anything may answer at that address: an answer counts only where the firmware names the same provider, and is
 * otherwise only shown.
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
      ...(region === null && zone === null ? [] : [named(service, fits, region, zone)]),
      ...(signed === null
        ? []
        : [signedIdentity(`metadata.${service.id}-signed`, signed, tags, service.probe, 'signed')]),
    ]
  })
}

function named(
  { id, provider, cloud, probe }: Service,
  fits: boolean,
  region: string | null,
  zone: string | null,
): Found {
  const statement = `The metadata service, queried as that of ${provider}, returned ${[region, zone].flatMap((one) => (one === null ? [] : [quote(one)])).join(' and ')}`
  if (!fits)
    return hinted(
      `metadata.${id}`,
      null,
      `${statement}. The firmware does not name ${provider}, so the responder is unknown: not counted.`,
      probe,
    )
  // Vultr states the country itself, in place of a zone.
  const own = id === 'vultr' && zone !== null && /^[A-Z]{2}$/.test(zone) ? zone : null
  const country = own ?? placeCountry(cloud, region, zone)
  return asserted(
    `metadata.${id}`,
    country,
    country === null
      ? `${statement}; the country of that region is not known to this catalog.`
      : `${statement}, which is in ${country}.`,
    probe,
  )
}

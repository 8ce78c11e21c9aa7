import { type Answer, defineProbe, known, type RunCommand, run } from '../../core/probe.ts'

/** What a provider’s metadata service stated; null where nothing responded, or no such thing. */
export interface MetadataPlace {
  readonly region: string | null
  readonly zone: string | null
}
/** What AWS states in addition to: the signed identity document, in base64. */
export interface MetadataSigned extends MetadataPlace {
  readonly rsa2048: string | null
}

const SERVICE = 'http://169.254.169.254/'

/**
 * One GET of one leaf path of the metadata service, at an address that no router passes on. No settings file, proxy, redirect, second try
 * or token; one second. No path is queried that can hold a secret: no user data, vendor data, credentials, and no document of everything.
 */
const leaf = (path: string, ...headers: readonly string[]): RunCommand =>
  run(
    [
      'curl',
      '-q',
      '--noproxy',
      '*',
      '--max-time',
      '1',
      '--retry',
      '0',
      '--max-redirs',
      '0',
      '-s',
      '-f',
      ...headers.flatMap((header) => ['-H', header]),
      `${SERVICE}${path}`,
    ],
    { timeoutSeconds: 5, maxBytes: 16 * 1024 },
  )

/** A name in one line: anything else, such as a page of a portal, is no response. */
const nameIn = ({ exitCode, text }: Answer): string | null =>
  exitCode === 0 ? (/^[A-Za-z0-9][A-Za-z0-9 ()_.:/-]{0,99}$/.exec(text.trim())?.[0] ?? null) : null

const WHY =
  'The provider’s metadata service states where the machine was set up. The request leaves the server, and is therefore made only on request.'

/** docs.aws.amazon.com, Instance metadata. Only version 1, without a token: where it is switched off, nothing is returned. */
export const metadataAws = defineProbe({
  id: 'metadata.aws',
  title: 'Region by the metadata service of AWS',
  why: `${WHY} The signed document in the response is one that some systems, such as Vault, accept as a login; it goes into the pack.`,
  ignoredInDrift: {
    why: 'The provider signs the document anew; only its presence is compared.',
    normalize: ({ rsa2048, ...place }: MetadataSigned) => ({ ...place, isSigned: rsa2048 !== null }),
  },
  optIn: 'metadata',
  commands: {
    region: leaf('latest/meta-data/placement/region'),
    zone: leaf('latest/meta-data/placement/availability-zone'),
    signed: leaf('latest/dynamic/instance-identity/rsa2048'),
  },
  parse({ region, zone, signed }) {
    const body = signed.exitCode === 0 ? signed.text.replaceAll(/\s/g, '') : ''
    return known<MetadataSigned>({
      region: nameIn(region),
      zone: nameIn(zone),
      rsa2048: /^[A-Za-z0-9+/]{100,16000}={0,2}$/.test(body) ? body : null,
    })
  },
})

/** cloud.google.com/compute/docs/metadata. The response is projects/NUMBER/zones/ZONE, of which the zone alone is kept. */
export const metadataGcp = defineProbe({
  id: 'metadata.gcp',
  title: 'Zone by the metadata service of Google Cloud',
  why: WHY,
  optIn: 'metadata',
  commands: { zone: leaf('computeMetadata/v1/instance/zone', 'Metadata-Flavor: Google') },
  parse: ({ zone }) => known<MetadataPlace>({ region: null, zone: nameIn(zone)?.split('/').at(-1) || null }),
})

/** learn.microsoft.com, Azure Instance Metadata Service. */
export const metadataAzure = defineProbe({
  id: 'metadata.azure',
  title: 'Location by the metadata service of Azure',
  why: WHY,
  optIn: 'metadata',
  commands: {
    location: leaf('metadata/instance/compute/location?api-version=2021-02-01&format=text', 'Metadata: true'),
  },
  parse: ({ location }) => known<MetadataPlace>({ region: nameIn(location), zone: null }),
})

/** docs.oracle.com, Getting Instance Metadata, version 2. The word Oracle in the header is the same for everybody. */
export const metadataOci = defineProbe({
  id: 'metadata.oci',
  title: 'Region by the metadata service of Oracle Cloud',
  why: WHY,
  optIn: 'metadata',
  commands: {
    region: leaf('opc/v2/instance/canonicalRegionName', 'Authorization: Bearer Oracle'),
    zone: leaf('opc/v2/instance/availabilityDomain', 'Authorization: Bearer Oracle'),
  },
  parse: ({ region, zone }) => known<MetadataPlace>({ region: nameIn(region), zone: nameIn(zone) }),
})

/** docs.vultr.com, Metadata API. Never /v1.json, which holds the hash of the root password. */
export const metadataVultr = defineProbe({
  id: 'metadata.vultr',
  title: 'Region by the metadata service of Vultr',
  why: WHY,
  optIn: 'metadata',
  commands: { region: leaf('v1/region/regioncode'), country: leaf('v1/region/countrycode') },
  parse: ({ region, country }) => known<MetadataPlace>({ region: nameIn(region), zone: nameIn(country) }),
})

/** docs.hetzner.cloud, Server metadata. Dedicated servers have none. */
export const metadataHetzner = defineProbe({
  id: 'metadata.hetzner',
  title: 'Region by the metadata service of Hetzner',
  why: WHY,
  optIn: 'metadata',
  commands: { region: leaf('hetzner/v1/metadata/region'), zone: leaf('hetzner/v1/metadata/availability-zone') },
  parse: ({ region, zone }) => known<MetadataPlace>({ region: nameIn(region), zone: nameIn(zone) }),
})

export const METADATA_PROBES = [
  metadataAws,
  metadataGcp,
  metadataAzure,
  metadataOci,
  metadataVultr,
  metadataHetzner,
] as const

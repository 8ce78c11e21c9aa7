import {
  type Answer,
  defineProbe,
  known,
  type RunCommand,
  run,
  runAsRoot,
  unknown,
} from '../../core/recording/probe.ts'
import { grepIsComplete, isAbsent, lines, oneLineFiles } from '../base/read-text.ts'

export interface TimeZone {
  /** Zone name such as America/New_York; null when the server keeps no zone, which means UTC (localtime(5)). */
  readonly zone: string | null
  readonly locale: string | null
}

/** localtime(5), locale.conf(5). */
export const timezone = defineProbe({
  id: 'timezone',
  title: 'Time zone and locale',
  why: 'A hint about the location expected when the server was set up. It decides nothing.',
  commands: {
    link: run(['readlink', '/etc/localtime']),
    files: run(['grep', '-sH', '', '/etc/timezone', '/etc/locale.conf', '/etc/default/locale']),
  },
  parse({ link, files }) {
    if (link.exitCode > 1) return unknown('the time zone could not be read')
    const values = oneLineFiles(files.text)
    const linked = /zoneinfo\/([A-Za-z0-9_+/-]{1,64})$/.exec(link.text.trim())?.[1]
    const named = /^[A-Za-z0-9_+/-]{1,64}$/.exec(values.get('/etc/timezone') ?? '')?.[0]
    const locale = /LANG="?([A-Za-z0-9_.@-]{1,40})/.exec(
      values.get('/etc/locale.conf') ?? values.get('/etc/default/locale') ?? '',
    )?.[1]
    return known<TimeZone>({ zone: linked ?? named ?? null, locale: locale ?? null })
  },
})

export interface DnsSearch {
  /** Domains in which short names are looked up. */
  readonly domains: readonly string[]
}

/** resolv.conf(5). */
export const dnsSearch = defineProbe({
  id: 'net.dns-search',
  title: 'DNS search domains',
  why: 'Domain names of networks often contain the location of a data center. This is a hint only; it decides nothing.',
  commands: { lines: run(['grep', '-E', '^[ \t]*(search|domain)[ \t]', '/etc/resolv.conf'], { maxBytes: 65536 }) },
  parse(answers) {
    if (!grepIsComplete(answers.lines)) return unknown('the settings of name resolution could not be read')
    // The last of these lines counts.
    const [, ...domains] = (lines(answers.lines.text).at(-1) ?? '').trim().split(/[ \t]+/)
    return known<DnsSearch>({ domains: domains.slice(0, 32).map((domain) => domain.slice(0, 255)) })
  },
})

/** The place stated by a provider’s metadata service; null where nothing answered, or something else. */
export interface MetadataPlace {
  readonly region: string | null
  readonly zone: string | null
}

/** The additional statement of AWS: the signed identity document, in base64. */
export interface MetadataSigned extends MetadataPlace {
  readonly rsa2048: string | null
}

const SERVICE = 'http://169.254.169.254/'

/**
 * One GET of one leaf path of the metadata service, at an address that no router forwards. No settings file, proxy,
 * redirect, retry or token; one second. No path that can contain a secret is queried: no user data, vendor data or
 * credentials, and no document of everything.
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

/** A name in one line; anything else, such as the page of a portal, is no answer. */
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

/** docs.oracle.com, Getting Instance Metadata, version 2. The word Oracle in the header is the same for every client. */
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

export interface IdentityDocument {
  /** The signed document in base64; null where cloud-init keeps none. */
  readonly rsa2048: string | null
}

/**
 * The provider’s signed statement about this machine as stored by cloud-init in a file readable for every user. EC2:
 * the message of /latest/dynamic/instance-identity/rsa2048, whose content is the identity document. Only the lines
 * between its name and the closing bracket are printed, at the only depth where the name occurs: older releases left
 * secrets elsewhere in this file. Some systems accept this document as a login (Vault, auth method aws; SPIRE, node
 * attestor aws_iid), so it is read only where a person chose it.
 */
export const identityDocument = defineProbe({
  id: 'cloud-init.identity',
  title: 'Identity document signed by the provider',
  why: 'Some providers sign a statement of the machine and its region. cloud-init stores it at first boot; no network request is made. Some systems, such as Vault, accept such a document as a login, and it goes into the pack: it is therefore read only on request.',
  ignoredInDrift: {
    why: 'The provider signs the document anew; only its presence is compared.',
    normalize: ({ rsa2048 }: IdentityDocument) => ({ isThere: rsa2048 !== null }),
  },
  optIn: 'metadata',
  commands: {
    kept: run(['sed', '-n', '/^    "rsa2048": \\[$/,/^ \\{0,4\\}[]}]/p', '/run/cloud-init/instance-data.json'], {
      maxBytes: 65536,
    }),
  },
  parse({ kept }) {
    if (isAbsent(kept)) return known<IdentityDocument>({ rsa2048: null })
    if (kept.exitCode !== 0) return unknown('what cloud-init keeps could not be read')
    const [first, ...rest] = lines(kept.text)
    if (first === undefined) return known<IdentityDocument>({ rsa2048: null })
    const pieces = rest.slice(0, -1).map((line) => /^ {5}"([A-Za-z0-9+/=]{1,200})",?$/.exec(line)?.[1])
    return first !== '    "rsa2048": [' || !/^ {4}\],?$/.test(rest.at(-1) ?? '') || pieces.includes(undefined)
      ? unknown('the signed document has an unexpected format')
      : known<IdentityDocument>({ rsa2048: pieces.join('') })
  },
})

export interface TpmTag {
  /** Indices of the TPM’s memory that are defined, by number. What they hold is not read. */
  readonly indices: readonly number[]
}

const MOST = 256

/**
 * tpm2_getcap(1). It lists numbers and nothing else. An index in which a data center keeps the tag of a machine is only named: reading one
 * of unknown policy, or making a key for a quote over it, would be more than a look.
 */
export const tpmTag = defineProbe({
  id: 'location.tpm-tag',
  title: 'TPM memory indexes in use',
  why: 'Some data centers write a tag of the machine into its TPM. Only its presence is read, not its content.',
  commands: {
    indices: runAsRoot(['tpm2_getcap', '-T', 'device:/dev/tpmrm0', 'handles-nv-index'], {
      needsPath: ['/dev/tpmrm0'],
      timeoutSeconds: 30,
      maxBytes: 65536,
    }),
  },
  parse({ indices }) {
    if (indices.exitCode !== 0) return unknown('the TPM did not list its memory')
    const found = lines(indices.text).map((line) => /^- 0x([0-9A-Fa-f]{1,8})$/.exec(line.trim())?.[1])
    return found.length > MOST || found.includes(undefined)
      ? unknown('the list of the TPM’s memory has an unexpected format')
      : known<TpmTag>({ indices: found.map((hex) => Number.parseInt(hex ?? '', 16)) })
  },
})

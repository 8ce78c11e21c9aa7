import { quote } from '../../core/base/plain-text.ts'
import type { Parsed } from '../../core/recording/probe.ts'
import { type CloudInit, cloudInit } from '../access/provider-access/probes.ts'
import { type DmiIdentity, type DmiTags, dmiIdentity, dmiTags } from '../hardware/machine/dmi.ts'
import { type Bmc, bmc } from '../hardware/management-controller/probes.ts'
import { type TpmPresence, tpmPresence } from '../single-tenancy/boot-integrity/index.ts'
import { type TpmTag, tpmTag } from './probes.ts'
import data from './regions.json' with { type: 'json' }
import { asserted, type Found, hinted } from './registry.ts'

/** What factories and hypervisors leave in place of a tag. */
const NOBODYS =
  /^(|default string|to be filled.*|not (specified|available|applicable|provided|settable)|no asset (tag|information)|none|n\/?a|null|unknown|empty|asset[ -]?tag.*|(chassis|board|base board|system|product).{0,20}asset.*|x+|0+|[-. ]+|0?123456789.*|1234567890.*|amazon ec2|oraclecloud\.com|7783-7084-3265-9085-8269-3286-77)$/i

const isTag = (text: string | null | undefined): text is string => !NOBODYS.test((text ?? '').trim())

/**
 * Numbers that the party that runs the machine gave it: what a record of racks can be matched with. They name no country, and so count for
 * no place by themselves.
 */
export function assetTagSignals(
  identity: Parsed<DmiIdentity>,
  tags: Parsed<DmiTags>,
  controller: Parsed<Bmc>,
): readonly Found[] {
  const chassis = identity.ok ? identity.fact.chassisAssetTag : null
  const board = tags.ok ? tags.fact.board : null
  const written = controller.ok ? (controller.fact.inventory?.written ?? []).filter(({ text }) => isTag(text)) : []
  const tagText = (where: string, text: string): string =>
    `${where} carries the tag ${quote(text)}, which a rack record may list.`
  return [
    ...(isTag(chassis)
      ? [asserted('asset-tag.chassis', null, tagText('The firmware’s entry of the chassis', chassis), dmiIdentity)]
      : []),
    ...(isTag(board)
      ? [asserted('asset-tag.board', null, tagText('The firmware’s entry of the board', board), dmiTags)]
      : []),
    ...(written.length === 0
      ? []
      : [
          asserted(
            'asset-tag.controller',
            null,
            `The inventory of the management controller carries ${written.map(({ field, text }) => `${field} ${quote(text, 60)}`).join(', ')}.`,
            bmc,
            'inventory',
          ),
        ]),
  ]
}

/** The tables of providers’ regions, with their day. */
export const REGION_LIST: typeof data = data

/** By cloud-init’s name of a provider: prefixes of its names for regions, zones and sites → ISO 3166 country. */
const REGIONS: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map(
  Object.entries<Readonly<Record<string, readonly string[]>>>(data.providers).map(([cloud, countries]) => [
    cloud,
    Object.entries(countries).flatMap(([country, prefixes]) => prefixes.map((prefix) => [prefix, country] as const)),
  ]),
)

/** Local and wavelength zones of AWS carry the name of a region and stand elsewhere, at times in another country. */
const isApart = (cloud: string, name: string): boolean => cloud === 'aws' && /^[a-z]+(-[a-z]+)+-\d+-[a-z]/.test(name)

/** The country of a provider’s region or zone, where the provider’s public list states this; else null. */
export function regionCountry(cloud: string, region: string): string | null {
  const [provider, name] = [cloud.toLowerCase(), region.toLowerCase()]
  const apart = isApart(provider, name)
  const matches = (REGIONS.get(provider) ?? []).filter(
    ([prefix]) =>
      name.startsWith(prefix) &&
      !/^\d\d/.test(prefix.slice(-1) + name.charAt(prefix.length)) &&
      (!apart || isApart(provider, prefix)),
  )
  return [...matches].sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? null
}

/** The country of a zone, which states more, or else of its region: some regions span countries, and some zones stand outside of theirs. */
export function placeCountry(cloud: string, region: string | null, zone: string | null): string | null {
  const ofZone = zone === null ? null : regionCountry(cloud, zone)
  if (ofZone !== null || region === null || (zone !== null && isApart(cloud.toLowerCase(), zone.toLowerCase())))
    return ofZone
  return regionCountry(cloud, region)
}

/** Countries of common IANA time zones; a zone that is not here is no evidence. */
const ZONES: readonly (readonly [RegExp, string])[] = [
  [/^(US\/|America\/(New_York|Chicago|Denver|Los_Angeles|Phoenix|Detroit|Boise|Anchorage|Indiana\/|Kentucky\/))/, 'US'],
  [/^(Canada\/|America\/(Toronto|Vancouver|Montreal|Winnipeg|Halifax|Edmonton)$)/, 'CA'],
  [/^Europe\/Berlin$/, 'DE'],
  [/^Europe\/London$/, 'GB'],
  [/^Europe\/Paris$/, 'FR'],
  [/^Europe\/Amsterdam$/, 'NL'],
  [/^Europe\/(Zurich)$/, 'CH'],
  [/^Europe\/Stockholm$/, 'SE'],
  [/^Europe\/Helsinki$/, 'FI'],
  [/^Europe\/Dublin$/, 'IE'],
  [/^Asia\/Tokyo$/, 'JP'],
  [/^Asia\/Singapore$/, 'SG'],
  [/^Asia\/Shanghai$/, 'CN'],
  [/^Europe\/Moscow$/, 'RU'],
]

export const zoneCountry = (zone: string): string | null => ZONES.find(([pattern]) => pattern.test(zone))?.[1] ?? null

/** What the provider reported the server at first boot: a statement in a file that administrators of the server can change. */
export function cloudInitSignals(reading: Parsed<CloudInit>): readonly Found[] {
  if (!reading.ok) return []
  const { cloudName, region, availabilityZone } = reading.fact
  const where = region ?? availabilityZone
  if (cloudName === null || where === null) return []
  const country = placeCountry(cloudName, region, availabilityZone)
  const statement = `cloud-init records that the provider ${quote(cloudName)} names the region ${quote(where)}`
  const text =
    country === null
      ? `${statement}; the country of that region is not known to this catalog.`
      : `${statement}, which is in ${country}.`
  return [asserted('cloud-init', country, text, cloudInit)]
}

/** Where the trust agent of Intel’s data-center libraries keeps the digest of an asset tag (NIST IR 8320B describes the practice). */
const TAG_INDEX = 0x1c10110
/** The register that a measured launch extends with that digest. */
const TAG_REGISTER = 22

/**
 * Traces of a geotag. Without a quote over a nonce of ours, signed by a key that the tag’s authority certifies, they attest nothing: the class of
 * hardware-attested tags stays empty here.
 */
export function tpmTagSignals(tag: Parsed<TpmTag>, registers: Parsed<TpmPresence>): readonly Found[] {
  const value = registers.ok ? registers.fact.registers.get(TAG_REGISTER) : undefined
  const isExtended = value !== undefined && !/^(00|ff)+$/.test(value)
  return [
    ...(tag.ok && tag.fact.indices.includes(TAG_INDEX)
      ? [
          hinted(
            'tpm-tag.index',
            null,
            'The TPM has an index in which some data centers store the tag of a machine. It was not read, and nothing confirms it.',
            tpmTag,
          ),
        ]
      : []),
    ...(isExtended
      ? [
          hinted(
            'tpm-tag.register',
            null,
            `Register ${TAG_REGISTER} of the TPM, which a measured launch can extend with a tag, is not empty. No quote was requested, so it attests nothing.`,
            tpmPresence,
          ),
        ]
      : []),
  ]
}

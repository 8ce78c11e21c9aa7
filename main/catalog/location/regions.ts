import data from './regions.json' with { type: 'json' }

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

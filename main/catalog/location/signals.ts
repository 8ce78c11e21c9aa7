import { quote } from '../../core/base/plain-text.ts'
import { type Parsed, type Probe, wasNotAsked } from '../../core/recording/probe.ts'
import { type Context, type DraftObservation, type MaybeFactsOf, unclearAbout } from '../../core/rules/check.ts'
import { cloudInit } from '../access/provider-access/probes.ts'
import { named } from '../base/steps.ts'
import { type LldpPlace, type LldpPlaces, netLldpNetworkd, netLldpPlace } from '../data-protection/network/lldp.ts'
import { dmiIdentity, dmiTags } from '../hardware/machine/dmi.ts'
import { type HostIdentity, hostIdentity, hostSerials } from '../hardware/machine/identity.ts'
import { bmc } from '../hardware/management-controller/probes.ts'
import { type ChronyState, timeChrony } from '../operations/time/probes.ts'
import { tpmPresence } from '../single-tenancy/boot-integrity/index.ts'
import { identityDocumentSignals, metadataSignals } from './metadata.ts'
import { ADDRESS_WANTS } from './peers.ts'
import {
  type DnsSearch,
  dnsSearch,
  identityDocument,
  metadataAws,
  metadataAzure,
  metadataGcp,
  metadataHetzner,
  metadataOci,
  metadataVultr,
  type TimeZone,
  timezone,
  tpmTag,
} from './probes.ts'
import { assetTagSignals, cloudInitSignals, tpmTagSignals, zoneCountry } from './provider-signals.ts'
import { asserted, type Found, hinted, registrySignals } from './registry.ts'
import { siteRecordSignals } from './signals/site-record.ts'

/** Statements of the provider itself, to the machine or in response to it. */
export const PROVIDER_WANTS = {
  document: identityDocument,
  tags: dmiTags,
  identity: dmiIdentity,
  aws: metadataAws,
  gcp: metadataGcp,
  azure: metadataAzure,
  oci: metadataOci,
  vultr: metadataVultr,
  hetzner: metadataHetzner,
}

/** Every probe that the location of a node is argued from. */
export const LOCATION_WANTS = {
  ...ADDRESS_WANTS,
  ...PROVIDER_WANTS,
  cloud: cloudInit,
  serials: hostSerials,
  lldpd: netLldpPlace,
  networkd: netLldpNetworkd,
  controller: bmc,
  zone: timezone,
  host: hostIdentity,
  search: dnsSearch,
  chrony: timeChrony,
  tpm: tpmTag,
  registers: tpmPresence,
}

type ProviderFacts = MaybeFactsOf<typeof PROVIDER_WANTS>
export type LocationFacts = MaybeFactsOf<typeof LOCATION_WANTS>

/** Statements that the provider signed or returned; next to them, those that cloud-init stores in clear text. */
export const providerSignals = (facts: ProviderFacts): readonly Found[] => [
  ...identityDocumentSignals(facts.document, facts.tags),
  ...metadataSignals(facts, facts.identity, facts.tags),
]

/** Every statement of where the node is: the provider’s, then those of records and registries, of its network, and of itself. Hints come last. */
export const locationSignals = (facts: LocationFacts, context: Context): readonly Found[] => [
  ...providerSignals(facts),
  ...siteRecordSignals(facts.serials, context),
  ...registrySignals(facts, context),
  ...cloudInitSignals(facts.cloud),
  ...lldpSignals(facts.lldpd, facts.networkd),
  ...assetTagSignals(facts.identity, facts.tags, facts.controller),
  ...tpmTagSignals(facts.tpm, facts.registers),
  ...timezoneSignals(facts.zone),
  ...nameSignals(facts.host, facts.search),
  ...timePeerSignals(facts.chrony),
]

/**
 * Steps for captures that are missing and could have contradicted a place. A tool or service that is not on the node has nothing to state,
 * and neither has a question that no one asked.
 */
export const missedAbout = (probe: Probe<unknown>, reading: Parsed<unknown>): readonly DraftObservation[] =>
  !reading.ok && !wasNotAsked(reading) && IS_GAP.test(reading.reason) ? unclearAbout(probe, reading) : []

const IS_GAP = /^(this was not collected$|not usable: |not collected: (?!tool absent))/

/**
 * The same for everything that the provider may have stated. Without the firmware’s name, an answer of a metadata
 * service does not count.
 */
export const missedOfProvider = (facts: ProviderFacts): readonly DraftObservation[] =>
  PROVIDER_READ.flatMap((name) => missedAbout(PROVIDER_WANTS[name], facts[name]))

/** The same for everything else that could have named another place. */
export const missedStatements = (facts: LocationFacts): readonly DraftObservation[] => [
  ...missedOfProvider(facts),
  ...OTHERS_READ.flatMap((name) => missedAbout(LOCATION_WANTS[name], facts[name])),
]

const OTHERS_READ = ['cloud', 'lldpd', 'networkd', 'connections', 'listeners'] as const

const PROVIDER_READ = ['document', 'identity', 'aws', 'gcp', 'azure', 'oci', 'vultr', 'hetzner'] as const

/**
 * Airport codes, and operators’ variants of them, that machine names contain for the city of a data center. Only
 * codes that are no common words; a name is never more than a hint.
 */
const CITIES: Readonly<Record<string, readonly string[]>> = {
  US: 'iad dca atl bos bwi clt cle cmh dfw den dtw ewr hou iah jfk lga lax las mci mia msp ord pdx phl phx pit rdu san sea sfo sjc slc smf stl tpa'.split(
    ' ',
  ),
  CA: ['yyz', 'yul', 'yvr', 'yyc', 'yow'],
  MX: ['qro', 'mex'],
  BR: ['gru', 'vcp'],
  GB: ['lhr', 'lon', 'lcy'],
  IE: ['dub'],
  FR: ['cdg', 'sbg', 'rbx'],
  NL: ['ams'],
  BE: ['bru'],
  DE: ['fra', 'muc', 'txl', 'dus', 'fsn', 'nbg'],
  CH: ['zrh', 'gva'],
  AT: ['vie'],
  IT: ['mxp', 'fco'],
  ES: ['mad', 'bcn'],
  SE: ['arn'],
  FI: ['hel'],
  NO: ['osl'],
  DK: ['cph'],
  PL: ['waw'],
  JP: ['nrt', 'hnd', 'kix'],
  KR: ['icn'],
  HK: ['hkg'],
  TW: ['tpe'],
  SG: ['sgp'],
  IN: ['bom', 'blr', 'maa', 'hyd'],
  AU: ['syd', 'mel', 'per'],
  ZA: ['jnb', 'cpt'],
  AE: ['dxb'],
}

const COUNTRY_OF = new Map(
  Object.entries(CITIES).flatMap(([country, codes]) => codes.map((code) => [code, country] as const)),
)

/**
 * The part of a name that is such a code, with or without a number after it; null where there is none, or where
 * several disagree.
 */
export function countryInName(name: string): { readonly country: string; readonly code: string } | null {
  const codes = name
    .slice(0, 255)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((part) => part.replace(/\d{1,4}[a-z]?$/, ''))
    .flatMap((code) => {
      const country = COUNTRY_OF.get(code)
      return country === undefined ? [] : [{ country, code }]
    })
  const [first] = codes
  return first !== undefined && codes.every(({ country }) => country === first.country) ? first : null
}

/** A switch is at most this far from what it serves, and lldpd rounds coordinates: generous for both. */
const RADIUS_KM = 1

/**
 * What switches report about their location, as configured by the party that set them up, and which switch and port
 * they are. Their names are hints. lldpd shows more, so networkd is used only where lldpd does not answer.
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
  const stated = asserted(
    `lldp.${at + 1}`,
    country,
    `The switch ${quote(one.name || one.chassis)}, port ${quote(one.port)}, states over LLDP that it is at ${[where && quote(where, 300), spot].filter(Boolean).join(', ')}.`,
    probe,
  )
  if (point === null) return [stated]
  const place = { name: 'As stated over LLDP', ...point, radiusKm: RADIUS_KM, declaredBy: 'the switch' }
  return [{ ...stated, place: country === null ? place : { ...place, country } }]
}

/** The switches and ports: evidence for a rack, and for a country only as far as their names have a meaning. */
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

/** Names of the host and of its domains, where they hold the code of a city. Anyone can choose them. */
export function nameSignals(host: Parsed<HostIdentity>, search: Parsed<DnsSearch>): readonly Found[] {
  const hostname = host.ok ? host.fact.hostname : ''
  const own = countryInName(hostname)
  const domains = search.ok ? search.fact.domains.flatMap((domain) => ({ domain, found: countryInName(domain) })) : []
  const theirs = domains.flatMap(({ domain, found }) => (found === null ? [] : [{ domain, ...found }]))
  const [first] = theirs
  const agreed = first !== undefined && theirs.every(({ country }) => country === first.country)
  return [
    ...(own === null
      ? []
      : [
          hinted(
            'host-name',
            own.country,
            `The name of the host, ${quote(hostname)}, holds ${own.code.toUpperCase()}, a place in ${own.country}.`,
            hostIdentity,
          ),
        ]),
    ...(!agreed
      ? []
      : [
          hinted(
            'dns-search',
            first.country,
            `Names are looked up in ${quote(first.domain)}, which holds ${first.code.toUpperCase()}, a place in ${first.country}.`,
            dnsSearch,
          ),
        ]),
  ]
}

/** Clocks that clouds offer at addresses that no router passes on (their documentation of time services). */
const CLOCKS: ReadonlyMap<string, string> = new Map([
  ['169.254.169.123', 'AWS'],
  ['169.254.169.254', 'Google Cloud or Oracle Cloud'],
])

/** A time source that exists only inside a provider’s network: whose network, not where. Anyone can make one at that address. */
export function timePeerSignals(reading: Parsed<ChronyState>): readonly Found[] {
  const peers = reading.ok ? (reading.fact.nearby ?? []) : []
  return peers.flatMap((peer) => {
    const cloud = CLOCKS.get(peer)
    return cloud === undefined
      ? []
      : [
          hinted(
            'time-peer',
            null,
            `The clock is set by ${quote(peer)}, which is the time source inside ${cloud}. That identifies no location.`,
            timeChrony,
            'sources',
          ),
        ]
  })
}

/** The time zone set by a person. UTC, which servers of all countries have, is no evidence. */
export function timezoneSignals(reading: Parsed<TimeZone>): readonly Found[] {
  const zone = reading.ok ? reading.fact.zone : null
  const country = zone === null ? null : zoneCountry(zone)
  if (zone === null || country === null) return []
  return [hinted('timezone', country, `The time zone is set to ${quote(zone)}, one of ${country}.`, timezone, 'link')]
}

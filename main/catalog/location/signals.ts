import { type Context, type DraftObservation, type MaybeFactsOf, unclearAbout } from '../../core/check.ts'
import { type Parsed, type Probe, wasNotAsked } from '../../core/probe.ts'
import { tpmPresence } from '../boot-integrity/boot-integrity.ts'
import { dmiIdentity, dmiTags } from '../machine/dmi.ts'
import { hostIdentity, hostSerials } from '../machine/identity.ts'
import { bmc } from '../management-controller/probes.ts'
import { netLldpNetworkd, netLldpPlace } from '../network/lldp.ts'
import { cloudInit } from '../provider-access/probes.ts'
import { timeChrony } from '../time/probes.ts'
import type { Found } from './found.ts'
import { identityDocumentSignals, metadataSignals } from './metadata.ts'
import { lldpSignals, nameSignals, timePeerSignals, timezoneSignals } from './names.ts'
import { ADDRESS_WANTS } from './peers.ts'
import {
  dnsSearch,
  identityDocument,
  metadataAws,
  metadataAzure,
  metadataGcp,
  metadataHetzner,
  metadataOci,
  metadataVultr,
  timezone,
  tpmTag,
} from './probes.ts'
import { assetTagSignals, cloudInitSignals, tpmTagSignals } from './provider-signals.ts'
import { registrySignals } from './registry.ts'
import { siteRecordSignals } from './signals/site-record.ts'

/** What the provider itself stated, to the machine or in response to it. */
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

export type ProviderFacts = MaybeFactsOf<typeof PROVIDER_WANTS>
export type LocationFacts = MaybeFactsOf<typeof LOCATION_WANTS>

/** What the provider signed or responded; what cloud-init keeps in clear text stands next to it. */
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
 * The same of everything that the provider may have stated; without the firmware’s name, a response of a metadata service counts for
 * nothing.
 */
export const missedOfProvider = (facts: ProviderFacts): readonly DraftObservation[] =>
  PROVIDER_READ.flatMap((name) => missedAbout(PROVIDER_WANTS[name], facts[name]))

/** The same of everything else that could have named another place. */
export const missedStatements = (facts: LocationFacts): readonly DraftObservation[] => [
  ...missedOfProvider(facts),
  ...OTHERS_READ.flatMap((name) => missedAbout(LOCATION_WANTS[name], facts[name])),
]

const OTHERS_READ = ['cloud', 'lldpd', 'networkd', 'connections', 'listeners'] as const

const PROVIDER_READ = ['document', 'identity', 'aws', 'gcp', 'azure', 'oci', 'vultr', 'hetzner'] as const
